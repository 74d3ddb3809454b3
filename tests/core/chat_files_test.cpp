// Sources of chats and their templates: files of messages, a model's folder, a GGUF file.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/files/model/model_files.hpp"
#include "core/gguf_samples.hpp"
#include "core/tokenizers/chat/chat_template.hpp"
#include "core/tokenizers/read/chat_format.hpp"
#include "core/tokenizers/read/load_tokenizer.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::chat_files_test {
namespace {

using namespace attnscope::tokenizers;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using nlohmann::json;
using test::message_of;
using test::TemporaryDirectory;

std::string read_refusal(const std::string& text) {
  const std::string message = message_of<Error>([&] { read_chat(text, "chat.json"); });
  CHECK(test::is_sentence(message));
  CHECK_THAT(message, StartsWith("chat.json: "));
  return message;
}

/// A tokenizer with the bytes of the texts below, which puts <s> in front.
void write_tokenizer(const TemporaryDirectory& folder) {
  const json vocabulary{{"<s>", 0}, {"</s>", 1}, {"a", 2}, {"b", 3}, {"ab", 4}, {"|", 5}};
  folder.write(
      "tokenizer.json",
      json{{"added_tokens", json::array({{{"id", 0}, {"content", "<s>"}, {"special", true}},
                                         {{"id", 1}, {"content", "</s>"}, {"special", true}}})},
           {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}},
           {"post_processor",
            {{"type", "TemplateProcessing"},
             {"single", json::array({{{"SpecialToken", {{"id", "<s>"}, {"type_id", 0}}}},
                                     {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}})},
             {"pair", json::array({{{"Sequence", {{"id", "A"}, {"type_id", 0}}}},
                                   {{"Sequence", {{"id", "B"}, {"type_id", 0}}}}})},
             {"special_tokens",
              {{"<s>", {{"id", "<s>"}, {"ids", json::array({0})}, {"tokens", json::array({"<s>"})}}}}}}},
           {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", json::array({"a b"})}}}}
          .dump());
}

ChatFormat loaded(const TemporaryDirectory& folder) {
  ModelFiles files(folder.path());
  return load_chat_format(files, *load_tokenizer(files));
}

}  // namespace

TEST_CASE("messages are read as libraries write them", "[tokenizers][chat]") {
  const std::vector<ChatMessage> list =
      read_chat(R"([{"role": "user", "content": "Hi", "name": "Ann", "tool_calls": null}])", "chat.json");
  REQUIRE(list.size() == 1);
  CHECK(list[0].role == "user");
  CHECK(list[0].content == "Hi");
  CHECK(list[0].others == std::vector<std::pair<std::string, std::string>>{{"name", "Ann"}});
  CHECK(read_chat(R"({"messages": [{"role": "a", "content": ""}]})", "chat.json").size() == 1);
  CHECK_THAT(read_refusal("[]"), ContainsSubstring("a list of messages was expected"));
  CHECK_THAT(read_refusal(R"({"messages": [], "model": "m"})"),
             ContainsSubstring("a list of messages was expected"));
  CHECK_THAT(read_refusal(R"(["Hi"])"), ContainsSubstring("message 1 is"));
  CHECK_THAT(read_refusal(R"([{"role": "user"}])"), ContainsSubstring("message 1 has no content"));
  CHECK_THAT(read_refusal(R"([{"role": "user", "content": [{"type": "text"}]}])"),
             ContainsSubstring("message 1 has content as "));
}

TEST_CASE("chat templates are found where models keep them", "[tokenizers][chat]") {
  const TemporaryDirectory folder;
  write_tokenizer(folder);
  CHECK(loaded(folder).templates.empty());
  CHECK_THAT(message_of<Error>([&] { loaded(folder).of(""); }), StartsWith("The model has no chat template"));

  folder.write("chat_template.json", R"({"chat_template": "json"})");
  CHECK(loaded(folder).of("").source == "json");
  folder.write("tokenizer_config.json",
               R"({"chat_template": "config", "bos_token": "<s>", "eos_token": {"content": "</s>"}})");
  CHECK(loaded(folder).of("").source == "config");
  CHECK(loaded(folder).of("default").where == "tokenizer_config.json");
  CHECK(loaded(folder).special_tokens ==
        std::vector<std::pair<std::string, std::string>>{{"bos_token", "<s>"}, {"eos_token", "</s>"}});
  folder.write(
      "tokenizer_config.json",
      R"({"chat_template": [{"name": "default", "template": "d"}, {"name": "rag", "template": "r"}]})");
  CHECK(loaded(folder).of("").source == "d");
  CHECK(loaded(folder).of("rag").source == "r");
  CHECK(message_of<Error>([&] { loaded(folder).of("tool_use"); }) ==
        "The model has no chat template called \"tool_use\"; it has \"default\", \"rag\".");
  folder.write("tokenizer_config.json", R"({"chat_template": 3})");
  CHECK_THAT(message_of<Error>([&] { loaded(folder); }),
             StartsWith("tokenizer_config.json: chat_template must be"));
  folder.write("chat_template.jinja", "jinja");
  std::filesystem::create_directory(folder / "additional_chat_templates");
  folder.write("additional_chat_templates/rag.jinja", "more");
  CHECK(loaded(folder).of("").source == "jinja");
  CHECK(loaded(folder).of("rag").source == "more");
}

TEST_CASE("a chat template is told the special tokens that transformers' class has", "[tokenizers][chat]") {
  const TemporaryDirectory folder;
  write_tokenizer(folder);
  using Tokens = std::vector<std::pair<std::string, std::string>>;
  const auto tokens = [&](const char* type, const json& config) {
    folder.write("config.json", json{{"model_type", type}}.dump());
    folder.write("tokenizer_config.json", config.dump());
    return loaded(folder).special_tokens;
  };
  const std::string end = "<|endoftext|>";
  CHECK(tokens("gpt2", json::object()) == Tokens{{"bos_token", end}, {"eos_token", end}, {"unk_token", end}});
  CHECK(tokens("gpt2", {{"bos_token", nullptr}, {"eos_token", "|"}}) ==
        Tokens{{"eos_token", "|"}, {"unk_token", end}});
  CHECK(tokens("qwen2", json::object()) ==
        Tokens{{"eos_token", end}, {"unk_token", end}, {"pad_token", end}});
  // With a byte-level file of a Llama the class adds no default tokens.
  CHECK(tokens("llama", {{"tokenizer_class", "LlamaTokenizer"}}).empty());
  CHECK(tokens("llama", {{"tokenizer_class", "PreTrainedTokenizerFast"},
                         {"eos_token", "</s>"},
                         {"image_token", "<image>"},
                         {"audio_token", {{"content", "<audio>"}}},
                         {"extra_special_tokens", {{"video_token", "<video>"}}}}) ==
        Tokens{{"eos_token", "</s>"},
               {"audio_token", "<audio>"},
               {"image_token", "<image>"},
               {"video_token", "<video>"}});
  CHECK(load_tokenizer(folder.path())->id("<audio>") != no_id);
}

TEST_CASE("a GGUF file has a chat template in its metadata", "[tokenizers][chat][gguf]") {
  using namespace gguf_samples;
  const TemporaryDirectory folder;
  GgufSample file;
  file.value("tokenizer.ggml.model", STRING, text("gpt2")).value("tokenizer.ggml.pre", STRING, text("gpt-2"));
  file.value("tokenizer.ggml.tokens", ARRAY, array(STRING, {text("<s>"), text("a")}));
  file.value("tokenizer.ggml.token_type", ARRAY, array(I32, {u32(3), u32(1)}));
  file.value("tokenizer.ggml.merges", ARRAY, array(STRING, {}));
  file.value("tokenizer.ggml.bos_token_id", U32, u32(0));
  file.value("tokenizer.chat_template", STRING, text("{{ bos_token }}a"));
  file.value("tokenizer.chat_templates", ARRAY, array(STRING, {text("rag")}));
  file.value("tokenizer.chat_template.rag", STRING, text("r"));
  ModelFiles files(folder.write("m.gguf", file.bytes()));
  const ChatFormat format = load_chat_format(files, *load_tokenizer(files));
  CHECK(format.of("").where == "m.gguf, tokenizer.chat_template");
  CHECK(format.of("rag").source == "r");
  CHECK(render_chat(format, format.of(""), {.messages = {{"a", "a"}}}).text == "<s>a");
}

TEST_CASE("a rendered chat begins with one token of its own", "[tokenizers][chat]") {
  const TemporaryDirectory folder;
  write_tokenizer(folder);
  const auto tokenizer = load_tokenizer(folder.path());
  const ChatFormat format{.templates = {{"default", "{{ bos_token }}{{ messages[0].content }}|{# user #}",
                                         "chat_template.jinja"}},
                          .special_tokens = {{"bos_token", "<s>"}}};
  const std::string text = render_chat(format, format.of(""), {.messages = {{"user", "ab"}}}).text;
  CHECK(tokenizer->encode(text, {.add_special_tokens = false}).ids() == std::vector<Id>{0, 4, 5});
}

}  // namespace attnscope::chat_files_test
