// Settings that AutoTokenizer of transformers 5.24 reads from the files beside a vocabulary. The ids are
// those that it gives for these folders.
#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/tokenizers/read/load_tokenizer.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::tokenizer_folder_test {
namespace {

using namespace attnscope::tokenizers;
using nlohmann::json;
using test::message_of;
using Ids = std::vector<Id>;

Ids ids_of(const test::TemporaryDirectory& folder, const std::string& text) {
  return load_tokenizer(folder.path())->encode(text).ids();
}
std::string refusal(const test::TemporaryDirectory& folder) {
  return message_of<Error>([&] { load_tokenizer(folder.path()); });
}

/// Bytes of the texts below, merges "a b" and "1 2".
const json vocabulary{{"<s>", 0}, {"<pad>", 1}, {"</s>", 2}, {"<unk>", 3}, {"a", 4},  {"b", 5},  {"ab", 6},
                      {"Ġ", 7},   {"1", 8},     {"2", 9},    {"12", 10},   {"e", 11}, {"Ã", 12}, {"©", 13},
                      {"Ì", 14},  {"ģ", 15},    {"<", 16},   {"m", 17},    {">", 18}};

void write_vocabulary(const test::TemporaryDirectory& folder, const char* model_type) {
  folder.write("vocab.json", vocabulary.dump());
  folder.write("merges.txt", "#version: 0.2\r\na b\r\n1 2\r\n");
  folder.write("config.json", json{{"model_type", model_type}}.dump());
}

json byte_level() {
  return {{"added_tokens", json::array({{{"id", 2}, {"content", "</s>"}, {"special", true}}})},
          {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}},
          {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", json::array({"a b", "1 2"})}}}};
}

json bert() {
  return {{"normalizer", {{"type", "BertNormalizer"}, {"lowercase", true}}},
          {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
          {"model",
           {{"type", "WordPiece"},
            {"unk_token", "[UNK]"},
            {"vocab", {{"[UNK]", 0}, {"[CLS]", 1}, {"[SEP]", 2}, {"a", 3}, {"A", 4}, {"é", 5}, {"e", 6}}}}}};
}

json token(const char* text) { return {{"content", text}, {"special", true}, {"normalized", false}}; }

}  // namespace

TEST_CASE("vocab.json and merges.txt are read by the class of the model", "[tokenizers]") {
  const test::TemporaryDirectory folder;
  write_vocabulary(folder, "gpt2");
  CHECK(ids_of(folder, "ab 12<s>") == Ids{6, 7, 10, 16, 18});  // "s" is not in the vocabulary
  write_vocabulary(folder, "roberta");
  CHECK(ids_of(folder, "") == Ids{0, 2});
  CHECK(ids_of(folder, "ab<mask></s> 12") == Ids{0, 6, 19, 2, 7, 10, 2});
  CHECK(load_tokenizer(folder.path())->special_ids().mask == 19);
  CHECK(load_tokenizer(folder.path())->encode("a", "b").ids() == Ids{0, 4, 2, 2, 5, 2});
  write_vocabulary(folder, "qwen2");
  CHECK(ids_of(folder, "12e\u0301") == Ids{8, 9, 12, 13});
  write_vocabulary(folder, "gpt_neox");
  CHECK(ids_of(folder, "12e\u0301") == Ids{10, 12, 13});
  write_vocabulary(folder, "bloom");
  CHECK(refusal(folder) ==
        "vocab.json and merges.txt do not say how a \"bloom\" tokenizer cuts a text: save it as "
        "tokenizer.json.");
  folder.write("tokenizer_config.json",
               R"({"tokenizer_class": "GPT2Tokenizer", "add_prefix_space": true, "add_bos_token": true,
                   "bos_token": "<s>"})");
  CHECK(ids_of(folder, "ab") == Ids{0, 7, 6});
}

TEST_CASE("added_tokens.json adds tokens behind the vocabulary", "[tokenizers]") {
  const test::TemporaryDirectory folder;
  write_vocabulary(folder, "gpt2");
  folder.write("added_tokens.json", R"({"<m>": 19, "</s>": 2})");
  CHECK(ids_of(folder, "a<m>b</s>") == Ids{4, 19, 5, 2});
  folder.write("added_tokens.json", R"({"<m>": 25})");
  CHECK(refusal(folder).starts_with("added_tokens.json gives \"<m>\" the id 25, but the next free id is 19"));
  folder.write("added_tokens.json", R"({"</s>": 19})");
  CHECK(refusal(folder).starts_with("added_tokens.json gives \"</s>\" the id 19, but its id is 2"));
  const test::TemporaryDirectory lines;
  lines.write("vocab.txt", "[UNK]\r\n[CLS]\r\n[SEP]\r\na\r\n");
  lines.write("added_tokens.json", R"({"<m>": 6})");
  lines.write("special_tokens_map.json", R"({"pad_token": "[PAD]"})");
  CHECK(refusal(lines).find("the next free id is 4") != std::string::npos);
  lines.write("added_tokens.json", R"({"<m>": 4})");
  CHECK(ids_of(lines, "a<m>[PAD][MASK]") == Ids{1, 3, 4, 5, 6, 2});
}

TEST_CASE("a spiece.model of T5 is read, another is refused", "[tokenizers]") {
  const test::TemporaryDirectory folder;
  const auto field = [](int number, const std::string& bytes) {
    return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
  };
  const auto piece = [&](const std::string& text, int type, const char* score) {
    return field(1, field(1, text) + '\x15' + std::string(score, 4) + '\x18' + static_cast<char>(type));
  };
  const char *zero = "\0\0\0\0", *minus_one = "\0\0\x80\xBF", *minus_four = "\0\0\x80\xC0";
  const std::string model = piece("<pad>", 3, zero) + piece("</s>", 3, zero) + piece("<unk>", 2, zero) +
                            piece("\u2581", 1, minus_four) + piece("a", 1, minus_four) +
                            piece("\u2581a", 1, minus_one) + field(2, "\x18\x01");
  folder.write("spiece.model", model);
  CHECK(refusal(folder).starts_with(
      "spiece.model is a unigram model of SentencePiece, of which those of T5, XLM-R and "));
  folder.write("config.json", R"({"model_type": "t5"})");
  CHECK(ids_of(folder, "a aa  x") == Ids{5, 5, 4, 3, 2, 1});
  CHECK(ids_of(folder, "<extra_id_99>a<extra_id_0>") == Ids{6, 5, 105, 1});
  // Control symbols and those that a user defined are found in the text, white space among them.
  const std::string more = model + piece("<u>", 4, zero) + piece("<c>", 3, zero) + piece("\n", 4, zero);
  folder.write("spiece.model", more);
  CHECK(ids_of(folder, "a<u> a<c>a\na") == Ids{5, 6, 5, 7, 5, 8, 5, 1});
  CHECK(ids_of(folder, "a <extra_id_1>a") == Ids{5, 107, 5, 1});
  folder.write("spiece.model", more + piece("<extra_id_1>", 4, zero));
  CHECK(refusal(folder).starts_with("spiece.model has a piece <extra_id_1>, and 100 tokens of such names"));
  folder.write("tokenizer_config.json", R"({"extra_ids": 0})");
  CHECK(ids_of(folder, "a <extra_id_1>a") == Ids{5, 9, 5, 1});
  folder.write("tokenizer_config.json", R"({"additional_special_tokens": null})");
  CHECK(refusal(folder).find("additional_special_tokens of a spiece.model have no ids") != std::string::npos);
  folder.write("tokenizer_config.json", "{}");
  folder.write("spiece.model", model.substr(0, model.size() - 1));
  CHECK(refusal(folder).starts_with("spiece.model is not a SentencePiece model: byte "));
  folder.write("spiece.model", "");
  CHECK(refusal(folder) == "spiece.model is not a SentencePiece model: it has no pieces.");
}

TEST_CASE("tokens of tokenizer_config.json are added to tokenizer.json's", "[tokenizers]") {
  const test::TemporaryDirectory folder;
  folder.write("tokenizer.json", byte_level().dump());
  const auto configure = [&](const json& config) { folder.write("tokenizer_config.json", config.dump()); };
  configure({{"added_tokens_decoder", {{"19", token("<m>")}}}});
  CHECK(ids_of(folder, "a<m>b") == Ids{4, 19, 5});
  configure({{"added_tokens_decoder", {{"20", token("<m>")}}}});
  CHECK(refusal(folder) ==
        "tokenizer_config.json: added_tokens_decoder gives \"<m>\" the id 20, but the next free id is 19; "
        "save the tokenizer as "
        "tokenizer.json.");
  json stripping = token("</s>");
  stripping["lstrip"] = true;
  configure({{"added_tokens_decoder", {{"2", stripping}}}});
  CHECK(ids_of(folder, "a </s>b") == Ids{4, 2, 5});
  configure({{"image_token", "<1>"},
             {"pad_token", "<m>"},
             {"bos_token", token("<2>")},
             {"additional_special_tokens", {"<a>"}}});
  CHECK(ids_of(folder, "<2><m><1><a>") == Ids{19, 20, 21, 22});
  CHECK(load_tokenizer(folder.path())->special_ids().pad == 20);
  folder.write("special_tokens_map.json", R"({"pad_token": "<e>"})");
  CHECK(ids_of(folder, "<2><e><1><a>") == Ids{19, 20, 21, 22});
  configure({{"pad_token", "ab"}});
  CHECK(ids_of(folder, "aabb<e>") == Ids{4, 6, 5, 19});
  configure({{"split_special_tokens", true}});
  CHECK(refusal(folder).starts_with("tokenizer_config.json: split_special_tokens is true"));
  configure({{"added_tokens_decoder", {{"x", token("<m>")}}}});
  CHECK(refusal(folder).find("added_tokens_decoder.x must be a token with an id") != std::string::npos);
}

TEST_CASE("settings of tokenizer_config.json go before those of tokenizer.json", "[tokenizers]") {
  const test::TemporaryDirectory folder;
  const auto configure = [&](const json& config) { folder.write("tokenizer_config.json", config.dump()); };
  folder.write("tokenizer.json", bert().dump());
  CHECK(ids_of(folder, "A a é") == Ids{3, 3, 6});
  configure({{"tokenizer_class", "BertTokenizer"}, {"do_lower_case", false}});
  CHECK(ids_of(folder, "A a é") == Ids{1, 4, 3, 5, 2});
  configure({{"tokenizer_class", "DistilBertTokenizerFast"}, {"strip_accents", false}});
  CHECK(ids_of(folder, "A a é") == Ids{1, 3, 3, 5, 2});
  configure({{"tokenizer_class", "PreTrainedTokenizerFast"}, {"do_lower_case", false}});
  CHECK(ids_of(folder, "A a é") == Ids{3, 3, 6});
  configure({{"tokenizer_class", "BertTokenizer"}, {"cls_token", "e"}, {"sep_token", "[SEP]"}});
  CHECK(ids_of(folder, "A") == Ids{6, 3, 2});
  configure({{"tokenizer_class", "BertTokenizer"}, {"unk_token", "a"}});
  CHECK(ids_of(folder, "x A") == Ids{1, 3, 3, 2});
  folder.write("tokenizer.json", byte_level().dump());
  configure({{"tokenizer_class", "GPT2Tokenizer"}, {"add_prefix_space", true}});
  CHECK(ids_of(folder, "ab") == Ids{7, 6});
  configure({{"tokenizer_class", "PreTrainedTokenizerFast"}, {"add_prefix_space", true}});
  CHECK(ids_of(folder, "ab") == Ids{6});
}

TEST_CASE("a class makes its stages itself, whatever tokenizer.json says", "[tokenizers]") {
  const test::TemporaryDirectory folder;
  const auto is_of = [&](const char* name, const char* type) {
    if (name == nullptr)
      std::filesystem::remove(folder / "tokenizer_config.json");
    else
      folder.write("tokenizer_config.json", *name == 0 ? "{}" : json{{"tokenizer_class", name}}.dump());
    folder.write("config.json", json{{"model_type", type}}.dump());
  };
  json file = byte_level();
  file["pre_tokenizer"] = {{"type", "Sequence"},
                           {"pretokenizers", json::array({{{"type", "Digits"}, {"individual_digits", true}},
                                                          file["pre_tokenizer"]})}};
  file["decoder"] = {{"type", "ByteLevel"}};
  folder.write("tokenizer.json", file.dump());
  const Ids single{8, 9, 6, 7, 8, 9}, joined{10, 6, 7, 10};
  const auto of_digits = [&](const char* name, const char* type) {
    is_of(name, type);
    return ids_of(folder, "12ab 12");
  };
  CHECK(of_digits("GPT2Tokenizer", "gpt2") == joined);
  CHECK(of_digits("", "gpt2") == joined);
  CHECK(of_digits(nullptr, "gpt2") == single);
  CHECK(of_digits("GPT2Tokenizer", "llama") == joined);
  CHECK(of_digits("PreTrainedTokenizerFast", "gpt2") == single);
  CHECK(of_digits("FooTokenizer", "gpt2") == single);
  CHECK(of_digits("LlamaTokenizerFast", "llama") == single);
  CHECK(of_digits("GPT2Tokenizer", "mistral") == single);
  CHECK(of_digits("LlamaTokenizerFast", "qwen2") == single);
  CHECK(of_digits("GPTNeoXTokenizer", "gpt_neox") == joined);
  file = bert();
  file["normalizer"]["lowercase"] = false;
  folder.write("tokenizer.json", file.dump());
  for (const char* name : {"BertTokenizer", ""}) {
    is_of(name, "bert");
    CHECK(ids_of(folder, "x A é") == Ids{1, 0, 3, 6, 2});
  }
  is_of(nullptr, "bert");
  CHECK(ids_of(folder, "x A é") == Ids{0, 4, 5});
}

TEST_CASE("Llama's class puts a space before a text that has none, its file before every part",
          "[tokenizers]") {
  const test::TemporaryDirectory folder;
  json tokens = json::array();
  for (const auto& [id, text] : {std::pair(0, "<unk>"), std::pair(1, "<s>"), std::pair(2, "</s>")})
    tokens.push_back({{"id", id}, {"content", text}, {"special", true}, {"normalized", false}});
  const json prepend{{"type", "Prepend"}, {"prepend", "▁"}},
      replace{{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "▁"}};
  const json model{
      {"type", "BPE"},
      {"unk_token", "<unk>"},
      {"vocab", {{"<unk>", 0}, {"<s>", 1}, {"</s>", 2}, {"▁", 3}, {"a", 4}, {"b", 5}, {"▁a", 6}, {"▁▁", 7}}},
      {"merges", json::array({"▁ a", "▁ ▁"})}};
  folder.write("tokenizer.json",
               json{{"added_tokens", tokens},
                    {"normalizer", {{"type", "Sequence"}, {"normalizers", json::array({prepend, replace})}}},
                    {"model", model}}
                   .dump());
  const auto ids = [&](const json& config, const char* type) {
    folder.write("tokenizer_config.json", config.dump());
    folder.write("config.json", json{{"model_type", type}}.dump());
    Ids all;
    for (const char* text : {"a a", " a", "  a", "a</s>a b"})
      for (const Id id : ids_of(folder, text)) all.push_back(id);
    return all;
  };
  const json llama{{"tokenizer_class", "LlamaTokenizer"}};
  const auto with = [&](const char* key, bool value) {
    json made = llama;
    made[key] = value;
    return made;
  };
  const Ids of_file{6, 6, 3, 6, 7, 6, 6, 2, 6, 3, 5};
  CHECK(ids(llama, "llama") == Ids{6, 6, 6, 3, 6, 6, 2, 4, 3, 5});
  CHECK(ids(with("legacy", true), "llama") == Ids{6, 6, 6, 3, 6, 6, 2, 6, 3, 5});
  CHECK(ids(with("add_prefix_space", false), "llama") == Ids{4, 6, 6, 3, 6, 4, 2, 4, 3, 5});
  CHECK(ids(json::object(), "llama") == of_file);
  CHECK(ids(llama, "mistral") == of_file);
  CHECK(ids({{"tokenizer_class", "CodeLlamaTokenizer"}}, "llama") ==
        Ids{1, 6, 6, 1, 6, 1, 3, 6, 1, 6, 2, 4, 3, 5});
  CHECK(ids({{"tokenizer_class", "GemmaTokenizer"}, {"unk_token", "<unk>"}}, "gemma2") ==
        Ids{4, 6, 6, 3, 6, 4, 2, 4, 3, 5});
}

TEST_CASE("a class that does not fit the file, or is a program, is refused by its name", "[tokenizers]") {
  const test::TemporaryDirectory folder;
  const auto refused = [&](const json& config, const char* type) {
    folder.write("tokenizer_config.json", config.dump());
    folder.write("config.json", json{{"model_type", type}}.dump());
    return refusal(folder);
  };
  folder.write("tokenizer.json", byte_level().dump());
  CHECK(refused({{"tokenizer_class", "BertTokenizer"}, {"do_lower_case", true}}, "gpt2") ==
        "tokenizer_config.json: tokenizer_class is \"BertTokenizer\", which cuts by a WordPiece model, and "
        "tokenizer.json holds a \"BPE\" model: which of the two is meant is not known.");
  CHECK(refused(json::object(), "t5")
            .starts_with("config.json: its tokenizer is that of \"t5\", which cuts by a Unigram"));
  for (const char* name :
       {"T5Tokenizer", "AlbertTokenizer", "MPNetTokenizerFast", "ByT5Tokenizer", "BertJapaneseTokenizer",
        "WhisperTokenizer", "CohereTokenizerFast", "HerbertTokenizer", "FNetTokenizer"}) {
    CAPTURE(name);
    CHECK(refused({{"tokenizer_class", name}}, "gpt2").find(fmt::format("tokenizer_class is \"{}\"", name)) !=
          std::string::npos);
  }
  const json own{{"tokenizer_class", "FooTokenizer"},
                 {"auto_map", {{"AutoTokenizer", {"foo.Foo", nullptr}}}}};
  CHECK(refused(own, "llama").find("a program in Python that comes with the model") != std::string::npos);
  CHECK(refused(own, "gpt2").empty());
  CHECK(refused({{"tokenizer_class", "RobertaTokenizer"}, {"cls_token", "<none>"}}, "roberta").empty());
  folder.write("tokenizer.json", bert().dump());
  CHECK(refused({{"tokenizer_class", "GPT2Tokenizer"}}, "gpt2").find("holds a \"WordPiece\" model") !=
        std::string::npos);
}

}  // namespace attnscope::tokenizer_folder_test
