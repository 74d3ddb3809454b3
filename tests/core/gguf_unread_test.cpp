// Settings and tensors of a GGUF file that would change the numbers and are not supported: refused by name,
// never ignored silently.
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>

#include "core/gguf_samples.hpp"
#include "core/models/reading/gguf_model.hpp"
#include "core/models/reading/open_model.hpp"
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

/// A key without the architecture's name, its type and the bytes of its value.
struct Entry {
  std::string key;
  std::uint32_t type;
  std::string bytes;
};
std::string yes() { return std::string(1, '\1'); }
std::string no() { return std::string(1, '\0'); }

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

TEST_CASE("what converters write into a GGUF header is read or harmless", "[models][gguf]") {
  const TemporaryDirectory directory;
  const auto check = [&](const std::string& architecture, const std::vector<Entry>& entries) {
    GgufSample file = header_of(architecture);
    for (const Entry& one : entries) {
      const bool elsewhere = one.key.starts_with("general.") || one.key.starts_with("tokenizer.") ||
                             one.key.starts_with("split.") || one.key.starts_with("quantize.");
      file.value(elsewhere ? one.key : architecture + "." + one.key, one.type, one.bytes);
    }
    write_file(directory / "m.gguf", file);
    CAPTURE(architecture);
    GgufTensors files(directory / "m.gguf");
    CHECK_NOTHROW(read_gguf_config(files));
  };
  const std::string labels = array(STRING, {text("yes"), text("no")});
  check("llama", {{"general.name", STRING, text("Smollm2 135M")},
                  {"general.file_type", U32, u32(3)},
                  {"general.languages", ARRAY, array(STRING, {text("en")})},
                  {"quantize.imatrix.entries_count", I32, u32(224)},
                  {"split.tensors.count", I32, u32(9)},
                  {"tokenizer.ggml.add_bos_token", BOOL, yes()},
                  {"vocab_size", U32, u32(49152)},
                  {"tensor_data_layout", STRING, text("Meta AI original pth")},
                  {"attention.head_count_kv", U32, u32(1)},
                  {"attention.layer_norm_rms_epsilon", F32, le(1e-5f)},
                  {"rope.freq_base", F32, le(100000.0f)},
                  {"rope.dimension_count", U32, u32(4)},
                  {"rope.scaling.finetuned", BOOL, yes()},
                  {"rope.scaling.type", STRING, text("linear")},
                  {"rope.scaling.factor", F32, le(8.0f)}});
  check("qwen2", {{"attention.causal", BOOL, no()},
                  {"pooling_type", U32, u32(1)},
                  {"attention.layer_norm_rms_epsilon", F32, le(1e-6f)},
                  {"rope.freq_base", F32, le(1e6f)}});
  check("qwen3", {{"attention.key_length", U32, u32(4)},
                  {"attention.value_length", U32, u32(4)},
                  {"classifier.output_labels", ARRAY, labels},
                  {"pooling_type", U32, u32(3)}});
  check("gemma2", {{"attention.sliding_window", U32, u32(4096)},
                   {"attn_logit_softcapping", F32, le(50.0f)},
                   {"final_logit_softcapping", F32, le(30.0f)},
                   {"attention.layer_norm_rms_epsilon", F32, le(1e-6f)}});
  check("gpt2", {{"attention.layer_norm_epsilon", F32, le(1e-5f)}});
}

TEST_CASE("a key of a GGUF header that is not known is refused, unless it is neutral", "[models][gguf]") {
  const TemporaryDirectory directory;
  const auto open_with = [&](const std::string& architecture, const std::vector<Entry>& entries) {
    GgufSample file = header_of(architecture);
    for (const Entry& one : entries) file.value(one.key, one.type, one.bytes);
    write_file(directory / "m.gguf", file);
    GgufTensors files(directory / "m.gguf");
    return read_gguf_config(files);
  };
  const auto refused = [&](const std::string& architecture, const std::vector<Entry>& entries,
                           const std::string& words) {
    CAPTURE(architecture, words);
    CHECK_THROWS_WITH(open_with(architecture, entries),
                      ContainsSubstring("m.gguf\": ") && ContainsSubstring(words));
  };
  for (const std::string architecture : {"llama", "qwen2", "qwen3", "gemma2", "gpt2"}) {
    const std::string key = architecture + ".attention.sharpness";
    const auto shown = [&](std::uint32_t type, const std::string& bytes, const std::string& value) {
      refused(architecture, {{key, type, bytes}},
              "\"" + key + "\" is " + value + ", which changes what is computed and is not known here.");
    };
    shown(F32, le(2.5f), "2.5");
    shown(U32, u32(1), "1");
    shown(U8, "\7", "7");
    shown(I64, le(std::int64_t{-3}), "-3");
    shown(BOOL, yes(), "true");
    shown(STRING, text("high"), "\"high\"");
    shown(ARRAY, array(I32, {u32(0), u32(4)}), "a list of 2 values");
    for (const Entry& neutral : std::vector<Entry>{{key, F32, le(0.0f)},
                                                   {key, U32, u32(0)},
                                                   {key, BOOL, no()},
                                                   {key, STRING, text("")},
                                                   {key, ARRAY, array(STRING, {})},
                                                   {key, ARRAY, array(F32, {le(0.0f), le(0.0f)})}}) {
      CAPTURE(architecture, neutral.type);
      CHECK_NOTHROW(open_with(architecture, {neutral}));
    }
    // Below another architecture's name, or anywhere else, it says nothing of this model.
    CHECK_NOTHROW(open_with(architecture, {{"mamba.attention.sharpness", F32, le(2.5f)},
                                           {"attention.sharpness", F32, le(2.5f)}}));
  }
  refused("llama", {{"llama.use_parallel_residual", BOOL, yes()}}, "llama.use_parallel_residual");
  refused("qwen2", {{"qwen2.rope.dimension_sections", ARRAY, array(I32, {u32(1), u32(1)})}},
          "qwen2.rope.dimension_sections");
  refused("qwen3", {{"qwen3.nextn_predict_layers", U32, u32(1)}}, "qwen3.nextn_predict_layers");
  refused("gpt2", {{"gpt2.rope.freq_base", F32, le(10000.0f)}}, "gpt2.rope.freq_base");
  // A factor of 1 is neutral; a slope of 1 is not.
  CHECK_NOTHROW(open_with("llama", {{"llama.residual_scale", F32, le(1.0f)}}));
  refused("llama", {{"llama.residual_scale", F32, le(0.5f)}}, "llama.residual_scale");
  refused("llama", {{"llama.attention.max_alibi_bias", F32, le(1.0f)}}, "llama.attention.max_alibi_bias");
}

TEST_CASE("the epsilon of another norm does not stand in for the one that a GGUF header lacks",
          "[models][gguf]") {
  const TemporaryDirectory directory;
  const auto open_with = [&](const std::string& architecture, const std::vector<std::string>& keys) {
    GgufSample file = header_of(architecture);
    for (const std::string& key : keys) file.value(architecture + "." + key, F32, le(1e-5f));
    write_file(directory / "m.gguf", file);
    GgufTensors files(directory / "m.gguf");
    return read_gguf_config(files);
  };
  const std::string layer = "attention.layer_norm_epsilon", rms = "attention.layer_norm_rms_epsilon";
  CHECK_NOTHROW(open_with("llama", {rms, layer}));
  CHECK_NOTHROW(open_with("gpt2", {layer, rms}));
  CHECK_THROWS_WITH(open_with("llama", {layer}), ContainsSubstring("llama." + layer));
  CHECK_THROWS_WITH(open_with("gpt2", {rms}), ContainsSubstring("gpt2." + rms));
}

TEST_CASE("YaRN's share of frequencies is refused without YaRN", "[models][gguf]") {
  const TemporaryDirectory directory;
  GgufSample file = header_of("llama");
  file.value("llama.rope.scaling.type", STRING, text("linear"))
      .value("llama.rope.scaling.factor", F32, le(4.0f));
  GgufSample mixed = file;
  write_file(directory / "m.gguf", file.value("llama.rope.scaling.yarn_ext_factor", F32, le(0.0f)));
  GgufTensors plain(directory / "m.gguf");
  CHECK_NOTHROW(read_gguf_config(plain));
  write_file(directory / "n.gguf", mixed.value("llama.rope.scaling.yarn_ext_factor", F32, le(1.0f)));
  GgufTensors files(directory / "n.gguf");
  CHECK_THROWS_WITH(read_gguf_config(files), ContainsSubstring("yarn_ext_factor is 1; 0 was expected."));
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

TEST_CASE("a tensor of a block of GGUF that nothing reads is refused by its name", "[models][gguf]") {
  const TemporaryDirectory directory;
  const std::vector<float> twos(8, 2.0f);
  for (const char* name : {"blk.0.attn_sinks.weight", "blk.0.attn_q_norm.weight", "blk.0.attn_output.bias",
                           "blk.0.ffn_gate_inp.weight", "blk.0.attn_q.scale", "blk.0.attn_norm.bias"}) {
    GgufSample more = small_llama();
    more.tensor(name, {8}, ggml_f32, {reinterpret_cast<const char*>(twos.data()), 8 * sizeof(float)});
    write_file(directory / "m.gguf", more);
    CHECK_THROWS_WITH(open_model(directory / "m.gguf"),
                      ContainsSubstring(fmt::format("has a tensor \"{}\", which a block of the family Llama "
                                                    "does not have",
                                                    name)));
  }
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
