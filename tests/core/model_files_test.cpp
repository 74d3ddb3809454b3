// The files of a model while it is opened: each is opened once, for the weights, the tokenizer, the chat
// templates and the facts.
#include "core/files/model/model_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/formats/posix.hpp"
#include "core/gguf_samples.hpp"
#include "core/models/opened/opened_model.hpp"
#include "support/small_folders.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::model_files_test {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using Names = std::vector<std::string>;
using test::TemporaryDirectory;

struct Opening {
  OpenedModelPtr model;
  Names files;  // each as often as it was opened, sorted
};
Opening opening_of(const fs::path& path) {
  const OpenedFiles opened;
  Opening made{open_whole_model(path), {}};
  for (const fs::path& file : opened.paths()) made.files.push_back(file.filename().native());
  std::ranges::sort(made.files);
  return made;
}

/// Llama with one block, 4 wide, with three tokens and a chat template. Two parts: the last with all of its
/// norms.
gguf_samples::GgufSample llama(int part = 0, int parts = 1) {
  using namespace gguf_samples;
  GgufSample file;
  if (parts > 1)
    file.value("split.no", U16, le(static_cast<std::uint16_t>(part)))
        .value("split.count", U16, le(static_cast<std::uint16_t>(parts)));
  const std::string zeros(4 * 4 * sizeof(float), '\0');
  const auto norm = [&](const char* name) { file.tensor(name, {4}, ggml_f32, zeros.substr(0, 16)); };
  if (part + 1 == parts)
    for (const char* name : {"output_norm.weight", "blk.0.attn_norm.weight", "blk.0.ffn_norm.weight"})
      norm(name);
  if (part > 0) return file;
  file.value("general.architecture", STRING, text("llama"));
  for (const char* key : {"embedding_length", "feed_forward_length", "context_length"})
    file.value(fmt::format("llama.{}", key), U32, u32(4));
  for (const char* key : {"block_count", "attention.head_count"})
    file.value(fmt::format("llama.{}", key), U32, u32(1));
  file.value("tokenizer.ggml.model", STRING, text("gpt2")).value("tokenizer.ggml.pre", STRING, text("gpt-2"));
  file.value("tokenizer.ggml.tokens", ARRAY, array(STRING, {text("<s>"), text("a"), text("b")}));
  file.value("tokenizer.ggml.token_type", ARRAY, array(I32, {u32(3), u32(1), u32(1)}));
  file.value("tokenizer.ggml.merges", ARRAY, array(STRING, {}));
  file.value("tokenizer.ggml.bos_token_id", U32, u32(0));
  file.value("tokenizer.chat_template", STRING, text("{{ messages[0].content }}"));
  for (const char* name : {"token_embd.weight", "output.weight"})
    file.tensor(name, {4, 3}, ggml_f32, zeros.substr(0, 48));
  for (const char* name : {"attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"})
    file.tensor(fmt::format("blk.0.{}.weight", name), {4, 4}, ggml_f32, zeros);
  return file;
}

}  // namespace

TEST_CASE("each file of a folder is opened once for a model", "[models]") {
  const TemporaryDirectory directory;
  write_small_bert(directory / "bert");
  std::ofstream(directory / "bert/tokenizer_config.json")
      << R"({"tokenizer_class": "BertTokenizer", "chat_template": "{{ messages[0].content }}"})";
  std::ofstream(directory / "bert/special_tokens_map.json") << R"({"mask_token": "[MASK]"})";
  const Opening bert = opening_of(directory / "bert");
  CHECK(bert.files == Names{"config.json", "model.safetensors", "special_tokens_map.json",
                            "tokenizer_config.json", "vocab.txt"});
  CHECK(bert.model->no_chat.empty());

  write_small_t5(directory / "t5");
  CHECK(opening_of(directory / "t5").files == Names{"config.json", "model.safetensors", "tokenizer.json"});

  write_small_vit(directory / "vit");
  std::ofstream(directory / "vit/preprocessor_config.json") << R"({"size": {"height": 8, "width": 8}})";
  CHECK(opening_of(directory / "vit").files ==
        Names{"config.json", "model.safetensors", "preprocessor_config.json"});
}

TEST_CASE("each part of a model's weights is opened once", "[models]") {
  const TemporaryDirectory directory;
  write_small_bert(directory / "whole");
  write_small_bert(directory / "part");
  const std::string part = "model-00001-of-00001.safetensors", index = "model.safetensors.index.json";
  fs::rename(directory / "part/model.safetensors", directory / "part" / part);
  const std::string name = SafetensorsFile(directory / "part" / part).tensors()[0].name;
  std::ofstream(directory / "part" / index) << fmt::format(R"({{"weight_map": {{"{}": "{}"}}}})", name, part);
  const Opening whole = opening_of(directory / "whole"), parts = opening_of(directory / "part");
  CHECK(parts.files == Names{"config.json", part, index, "vocab.txt"});
  CHECK(parts.model->bytes == fs::file_size(directory / "part" / part));
  CHECK(parts.model->fingerprint == whole.model->fingerprint);  // the weights are the same
}

TEST_CASE("a GGUF file is opened once for a model", "[models][gguf]") {
  const TemporaryDirectory directory;
  const fs::path path = directory.write("m.gguf", llama().bytes());
  const Opening one = opening_of(path);
  CHECK(one.files == Names{"m.gguf"});
  CHECK_FALSE(one.model->reads_numbers);
  CHECK(one.model->no_chat.empty());
  CHECK(one.model->bytes == fs::file_size(path));
}

TEST_CASE("a later part of a split GGUF file has the tokenizer of the first", "[models][gguf]") {
  const TemporaryDirectory directory;
  const Names names{"m-00001-of-00002.gguf", "m-00002-of-00002.gguf"};
  for (int part = 0; part < 2; ++part)
    directory.write(names[static_cast<std::size_t>(part)], llama(part, 2).bytes());
  for (const std::string& name : names) {
    INFO(name);
    const Opening opening = opening_of(directory / name);
    CHECK(opening.files == names);
    CHECK_FALSE(opening.model->reads_numbers);
    CHECK(opening.model->no_chat.empty());
  }
}

TEST_CASE("a model's file is read again after an error", "[models]") {
  const TemporaryDirectory directory;
  ModelFiles files(directory.path());
  CHECK_FALSE(files.is_gguf());
  CHECK_THROWS_WITH(files.text("a.json", 10), ContainsSubstring("a.json"));
  directory.write("a.json", "{\"a\": }");
  CHECK_THROWS_WITH(files.text("a.json", 5), ContainsSubstring("is too long: 7 bytes, expected at most 5"));
  CHECK_THROWS_WITH(files.json("a.json", 10), ContainsSubstring("a.json") && !ContainsSubstring("/"));
  CHECK_THROWS_WITH(files.text("a.json", 5), ContainsSubstring("is too long: 7 bytes, expected at most 5"));
  CHECK_THROWS_AS(files.tensors("a.json"), Error);
  CHECK(files.opened_tensors().empty());
}

}  // namespace attnscope::model_files_test
