// The tokenizers beside the checkout, against Hugging Face's library on twenty difficult texts and a pair
// each, and on the texts of the tiny models.
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "core/files/formats/safetensors.hpp"
#include "core/tokenizers/read/load_tokenizer.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::tokenizers_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using namespace attnscope::tokenizers;

fs::path vectors(const char* folder) { return fs::path(ATTNSCOPE_SHARED) / "vectors" / folder; }

json read_json(const fs::path& path) {
  std::ifstream file(path);
  return json::parse(file);
}

/// Ranges as code points, which is how the reference counts.
std::vector<std::vector<std::size_t>> in_code_points(const Encoding& encoding,
                                                     const std::vector<std::string>& texts) {
  std::vector<std::vector<std::size_t>> found;
  for (const EncodedToken& token : encoding.tokens) {
    const std::string_view text =
        token.sequence < 0 ? std::string_view() : texts[static_cast<std::size_t>(token.sequence)];
    found.push_back({count_characters(text.substr(0, token.range.begin)),
                     count_characters(text.substr(0, token.range.end))});
  }
  return found;
}

/// The reference writes an added token with the white space it has taken, and an unknown one of a unigram
/// model as its text; ours are the vocabulary's.
void check_names(const Tokenizer& tokenizer, const Encoding& encoding, const json& expected,
                 bool is_unigram) {
  REQUIRE(encoding.tokens.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const EncodedToken& token = encoding.tokens[i];
    std::string name = expected[i];
    if (tokenizer.is_special(token.id)) name.erase(0, name.find_first_not_of(' '));
    if (is_unigram && token.id == tokenizer.special_ids().unk) name = *tokenizer.token(token.id);
    CHECK(token.text == name);
  }
}

void check_encoding(const Tokenizer& tokenizer, const Encoding& encoding,
                    const std::vector<std::string>& texts, const json& expected, bool is_unigram) {
  CHECK(json(encoding.ids()) == expected.at("ids"));
  check_names(tokenizer, encoding, expected.at("tokens"), is_unigram);
  CHECK(json(in_code_points(encoding, texts)) == expected.at("offsets_codepoints"));
  std::vector<int> types, added;
  for (const EncodedToken& token : encoding.tokens) {
    types.push_back(token.type_id);
    added.push_back(token.sequence < 0);  // the reference marks only these; ours marks "<s>" in the text too
    CHECK((token.sequence >= 0 || token.special));
  }
  CHECK(json(types) == expected.at("type_ids"));
  CHECK(json(added) == expected.at("special"));
  CHECK(encoding.untold.empty());
}

/// The ranges of the reference are code points of the normalized text.
void check_words(const Tokenizer& tokenizer, const json& one) {
  if (one.contains("normalized"))
    CHECK(tokenizer.normalized(one.at("text").get<std::string>()) == one.at("normalized"));
  if (!one.contains("pretokens")) return;
  json words = json::array(), expected = json::array();
  for (const Tokenizer::Word& word : tokenizer.words(one.at("text").get<std::string>()))
    words.push_back(word.text);
  for (const json& word : one.at("pretokens")) expected.push_back(word.at(0));
  CHECK(words == expected);
}

}  // namespace

TEST_CASE("six tokenizers encode and decode twenty texts and a pair as the reference does", "[tokenizers]") {
  if (!fs::exists(vectors("tokenizers"))) SKIP("no folder shared/vectors/tokenizers");
  int cases = 0;
  for (const fs::directory_entry& folder : fs::directory_iterator(vectors("tokenizers"))) {
    if (!folder.is_directory()) continue;
    const std::string name = folder.path().filename().string();
    const std::shared_ptr<const Tokenizer> tokenizer = load_tokenizer(folder.path());
    const json file = read_json(folder.path() / "cases.json");
    const bool is_unigram = name.find("unigram") != name.npos;
    for (const json& one : file.at("cases")) {
      const std::string text = one.at("text");
      INFO(name << ": " << one.at("text"));
      const Encoding encoding = tokenizer->encode(text);
      check_encoding(*tokenizer, encoding, {text}, one, is_unigram);
      CHECK(json(tokenizer->encode(text, {.add_special_tokens = false}).ids()) == one.at("no_special_ids"));
      CHECK(tokenizer->decode(encoding.ids()) == one.at("decoded"));
      check_words(*tokenizer, one);
      ++cases;
    }
    const std::string first = file.at("pair").at("a"), second = file.at("pair").at("b");
    INFO(name << ": the pair");
    check_encoding(*tokenizer, tokenizer->encode(first, second), {first, second}, file.at("pair"),
                   is_unigram);
  }
  CHECK(cases == 120);
}

TEST_CASE("a vocabulary without tokenizer.json makes the same tokens", "[tokenizers]") {
  if (!fs::exists(vectors("tokenizers"))) SKIP("no folder shared/vectors/tokenizers");
  const std::map<std::string, std::vector<const char*>> files{{"gpt2_bpe", {"vocab.json", "merges.txt"}},
                                                              {"bert_wordpiece_uncased", {"vocab.txt"}}};
  for (const auto& [name, names] : files) {
    const test::TemporaryDirectory directory;
    for (const char* file : names) {
      fs::copy_file(vectors("tokenizers") / name / file, directory / file);
    }
    const std::shared_ptr<const Tokenizer> tokenizer = load_tokenizer(directory.path());
    const json cases = read_json(vectors("tokenizers") / name / "cases.json");
    for (const json& one : cases.at("cases")) {
      const std::string text = one.at("text");
      INFO(name << ": " << one.at("text"));
      const Encoding encoding = tokenizer->encode(text);
      check_encoding(*tokenizer, encoding, {text}, one, false);
      CHECK(tokenizer->decode(encoding.ids()) == one.at("decoded"));
    }
  }
}

TEST_CASE("the texts of the tiny models become the ids that they were run on", "[tokenizers]") {
  if (!fs::exists(vectors("tiny_models"))) SKIP("no folder shared/vectors/tiny_models");
  int models = 0;
  for (const fs::directory_entry& folder : fs::directory_iterator(vectors("tiny_models"))) {
    if (!fs::exists(folder.path() / "tokenizer.json")) continue;
    const fs::path path = folder.path() / "goldens.safetensors";
    INFO(path.string());
    const std::shared_ptr<const Tokenizer> tokenizer = load_tokenizer(folder.path());
    const SafetensorsFile goldens(path);
    std::ifstream stream(path, std::ios::binary);
    std::uint64_t length = 0;
    stream.read(reinterpret_cast<char*>(&length), 8);
    std::string header(length, ' ');
    stream.read(header.data(), static_cast<std::streamsize>(length));
    const json info = json::parse(json::parse(header).at("__metadata__").at("info").get<std::string>());
    const std::string first = info.at("text0"), second = info.at("text1");
    const auto expected = [&](const char* name) {
      const TensorEntry* entry = goldens.find(name);
      REQUIRE(entry != nullptr);
      std::vector<std::int64_t> ids(entry->bytes.size() / 8);
      std::memcpy(ids.data(), entry->bytes.data(), entry->bytes.size());
      return ids;
    };
    const auto ids = [](const Encoding& encoding) {
      const std::vector<Id> found = encoding.ids();
      return std::vector<std::int64_t>(found.begin(), found.end());
    };
    CHECK(ids(tokenizer->encode(first)) == expected("single.input_ids"));
    if (goldens.find("pair.input_ids") != nullptr) {
      CHECK(ids(tokenizer->encode(first, second)) == expected("pair.input_ids"));
    }
    ++models;
  }
  CHECK(models == 11);
}

}  // namespace attnscope::tokenizers_test
