// Tokenizer files: refusals and their messages, the files that a folder needs, and damaged files, which must
// not crash.
#include <filesystem>
#include <fstream>
#include <random>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"
#include "core/tokenizers/read/load_tokenizer.hpp"
#include "support/seeds.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::tokenizer_files_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using namespace attnscope::tokenizers;
using test::message_of;
using test::TemporaryDirectory;

/// A small tokenizer with an example of every part.
json small() {
  return json::parse(R"({
    "version": "1.0", "truncation": {"max_length": 3}, "padding": {"strategy": "Fixed"},
    "added_tokens": [{"id": 0, "content": "<s>", "special": true}, {"id": 7, "content": "<mask>", "lstrip": true}],
    "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"},
      {"type": "Replace", "pattern": {"Regex": "x+"}, "content": "a"}, {"type": "Lowercase"}]},
    "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": true},
      {"type": "Split", "pattern": {"String": "-"}, "behavior": "Removed", "invert": false},
      {"type": "Metaspace", "replacement": "_", "add_prefix_space": false}]},
    "post_processor": {"type": "TemplateProcessing",
      "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
      "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
      "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}}},
    "decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]},
    "model": {"type": "BPE", "unk_token": "?", "dropout": null, "fuse_unk": true,
      "vocab": {"<s>": 0, "?": 1, "a": 2, "b": 3, "ab": 4, "_": 5, "1": 6}, "merges": ["a b"]}})");
}

std::string refusal(const json& value) {
  return message_of<Error>([&] { Tokenizer(read_tokenizer_json(value.dump(), "tokenizer.json")); });
}
/// After one field was set.
std::string refusal(const char* pointer, json value) {
  json file = small();
  file[json::json_pointer(pointer)] = std::move(value);
  return refusal(file);
}

std::string texts(const Tokenizer& tokenizer, const std::string& text) {
  std::string found;
  for (const EncodedToken& token : tokenizer.encode(text).tokens)
    found += (found.empty() ? "" : " ") + token.text;
  return found;
}

/// Reads it and, when that succeeds, uses it. Anything but an Error of one sentence fails the test.
void try_all(const std::string& text) {
  const std::string message = message_of<Error>([&] {
    const Tokenizer tokenizer(read_tokenizer_json(text, "tokenizer.json"));
    for (const char* one :
         {"", "The cat, 12 <s> <mask>", "  É한\u00AD\u0301\u200D猫🙂\n\n\t'll <|endoftext|>"}) {
      const Encoding encoding = tokenizer.encode(one, "b");
      for (const EncodedToken& token : encoding.tokens) {
        const std::size_t size = token.sequence == 0 ? std::string_view(one).size() : 1;
        REQUIRE(token.range.begin <= token.range.end);
        REQUIRE(token.range.end <= size);
        REQUIRE(is_valid_utf8(tokenizer.piece(token.id)));
      }
      REQUIRE(is_valid_utf8(tokenizer.decode(encoding.ids(), false)));
    }
  });
  if (!message.empty()) {
    INFO(message);
    REQUIRE(test::is_sentence(message));
    REQUIRE(is_valid_utf8(message));
  }
}

std::string with_random_bytes(std::string text, std::mt19937_64& random) {
  for (std::size_t edits = 1 + random() % 3; edits > 0; --edits) {
    const std::size_t at = random() % text.size(), size = 1 + random() % 8;
    switch (random() % 4) {
      case 0: text[at] = static_cast<char>(random()); break;
      case 1: text.erase(at, size); break;
      case 2: text.insert(at, text.substr(random() % text.size(), size)); break;
      default: text[at] = "0123456789-.eE\"\\[]{},:"[random() % 22]; break;
    }
    if (text.empty()) text = " ";
  }
  return text;
}

/// Replaces a random value at a random depth.
json with_random_value(json file, std::mt19937_64& random) {
  json* at = &file;
  while (at->is_structured() && !at->empty() && random() % 8 != 0) {
    auto next = at->begin();
    std::advance(next, static_cast<std::ptrdiff_t>(random() % std::min<std::size_t>(at->size(), 40)));
    at = &*next;
  }
  const json values[] = {nullptr,
                         true,
                         -1,
                         0,
                         1,
                         3,
                         1e9,
                         0xFFFFFFFFu,
                         1.5,
                         "",
                         "a",
                         "Ġ",
                         "(",
                         "\\p{L}+",
                         "Sequence",
                         "ByteLevel",
                         "NFKD",
                         "Metaspace",
                         json::array(),
                         json::object(),
                         {"a", "b"},
                         {{"type", "BPE"}}};
  if (random() % 8 == 0 && at->is_structured()) {
    at->clear();
  } else {
    *at = values[random() % std::size(values)];
  }
  return file;
}

}  // namespace

TEST_CASE("a small tokenizer.json does what it says", "[tokenizers]") {
  const Tokenizer tokenizer(read_tokenizer_json(small().dump(), "tokenizer.json"));
  CHECK(texts(tokenizer, "xxb -AB12 <mask>") == "<s> ab _ ab 1 ? <mask>");
  CHECK(tokenizer.special_ids().bos == 0);
  CHECK(tokenizer.special_ids().unk == 1);
  CHECK(tokenizer.special_ids().eos == no_id);
  CHECK(tokenizer.vocabulary_size() == 8);
  json pairs = small();
  pairs["model"]["merges"] = json::array({json::array({"a", "b"})});
  CHECK(texts(Tokenizer(read_tokenizer_json(pairs.dump(), "t")), "ab") == "<s> ab");
}

TEST_CASE("what does not fit is refused with the file, the field and what was found", "[tokenizers]") {
  CHECK(refusal("/pre_tokenizer", {{"type", "Foo"}}) ==
        "tokenizer.json: pre_tokenizer type \"Foo\" is not supported.");
  CHECK(refusal("/normalizer/normalizers/1/type", "Foo") ==
        "tokenizer.json: normalizer.normalizers[1] type \"Foo\" is not supported.");
  CHECK(refusal("/decoder/decoders/0", {{"type", "CTC"}}) ==
        "tokenizer.json: decoder.decoders[0] type \"CTC\" is not supported.");
  CHECK(refusal("/post_processor/type", "Foo") ==
        "tokenizer.json: post_processor type \"Foo\" is not supported.");
  CHECK(refusal("/model/type", "Foo") == "tokenizer.json: model type \"Foo\" is not supported.");
  CHECK(refusal("/model/vocab/b", -1) ==
        "tokenizer.json: model.vocab.b must be a whole number from 0 to 1073741824, found -1.");
  CHECK(refusal("/model/vocab/b", 4) == "tokenizer.json: The tokens \"ab\" and \"b\" have the same id 4.");
  CHECK(refusal("/model/vocab/b", 1 << 28) ==
        "tokenizer.json: The token \"b\" has the id 268435456, which is out of range for 7 tokens.");
  CHECK(refusal("/model/merges/0", "a b c") ==
        "tokenizer.json: model.merges[0] must be two parts with a space between, found \"a b c\".");
  CHECK(refusal("/model/merges/0", json::array({"a", 1})) ==
        "tokenizer.json: model.merges[0] must be two strings, found an array.");
  CHECK(refusal("/normalizer/normalizers/1/content", std::string(1001, 'x')).find("at most 1000 bytes") !=
        std::string::npos);
  CHECK(refusal("/model/merges/0", "b a") ==
        "tokenizer.json: Merge 0 of \"b\" and \"a\" needs \"ba\", which is not in the vocabulary.");
  CHECK(refusal("/model/dropout", 0.1) == "tokenizer.json: model.dropout must be null or 0, found 0.1.");
  CHECK(refusal("/model", nullptr) == "tokenizer.json: model must be an object, found null.");
  CHECK(refusal("/normalizer/normalizers/1/pattern", {{"Regex", "("}}) ==
        "tokenizer.json: The expression \"(\" is not supported: missing closing parenthesis at byte 1.");
  CHECK(refusal("/pre_tokenizer/pretokenizers/1/behavior", "Sideways") ==
        "tokenizer.json: pre_tokenizer.pretokenizers[1].behavior must be Removed, Isolated, "
        "MergedWithPrevious, "
        "MergedWithNext or Contiguous, found \"Sideways\".");
  CHECK(refusal("/pre_tokenizer/pretokenizers/2/replacement", "__") ==
        "tokenizer.json: pre_tokenizer.pretokenizers[2].replacement must be one character, found \"__\".");
  CHECK(refusal("/post_processor/single/0/SpecialToken/id", "<t>") ==
        "tokenizer.json: post_processor.single[0].SpecialToken.id must be one of special_tokens, found "
        "\"<t>\".");
  CHECK(refusal("/post_processor/special_tokens/<s>/ids/0", 99) ==
        "The post-processor puts the id 99, which no token has.");
  CHECK(refusal("/added_tokens/1/content", "") ==
        "tokenizer.json: added_tokens[1].content must be a string that is not empty, found \"\".");
  CHECK(refusal("/added_tokens/1/id", 3) ==
        "The added token \"<mask>\" has the id 3, which another token has too.");
  CHECK(refusal(json::array()) == "tokenizer.json: the document must be an object, found an empty array.");
}

TEST_CASE("WordLevel has one token a word", "[tokenizers]") {
  json file = small();
  file["pre_tokenizer"] = {{"type", "Whitespace"}};
  file["normalizer"] = file["decoder"] = nullptr;
  file["model"] = {
      {"type", "WordLevel"}, {"vocab", {{"<s>", 0}, {"?", 1}, {"the", 2}, {"cat", 3}}}, {"unk_token", "?"}};
  const Tokenizer tokenizer(read_tokenizer_json(file.dump(), "t"));
  CHECK(texts(tokenizer, "the dog, cat") == "<s> the ? ? cat");
  CHECK(texts(tokenizer, "") == "<s>");
  file["model"].erase("type");  // as files from before 2020
  CHECK(texts(Tokenizer(read_tokenizer_json(file.dump(), "t")), "the dog") == "<s> the ?");
  file["model"]["unk_token"] = "no such";
  const Encoding encoding = Tokenizer(read_tokenizer_json(file.dump(), "t")).encode("the dog");
  CHECK(encoding.untold == std::vector<Untold>{{0, {4, 7}}});
}

TEST_CASE("syntax, depth and doubled keys are refused", "[tokenizers]") {
  const auto says = [](const std::string& text) {
    return message_of<Error>([&] { read_tokenizer_json(text, "tokenizer.json"); });
  };
  CHECK(says("{") == "\"tokenizer.json\" is not valid JSON at line 1, column 2.");
  CHECK(says(R"({"model": {"vocab": {"a": 0, "a": 1}}})").find("has the key \"a\" twice") !=
        std::string::npos);
  CHECK(says(std::string(1000, '[')).find("nests deeper") != std::string::npos);
}

TEST_CASE("a folder says which tokenizer it has", "[tokenizers]") {
  const TemporaryDirectory folder;
  const auto says = [&] { return message_of<Error>([&] { load_tokenizer(folder.path()); }); };
  CHECK(says().ends_with(
      "has no tokenizer: neither tokenizer.json, nor vocab.json and merges.txt, nor vocab.txt."));
  folder.write("tokenizer.model", "x");
  CHECK(says() == "tokenizer.model is not a SentencePiece model: byte 1 of a message of 1 does not fit.");
  folder.write("vocab.txt", "[PAD]\n[UNK]\r\n[CLS]\n[SEP]\nA\na\n##b\n");
  CHECK(texts(*load_tokenizer(folder.path()), "AB") == "[CLS] a ##b [SEP]");
  CHECK(load_tokenizer(folder.path())->special_ids().sep == 3);
  folder.write("tokenizer_config.json", R"({"do_lower_case": false})");
  CHECK(texts(*load_tokenizer(folder.path()), "Ab") == "[CLS] A ##b [SEP]");
  folder.write("tokenizer_config.json", R"({"do_lower_case": 1})");
  CHECK(says() == "tokenizer_config.json: do_lower_case must be true or false, found 1.");
  folder.write("tokenizer_config.json", "{}");
  folder.write("vocab.json", R"({"a": 0, "b": 1, "ab": 2, "<|endoftext|>": 3, "<p>": 4})");
  folder.write("merges.txt", "#version: 0.2\na b\n");
  folder.write("special_tokens_map.json",
               R"({"bos_token": "<|endoftext|>", "pad_token": {"content": "<p>"}})");
  const std::shared_ptr<const Tokenizer> gpt2 = load_tokenizer(folder.path());
  CHECK(texts(*gpt2, "abX<|endoftext|>") == "ab <|endoftext|>");
  CHECK(gpt2->encode("abX").untold == std::vector<Untold>{{0, {2, 3}}});
  CHECK(gpt2->special_ids().bos == 3);
  CHECK(gpt2->special_ids().pad == 4);
  folder.write("merges.txt", "a b c\n");
  CHECK(says() == "merges.txt: line 1 must be two parts with a space between, found \"a b c\".");
  folder.write("tokenizer.json", small().dump());
  CHECK(texts(*load_tokenizer(folder.path()), "ab") == "<s> ab");
}

TEST_CASE("no damage to a tokenizer.json crashes", "[tokenizers]") {
  std::vector<std::string> files{small().dump()};
  const fs::path vectors = fs::path(ATTNSCOPE_SHARED) / "vectors" / "tokenizers";
  if (fs::exists(vectors)) {
    for (const fs::directory_entry& folder : fs::directory_iterator(vectors)) {
      if (folder.is_directory()) files.push_back(test::bytes_of(folder.path() / "tokenizer.json"));
    }
  }
  const bool all = std::getenv("ATTNSCOPE_ALL_MUTATIONS") != nullptr;
  for (const std::string& text : files) {
    // Two thousand of small files; a large one has most of its bytes in one list or string.
    const std::uint64_t count = all ? 2000 : std::min<std::uint64_t>(400, 2'000'000 / text.size());
    const json file = json::parse(text);
    for (std::uint64_t i = 0; i < count; ++i) {
      INFO("a file of " << text.size() << " bytes, mutation " << i);
      std::mt19937_64 random(i);  // a fixed seed
      try_all(i % 2 == 0 ? with_random_bytes(text, random) : with_random_value(file, random).dump());
    }
  }
}

}  // namespace attnscope::tokenizer_files_test
