// Settings and tensors of a GGUF file that would change the numbers and are not supported: refused by name,
// never ignored silently.
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/gguf_samples.hpp"
#include "core/models/gguf_model.hpp"
#include "core/models/model.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::gguf_unread_test {
namespace {

using namespace gguf_samples;
using Catch::Matchers::ContainsSubstring;
using test::TemporaryDirectory;

GgufSample header_of(const std::string& architecture) {
  GgufSample file;
  file.value("general.architecture", STRING, text(architecture));
  const auto whole = [&](const char* key, std::uint32_t value) {
    file.value(architecture + "." + key, U32, u32(value));
  };
  whole("block_count", 1);
  whole("embedding_length", 8);
  whole("feed_forward_length", 4);
  whole("context_length", 64);
  whole("attention.head_count", 2);
  return file;
}

void write_file(const std::filesystem::path& path, const GgufSample& file) {
  std::ofstream(path, std::ios::binary) << file.bytes();
}

/// A llama of one block, every weight 0.1.
GgufSample small_llama() {
  GgufSample file = header_of("llama");
  const auto add = [&](const std::string& name, std::uint64_t columns, std::uint64_t rows) {
    const std::vector<float> numbers(static_cast<std::size_t>(columns * rows), 0.1f);
    const std::string_view bytes(reinterpret_cast<const char*>(numbers.data()),
                                 numbers.size() * sizeof(float));
    if (rows == 1)
      file.tensor(name, {columns}, ggml_f32, bytes);
    else
      file.tensor(name, {columns, rows}, ggml_f32, bytes);
  };
  add("token_embd.weight", 8, 11);
  add("output_norm.weight", 8, 1);
  add("output.weight", 8, 11);
  for (const char* norm : {"attn_norm", "ffn_norm"}) add(std::string("blk.0.") + norm + ".weight", 8, 1);
  for (const char* map : {"attn_q", "attn_k", "attn_v", "attn_output"})
    add(std::string("blk.0.") + map + ".weight", 8, 8);
  for (const char* map : {"ffn_gate", "ffn_up"}) add(std::string("blk.0.") + map + ".weight", 8, 4);
  add("blk.0.ffn_down.weight", 4, 8);
  return file;
}

}  // namespace

TEST_CASE("a GGUF header that asks for what its family does not compute is refused by the key",
          "[models][gguf]") {
  const TemporaryDirectory directory;
  const auto open_header = [&](const GgufSample& file) {
    write_file(directory / "m.gguf", file);
    GgufTensors files(directory / "m.gguf");
    return read_gguf_config(files);
  };
  const auto refused = [&](GgufSample file, const std::string& key, std::uint32_t type,
                           const std::string& bytes) {
    file.value(key, type, bytes);
    CHECK_THROWS_WITH(open_header(file), ContainsSubstring(key));
  };
  for (const std::string architecture : {"llama", "qwen2"}) {
    const GgufSample plain = header_of(architecture);
    const auto key = [&](const char* name) { return architecture + "." + name; };
    CHECK_NOTHROW(open_header(plain));
    refused(plain, key("attn_logit_softcapping"), F32, le(30.0f));
    refused(plain, key("final_logit_softcapping"), F32, le(30.0f));
    refused(plain, key("attention.output_scale"), F32, le(2.0f));
    for (const char* limit : {"attention.clamp_kqv", "attention.max_alibi_bias"})
      refused(plain, key(limit), F32, le(1.0f));
    GgufSample windows = plain;
    windows.value(key("attention.sliding_window"), U32, u32(3));
    CHECK_NOTHROW(open_header(windows));
    refused(windows, key("attention.sliding_window_pattern"), U32, u32(2));
    refused(windows, key("rope.freq_base_swa"), F32, le(500.0f));
    // Without sliding windows neither setting matters.
    GgufSample whole = plain;
    whole.value(key("attention.sliding_window_pattern"), U32, u32(2))
        .value(key("rope.freq_base_swa"), F32, le(500.0f))
        .value(key("logit_scale"), F32, le(1.0f));
    CHECK_NOTHROW(open_header(whole));
  }
  GgufSample gemma = header_of("gemma2");
  gemma.value("gemma2.attn_logit_softcapping", F32, le(20.0f))
      .value("gemma2.final_logit_softcapping", F32, le(10.0f));
  GgufSample second = gemma;
  second.value("gemma2.attention.sliding_window_pattern", U32, u32(2));
  CHECK(open_header(second).spec.logit_cap == 10);
  refused(gemma, "gemma2.attention.sliding_window_pattern", U32, u32(6));
}

TEST_CASE("a GGUF file with more blocks than its header counts is refused", "[models][gguf]") {
  const TemporaryDirectory directory;
  GgufSample more = small_llama();
  const std::vector<float> twos(8, 2.0f);
  more.tensor("blk.1.attn_norm.weight", {8}, ggml_f32,
              {reinterpret_cast<const char*>(twos.data()), 8 * sizeof(float)});
  write_file(directory / "m.gguf", more);
  CHECK_THROWS_WITH(open_model(directory / "m.gguf"),
                    ContainsSubstring("holds more blocks than its block_count says, from \"blk.1\" on."));
}

TEST_CASE("a tensor beside the blocks that would change what comes out is refused by its name",
          "[models][gguf]") {
  const TemporaryDirectory directory;
  const GgufSample plain = small_llama();
  write_file(directory / "m.gguf", plain);
  CHECK_NOTHROW(open_model(directory / "m.gguf"));
  const std::vector<float> twos(8, 2.0f);
  for (const char* name :
       {"output.bias", "output_norm.bias", "token_embd_norm.weight", "position_embd.weight", "cls.weight",
        "output.scale", "dense_2.weight", "rope_factors_long.weight"}) {
    GgufSample more = plain;
    more.tensor(name, {8}, ggml_f32, {reinterpret_cast<const char*>(twos.data()), 8 * sizeof(float)});
    write_file(directory / "m.gguf", more);
    CHECK_THROWS_WITH(open_model(directory / "m.gguf"), ContainsSubstring(name));
  }
}

TEST_CASE("an adapter in a GGUF file is refused as one", "[models][gguf]") {
  const TemporaryDirectory directory;
  GgufSample file;
  file.value("general.architecture", STRING, text("llama")).value("general.type", STRING, text("adapter"));
  file.value("adapter.type", STRING, text("lora"));
  file.tensor("blk.0.attn_q.weight.lora_a", {8, 2}, ggml_f32, std::string(64, '\0'));
  write_file(directory / "m.gguf", file);
  CHECK_THROWS_WITH(open_model(directory / "m.gguf"),
                    ContainsSubstring("m.gguf\" holds an adapter (LoRA) for another model, not a model"));
}

}  // namespace attnscope::gguf_unread_test
