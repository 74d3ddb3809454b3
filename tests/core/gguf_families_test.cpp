// GGUF files of further families: the committed models of transformers written as llama.cpp's conversion
// writes them give transformers' numbers.
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>

#include "core/files/formats/safetensors.hpp"
#include "core/gguf_samples.hpp"
#include "core/models/reading/gguf_model.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/transformers_goldens.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::gguf_families_test {
namespace {

namespace fs = std::filesystem;
using namespace gguf_samples;
using Catch::Matchers::ContainsSubstring;
using transformers_goldens::Golden;

const fs::path models = fs::path(ATTNSCOPE_TESTS) / "goldens/models";
constexpr int blocks = 2, heads = 4, kv_heads = 2, d_k = 4;

/// A committed model as a GGUF file.
class Conversion {
 public:
  Conversion(const std::string& name, std::string architecture)
      : from_(models / name / "model.safetensors"), architecture_(std::move(architecture)) {
    file_.value("general.architecture", STRING, text(architecture_));
    for (const auto& [key, value] :
         std::vector<std::pair<std::string_view, std::uint32_t>>{{"block_count", blocks},
                                                                 {"context_length", 20},
                                                                 {"attention.head_count", heads},
                                                                 {"attention.head_count_kv", kv_heads},
                                                                 {"attention.key_length", d_k},
                                                                 {"attention.value_length", d_k}})
      whole(key, value);
    number("attention.layer_norm_rms_epsilon", 3e-3f);
  }

  void whole(std::string_view key, std::uint32_t value) {
    file_.value(fmt::format("{}.{}", architecture_, key), U32, u32(value));
  }
  void number(std::string_view key, float value) {
    file_.value(fmt::format("{}.{}", architecture_, key), F32, le(value));
  }

  /// The tensors of a module, its bias if there is one. Rows of `turned` heads are put in the order of pairs.
  void module(const std::string& from, const std::string& to, int turned = 0) {
    for (const char* end : {".weight", ".bias"}) {
      if (from_.find(from + end) == nullptr) continue;
      const Tensor tensor = turned == 0 ? read(from + end) : in_pairs(read(from + end), turned);
      put(to + end, tensor);
    }
  }
  /// Those of every block.
  void of_blocks(const std::string& from, const std::string& to, int turned = 0) {
    for (int i = 0; i < blocks; ++i)
      module(fmt::format("model.layers.{}.{}", i, from), fmt::format("blk.{}.{}", i, to), turned);
  }
  /// The matrices of all experts of every block in one tensor.
  void experts(const std::string& from, const std::string& to, int count) {
    for (int i = 0; i < blocks; ++i) {
      std::string bytes;
      Shape one;
      for (int e = 0; e < count; ++e) {
        const Tensor tensor = read(fmt::format("model.layers.{}.{}", i, fmt::format(fmt::runtime(from), e)));
        one = tensor.shape();
        bytes += bytes_of(tensor);
      }
      file_.tensor(fmt::format("blk.{}.{}.weight", i, to),
                   {size(one, 1), size(one, 0), unsigned_count(count)}, ggml_f32, bytes);
    }
  }
  /// What Llama's names and their like share.
  void common() {
    module("model.embed_tokens", "token_embd");
    module("model.norm", "output_norm");
    module("lm_head", "output");
    of_blocks("input_layernorm", "attn_norm");
    of_blocks("self_attn.q_proj", "attn_q", heads);
    of_blocks("self_attn.k_proj", "attn_k", kv_heads);
    of_blocks("self_attn.v_proj", "attn_v");
    of_blocks("self_attn.o_proj", "attn_output");
    of_blocks("post_attention_layernorm", "ffn_norm");
  }

  void write(const fs::path& path) const { std::ofstream(path, std::ios::binary) << file_.bytes(); }

 private:
  static std::uint64_t unsigned_count(std::int64_t count) { return static_cast<std::uint64_t>(count); }
  static std::uint64_t size(const Shape& shape, int axis) { return unsigned_count(shape[axis]); }
  static std::string bytes_of(const Tensor& tensor) {
    return {reinterpret_cast<const char*>(tensor.data()), tensor.values().size_bytes()};
  }
  Tensor read(const std::string& name) const {
    CAPTURE(name);
    const TensorEntry* entry = from_.find(name);
    REQUIRE(entry != nullptr);
    return to_tensor<float>(*entry, from_.path());
  }
  /// Row i + s·d_k/2 of each head becomes row 2i + s.
  static Tensor in_pairs(const Tensor& w, int of_heads) {
    Tensor turned(w.shape());
    const std::int64_t width = w.size() / w.shape()[0];
    for (std::int64_t h = 0; h < of_heads; ++h)
      for (std::int64_t i = 0; i < d_k / 2; ++i)
        for (std::int64_t s = 0; s < 2; ++s)
          for (std::int64_t c = 0; c < width; ++c)
            turned.data()[(h * d_k + 2 * i + s) * width + c] =
                w.data()[(h * d_k + s * d_k / 2 + i) * width + c];
    return turned;
  }
  void put(const std::string& name, const Tensor& tensor) {
    const Shape& shape = tensor.shape();
    if (shape.rank() == 1)
      file_.tensor(name, {size(shape, 0)}, ggml_f32, bytes_of(tensor));
    else
      file_.tensor(name, {size(shape, 1), size(shape, 0)}, ggml_f32, bytes_of(tensor));
  }

  SafetensorsFile from_;
  std::string architecture_;
  GgufSample file_;
};

void check_golden(const fs::path& path, const std::string& name, std::string_view family) {
  ThreadPool pool(2);
  const Work work{pool, {}};
  const ModelPtr model = open_model(path);
  CHECK(model->spec.family == family);
  CHECK(model->ignored.empty());
  const SafetensorsFile file(models / name / "goldens.safetensors");
  const Golden golden(file, "batch.");
  const ModelRun run = run_model(*model, transformers_goldens::input_of(golden, 0), {}, work);
  transformers_goldens::Checks({*model, run, golden, 0, work}, 5e-6).all();
}

/// The header of a file of Gemma 3 without tensors.
ModelConfig gemma3(const fs::path& path, std::uint32_t count, const auto& add) {
  GgufSample file;
  file.value("general.architecture", STRING, text("gemma3"));
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, std::uint32_t>>{{"block_count", count},
                                                          {"embedding_length", 16},
                                                          {"feed_forward_length", 18},
                                                          {"context_length", 64},
                                                          {"attention.head_count", 4},
                                                          {"attention.head_count_kv", 2},
                                                          {"attention.key_length", 4},
                                                          {"attention.value_length", 4},
                                                          {"attention.sliding_window", 5}})
    file.value("gemma3." + key, U32, u32(value));
  file.value("gemma3.rope.freq_base", F32, le(500'000.0f));
  add(file);
  std::ofstream(path, std::ios::binary) << file.bytes();
  GgufTensors files(path);
  return read_gguf_config(files);
}

}  // namespace

TEST_CASE("a GGUF file of Granite: multipliers, biases, rows in the order of pairs", "[models][gguf]") {
  const test::TemporaryDirectory directory;
  const auto written = [&](bool scaled) {
    Conversion made("granite", "granite");
    made.whole("embedding_length", 16);
    made.whole("feed_forward_length", 18);
    made.number("rope.freq_base", 10'000);
    if (scaled) {
      made.number("embedding_scale", 1.7f);
      made.number("attention.scale", 0.8f);
      made.number("residual_scale", 0.6f);
      made.number("logit_scale", 2.5f);  // divides
    }
    made.common();
    made.of_blocks("mlp.gate_proj", "ffn_gate");
    made.of_blocks("mlp.up_proj", "ffn_up");
    made.of_blocks("mlp.down_proj", "ffn_down");
    made.write(directory / "granite.gguf");
    return directory / "granite.gguf";
  };
  check_golden(written(true), "granite", "Granite");
  const ModelSpec plain = open_model(written(false))->spec;
  CHECK(plain.embedding_scale == 1);
  CHECK(plain.logit_scale == 1);
  CHECK(plain.decoder->residual_scale == 1);
  CHECK(scale_of(plain.decoder->blocks[0]) == 0.5);
}

TEST_CASE("a GGUF file of Mixtral has Llama's architecture and experts in one tensor", "[models][gguf]") {
  const test::TemporaryDirectory directory;
  const auto written = [&](std::uint32_t chosen, bool dense) {
    Conversion made("mixtral", "llama");
    made.whole("embedding_length", 12);
    made.whole("feed_forward_length", 6);
    made.whole("expert_count", 4);
    made.whole("expert_used_count", chosen);
    made.whole("attention.sliding_window", 3);
    made.number("rope.freq_base", 30);
    if (dense) made.whole("leading_dense_block_count", 2);
    made.common();
    made.of_blocks("block_sparse_moe.gate", "ffn_gate_inp");
    made.experts("block_sparse_moe.experts.{}.w1.weight", "ffn_gate_exps", 4);
    made.experts("block_sparse_moe.experts.{}.w3.weight", "ffn_up_exps", 4);
    made.experts("block_sparse_moe.experts.{}.w2.weight", "ffn_down_exps", 4);
    made.write(directory / "mixtral.gguf");
    return directory / "mixtral.gguf";
  };
  check_golden(written(3, false), "mixtral", "Mixtral");
  CHECK_THROWS_WITH(open_model(written(5, false)), ContainsSubstring("expert_used_count"));
  CHECK_THROWS_WITH(open_model(written(0, false)), ContainsSubstring("expert_used_count"));
  CHECK_THROWS_WITH(open_model(written(3, true)), ContainsSubstring("leading_dense_block_count"));
}

TEST_CASE("a GGUF header of Gemma 3: every sixth block has no window, and rotary settings of its own",
          "[models][gguf]") {
  const test::TemporaryDirectory directory;
  const fs::path path = directory / "gemma3.gguf";
  const ModelSpec spec = gemma3(path, 13, [](GgufSample& file) {
                           file.value("gemma3.rope.scaling.type", STRING, text("linear"))
                               .value("gemma3.rope.scaling.factor", F32, le(8.0f));
                         }).spec;
  CHECK(spec.embedding_scale == 4);
  CHECK(spec.logit_cap == 0);
  for (std::size_t i = 0; i < 13; ++i) {
    CAPTURE(i);
    const LayerSpec& block = spec.decoder->blocks[i];
    const bool full = i == 5 || i == 11;
    CHECK(window_of(block) == (full ? 0 : 5));
    CHECK(rope_of(block).base == (full ? 500'000 : 10'000));
    CHECK(rope_of(block).scaling == (full ? RopeScaling::Linear : RopeScaling::None));
    CHECK(block.qk_norm.kind == QkNorm::Kind::RootMeanSquare);
    CHECK(block.soft_cap == 0);
    CHECK(scale_of(block) == 0.5);
  }
  const ModelSpec own = gemma3(path, 6, [](GgufSample& file) {
                          file.value("gemma3.rope.freq_base_swa", F32, le(700.0f))
                              .value("gemma3.attention.sliding_window_pattern", U32, u32(6));
                        }).spec;
  CHECK(rope_of(own.decoder->blocks[0]).base == 700);
  CHECK(rope_of(own.decoder->blocks[5]).base == 500'000);
  CHECK_THROWS_WITH(
      gemma3(path, 6,
             [](GgufSample& file) { file.value("gemma3.attention.sliding_window_pattern", U32, u32(4)); }),
      ContainsSubstring("sliding_window_pattern"));
}

}  // namespace attnscope::gguf_families_test
