// Folders with a model of SentencePiece and without tokenizer.json. The goldens are AutoTokenizer's of
// transformers 5.24 for models that were trained for this test: tests/goldens/make_sentencepiece_goldens.py.
#include "core/tokenizers/sentence_piece.hpp"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/tokenizers/bpe.hpp"
#include "core/tokenizers/read/load_tokenizer.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::sentence_piece_test {
namespace {

using namespace attnscope::tokenizers;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using nlohmann::json;
using test::message_of;
using Ids = std::vector<Id>;

const std::filesystem::path goldens = std::filesystem::path(ATTNSCOPE_TESTS) / "goldens/sentencepiece";

// A protobuf by hand: fields of bytes, of whole numbers, of floats.
std::string field(int number, const std::string& bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}
std::string field(int number, int value) {  // below 128
  const std::string key = number < 16 ? std::string{static_cast<char>(number << 3)}
                                      : std::string{static_cast<char>((number << 3 & 0x7F) | 0x80),
                                                    static_cast<char>(number >> 4)};
  return key + static_cast<char>(value);
}
constexpr int normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5, byte = 6;
std::string piece(const std::string& text, int type = normal, float score = 0) {
  std::string number(4, '\0');
  std::memcpy(number.data(), &score, 4);
  return field(1, field(1, text) + '\x15' + number + field(3, type));
}
std::string of_kind(int kind) { return field(2, field(3, kind)); }
const std::string bpe_start = piece("<unk>", unknown) + piece("<s>", control) + piece("</s>", control);

std::string refusal(const test::TemporaryDirectory& folder) {
  const std::string message = message_of<Error>([&] { load_tokenizer(folder.path()); });
  CHECK(test::is_sentence(message));
  return message;
}

/// Byte pair encoding as SentencePiece describes it, by the slowest method: of all neighbours whose joined
/// text is a piece, the pair with the best score (of equal ones the leftmost) is merged, until there is none.
std::vector<std::string> merged(std::vector<std::string> symbols,
                                const std::map<std::string, double>& scores) {
  for (;;) {
    std::size_t best = symbols.size();
    double score = 0;
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      const auto found = scores.find(symbols[i] + symbols[i + 1]);
      if (found == scores.end() || (best < symbols.size() && found->second <= score)) continue;
      best = i;
      score = found->second;
    }
    if (best == symbols.size()) return symbols;
    symbols[best] += symbols[best + 1];
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

}  // namespace

TEST_CASE("models of SentencePiece make the ids that AutoTokenizer makes", "[tokenizers]") {
  std::ifstream file(goldens / "goldens.json");
  const json all = json::parse(file);
  REQUIRE(all.size() == 18);
  std::size_t cases = 0;
  for (const json& one : all) {
    const test::TemporaryDirectory folder;
    std::filesystem::copy_file(goldens / one.at("model").get<std::string>(),
                               folder / one.at("file").get<std::string>());
    for (const auto& [name, content] : one.at("files").items()) folder.write(name, content.dump());
    const auto tokenizer = load_tokenizer(folder.path());
    INFO(one.at("name"));
    CHECK(tokenizer->vocabulary_size() == one.at("size"));
    for (const json& expected : one.at("cases")) {
      INFO(expected.at("text"));
      const Encoding found = tokenizer->encode(expected.at("text").get<std::string>());
      CHECK(json(found.ids()) == expected.at("ids"));
      CHECK(tokenizer->decode(expected.at("ids").get<Ids>()) == expected.at("decoded"));
      ++cases;
    }
    const json& pair = one.at("pair");
    CHECK(json(tokenizer->encode(pair.at("a").get<std::string>(), pair.at("b").get<std::string>()).ids()) ==
          pair.at("ids"));
  }
  CHECK(cases > 600);
}

TEST_CASE("merges by scores are those of SentencePiece", "[tokenizers]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO(seed);
    std::vector<float> random(400);
    fill_normal(random, seed, 0, 1);
    std::size_t next = 0;
    const auto draw = [&](std::size_t below) {
      return static_cast<std::size_t>(std::abs(random[next++ % random.size()]) * 1000) % below;
    };
    std::map<std::string, double> scores;
    for (const char* letter : {"a", "b", "c"}) scores.emplace(letter, -9);
    const auto any = [&] {
      auto found = scores.begin();
      std::advance(found, static_cast<std::ptrdiff_t>(draw(scores.size())));
      return found->first;
    };
    // Few scores, so that many are equal.
    for (int i = 0; i < 12; ++i) scores.emplace(any() + any(), -static_cast<double>(draw(4)));
    std::vector<IdOf> tokens{{"<unk>", 0}};
    std::vector<double> by_id{0};
    for (const auto& [text, score] : scores) {
      tokens.push_back({text, static_cast<Id>(tokens.size())});
      by_id.push_back(score);
    }
    const auto vocabulary = std::make_shared<const Vocabulary>(std::move(tokens));
    const Bpe bpe(vocabulary, {.ranked_merges = merges_of_scores(*vocabulary, by_id), .unknown = 0});
    std::string word;
    std::vector<std::string> letters;
    for (int i = 0; i < 40; ++i) letters.emplace_back(1, static_cast<char>('a' + draw(3)));
    for (const std::string& letter : letters) word += letter;
    std::vector<WordToken> found;
    bpe.encode(word, false, found);
    std::vector<std::string> texts;
    for (const WordToken& token : found) texts.push_back(*vocabulary->token(token.id));
    CHECK(texts == merged(letters, scores));
  }
}

TEST_CASE("pieces that stand for themselves are neither cut nor merged", "[tokenizers]") {
  const test::TemporaryDirectory folder;
  const std::string model = bpe_start + piece("\u2581") + piece("a") + piece("b") + piece("ab", normal, -1) +
                            piece("ba", user_defined) + piece("aba", user_defined) +
                            piece("\u2581a", normal, -2) + of_kind(2);
  folder.write("tokenizer.model", model);
  const auto ids = [&](const char* text) { return load_tokenizer(folder.path())->encode(text).ids(); };
  CHECK(ids("ab") == Ids{3, 6});
  CHECK(ids("abb") == Ids{3, 6, 5});
  CHECK(ids("babab") == Ids{3, 7, 7, 5});  // the leftmost first
  CHECK(ids("aabab") == Ids{9, 8, 5});     // the longest
  CHECK(ids("a ba") == Ids{9, 3, 7});
  CHECK(ids("axyb") == Ids{9, 0, 5});  // unknown neighbours are one token
}

TEST_CASE("Llama's and Gemma's classes take the pieces of a model and not how it normalizes",
          "[tokenizers]") {
  const test::TemporaryDirectory folder;
  const std::string pieces = bpe_start + piece("\u2581") + piece("a") + piece("b") + piece("ab", normal, -1) +
                             piece("\u2581a", normal, -2) + piece("é") + piece("<u>", user_defined) +
                             piece("\u2581\u2581", user_defined) + piece("\u2581\u2581\u2581", user_defined) +
                             of_kind(2);
  folder.write("tokenizer.model", pieces + field(3, field(4, 1)));  // removes spaces that are too many
  const auto ids = [&](const char* text) { return load_tokenizer(folder.path())->encode(text).ids(); };
  const auto of_class = [&](const char* name, const char* type) {
    folder.write("config.json", json{{"model_type", type}}.dump());
    folder.write("tokenizer_config.json", json{{"tokenizer_class", name}}.dump());
  };
  // The ids are those of transformers 5.24.
  of_class("LlamaTokenizer", "llama");
  CHECK(ids(" a") == Ids{7});
  CHECK(ids("ab  ab ") == Ids{3, 6, 10, 6, 3});
  CHECK(ids("a<u>b") == Ids{7, 9, 5});
  CHECK(ids("axb") == Ids{3, 6});     // a text that is no piece is left out
  CHECK(ids("    a") == Ids{11, 7});  // in the order of the ids
  CHECK(ids("a\u2581\u2581b") == Ids{7, 10, 5});
  // A list of special tokens replaces the model's own.
  folder.write("tokenizer_config.json",
               R"({"tokenizer_class": "LlamaTokenizer", "additional_special_tokens": []})");
  CHECK(ids("a<u>b") == Ids{3, 6});
  of_class("GemmaTokenizer", "gemma");
  CHECK(ids(" a") == Ids{7});
  CHECK(ids("ab  ab ") == Ids{6, 10, 6, 3});
  CHECK(ids("a<u>b") == Ids{4, 9, 5});
  CHECK(ids("axb") == Ids{4, 0, 5});
  CHECK(ids("    a") == Ids{11, 7});
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "GemmaTokenizer", "unk_token": "<none>"})");
  CHECK_THAT(refusal(folder), ContainsSubstring("it has no piece \"<none>\", which is the unknown token"));
}

TEST_CASE("control symbols are found in a text unless a list of special tokens is there", "[tokenizers]") {
  const test::TemporaryDirectory folder;
  folder.write("config.json", R"({"model_type": "mistral"})");
  folder.write("tokenizer.model",
               bpe_start + piece("\u2581") + piece("a") + piece("<c>", control) + of_kind(2));
  const auto ids = [&] { return load_tokenizer(folder.path())->encode("a<c>a").ids(); };
  CHECK(ids() == Ids{3, 4, 5, 3, 4});
  for (const char* config : {R"({"additional_special_tokens": []})", R"({"extra_special_tokens": null})"}) {
    folder.write("tokenizer_config.json", config);
    CHECK(ids() == Ids{3, 4, 0, 4});
  }
  folder.write("tokenizer_config.json", R"({"extra_special_tokens": {"c_token": "a"}})");
  CHECK(ids() == Ids{4, 5, 4});
}

TEST_CASE("what a model of SentencePiece says and is not read is refused by its name", "[tokenizers]") {
  const test::TemporaryDirectory folder;
  const auto refused = [&](const std::string& model) {
    folder.write("tokenizer.model", model);
    return refusal(folder);
  };
  const std::string good = bpe_start + piece("a") + of_kind(2);
  folder.write("tokenizer.model", good);
  CHECK(load_tokenizer(folder.path())->encode("a").ids() == Ids{0, 3});  // there is no "▁"
  CHECK_THAT(
      refused(bpe_start + of_kind(1)),
      StartsWith("tokenizer.model is a unigram model of SentencePiece, of which those of T5, XLM-R and "));
  CHECK_THAT(refused(bpe_start + of_kind(3)), StartsWith("tokenizer.model is a word model of SentencePiece"));
  CHECK_THAT(refused(bpe_start + of_kind(4)), StartsWith("tokenizer.model is a character model of"));
  CHECK_THAT(refused(bpe_start + of_kind(5)),
             StartsWith("tokenizer.model: model_type is 5, expected 1 to 4"));
  CHECK_THAT(refused(good + piece("a")), StartsWith("tokenizer.model: the piece \"a\" is there twice"));
  CHECK_THAT(refused(good + piece("b", unused)), ContainsSubstring("\"b\" is marked as unused"));
  CHECK_THAT(refused(good + piece("<0x41>", byte)), ContainsSubstring("byte_fallback is false"));
  CHECK_THAT(refused(good + piece("b", normal, NAN)), ContainsSubstring("the piece \"b\" has the score nan"));
  CHECK_THAT(refused(piece("a") + of_kind(2)),
             ContainsSubstring("0 pieces are marked as unknown, expected one"));
  CHECK_THAT(refused(good + field(2, field(3, 2) + field(35, 1))),
             ContainsSubstring("0 pieces are bytes, expected 256: byte_fallback is true"));
  CHECK_THAT(refused(good + field(2, field(3, 2) + field(24, 1))),
             StartsWith("tokenizer.model: treat_whitespace_as_suffix is true"));
  CHECK_THAT(refused(good + field(3, field(5, 0))),
             StartsWith("tokenizer.model: escape_whitespaces is false"));
  CHECK_THAT(refused("IQ== 0\nIg== 1\n"),
             StartsWith("tokenizer.model is a list of tokens in base64 (tiktoken)"));
  CHECK_THAT(refused("{}"), StartsWith("tokenizer.model is not a SentencePiece model"));

  folder.write("tokenizer.model", good);
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "XLNetTokenizer"})");
  CHECK_THAT(refusal(folder), StartsWith("tokenizer.model is a SentencePiece model of a XLNetTokenizer"));
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "BertTokenizer"})");
  CHECK_THAT(refusal(folder), ContainsSubstring("which the tokenizer of this model's class does not read"));
  const test::TemporaryDirectory roberta;
  roberta.write("config.json", R"({"model_type": "xlm-roberta"})");
  roberta.write("sentencepiece.bpe.model", piece("<s>", control) + piece("<unk>", unknown) + piece("a"));
  CHECK_THAT(refusal(roberta), StartsWith("sentencepiece.bpe.model does not begin with <unk>, <s> and </s>"));
  roberta.write("sentencepiece.bpe.model", bpe_start + piece("a", user_defined));
  CHECK_THAT(refusal(roberta), ContainsSubstring("has a piece, \"a\", that is not cut as a text is"));
  const test::TemporaryDirectory other;
  other.write("spm.model", bpe_start);
  CHECK_THAT(refusal(other),
             ContainsSubstring("of another name than spiece.model, sentencepiece.bpe.model and "));
}

}  // namespace attnscope::sentence_piece_test
