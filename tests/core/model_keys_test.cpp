// Keys of config.json and of GGUF headers that change a number: each is read with a value that is not its
// default.
#include <cmath>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>

#include "core/gguf_samples.hpp"
#include "core/models/config/config.hpp"
#include "core/models/reading/gguf_model.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::model_keys_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using namespace gguf_samples;

ModelConfig config(const std::string& type, const std::string& keys) {
  return read_config(fmt::format(R"({{"model_type": "{}"{}{}}})", type, keys.empty() ? "" : ", ", keys),
                     "config.json");
}
void refused(const std::string& type, const std::string& keys, const std::string& words) {
  CAPTURE(type, keys);
  CHECK_THROWS_WITH(config(type, keys), ContainsSubstring("config.json") && ContainsSubstring(words));
}

/// The header of a GGUF file with a few sizes and what `add` adds to them.
ModelConfig gguf(const std::string& architecture, const std::function<void(GgufSample&)>& add) {
  const test::TemporaryDirectory directory;
  GgufSample file;
  file.value("general.architecture", STRING, text(architecture));
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::uint32_t>>{
           {"embedding_length", 16}, {"feed_forward_length", 4}, {"context_length", 64}})
    file.value(architecture + "." + key, U32, u32(value));
  add(file);
  std::ofstream(directory / "m.gguf", std::ios::binary) << file.bytes();
  GgufTensors files(directory / "m.gguf");
  return read_gguf_config(files);
}
void heads_and_blocks(GgufSample& file, const std::string& architecture, std::uint32_t heads,
                      std::uint32_t blocks) {
  file.value(architecture + ".attention.head_count", U32, u32(heads));
  file.value(architecture + ".block_count", U32, u32(blocks));
}

}  // namespace

TEST_CASE("each number of a scaling of rotary positions is read", "[models]") {
  const auto rope = [](const std::string& scaling) {
    return rope_of(config("llama", R"("max_position_embeddings": 64, "rope_scaling": {)" + scaling + "}")
                       .spec.decoder->blocks[0]);
  };
  const RopeSettings llama3 = rope(R"("rope_type": "llama3", "factor": 8, "low_freq_factor": 2,
      "high_freq_factor": 5, "original_max_position_embeddings": 16)");
  CHECK(llama3.scaling == RopeScaling::Llama3);
  CHECK(llama3.factor == 8);
  CHECK(llama3.low_frequency == 2);
  CHECK(llama3.high_frequency == 5);
  CHECK(llama3.trained_positions == 16);
  const RopeSettings yarn = rope(R"("type": "yarn", "factor": 4, "beta_fast": 16, "beta_slow": 2,
      "truncate": false, "attention_factor": 1.25, "mscale": 2, "mscale_all_dim": 1)");
  CHECK(yarn.fast == 16);
  CHECK(yarn.slow == 2);
  CHECK_FALSE(yarn.truncate);
  CHECK(yarn.magnitude == 1.25);  // it comes before the two others
  CHECK(yarn.trained_positions == 64);
  const RopeSettings plain = rope(R"("type": "yarn", "factor": 4)");
  CHECK(plain.fast == 32);
  CHECK(plain.slow == 1);
  CHECK(plain.truncate);
  CHECK_FALSE(plain.magnitude);
  // One of the two magnitudes alone, or 0, has no effect; without growth both are 1.
  CHECK_FALSE(rope(R"("type": "yarn", "factor": 4, "mscale": 2)").magnitude);
  CHECK_FALSE(rope(R"("type": "yarn", "factor": 4, "mscale": 2, "mscale_all_dim": 0)").magnitude);
  CHECK(rope(R"("type": "yarn", "factor": 0.5, "mscale": 2, "mscale_all_dim": 1)").magnitude == 1.0);
  refused("llama", R"("head_dim": 2, "rope_scaling": {"type": "dynamic", "factor": 2})",
          "at least four dimensions");
}

TEST_CASE("T5: a decoder whose buckets would end before they begin to widen is refused", "[models]") {
  const std::string narrow = R"("relative_attention_num_buckets": 32, "relative_attention_max_distance": 16)";
  refused("t5", narrow, "relative_attention_max_distance: it is 16; more than 16");
  CHECK_NOTHROW(config("t5", narrow + R"(, "architectures": ["T5EncoderModel"])"));
}

TEST_CASE("T5: two depths, buckets, the scale of the logits and where decoding begins", "[models]") {
  const ModelSpec t5 = config("t5", R"("num_layers": 3, "num_decoder_layers": 5, "d_model": 64,
      "relative_attention_num_buckets": 16, "relative_attention_max_distance": 40, "decoder_start_token_id": 7)")
                           .spec;
  CHECK(t5.encoder->blocks.size() == 3);
  CHECK(t5.decoder->blocks.size() == 5);
  CHECK(t5.encoder->blocks[0].position_settings.buckets == 16);
  CHECK(t5.decoder->blocks[0].position_settings.bucket_distance == 40);
  CHECK(t5.decoder_start == 7);
  CHECK(t5.decoder->causal());
  CHECK(t5.decoder->cross);
  CHECK_FALSE(t5.encoder->causal());
  CHECK(t5.logit_scale == 0.125);  // tied, of a width of 64
  CHECK(config("t5", R"("d_model": 64, "scale_decoder_outputs": false)").spec.logit_scale == 1);
  CHECK(config("t5", R"("d_model": 64, "tie_word_embeddings": false, "scale_decoder_outputs": true)")
            .spec.logit_scale == 0.125);
  refused("t5", R"("relative_attention_max_distance": 8)", "relative_attention_max_distance");
}

TEST_CASE("tokens that begin, end and pad a text", "[models]") {
  const ModelSpec llama =
      config("llama", R"("bos_token_id": [5, 6], "eos_token_id": [7, 9], "pad_token_id": 3)").spec;
  CHECK(llama.begin_id == 5);
  CHECK(llama.end_ids == std::vector<std::int64_t>{7, 9});
  CHECK(config("llama", R"("eos_token_id": 4)").spec.end_ids == std::vector<std::int64_t>{4});
  CHECK(config("llama", R"("eos_token_id": null)").spec.end_ids.empty());
  refused("llama", R"("eos_token_id": "</s>")", "a token's number or a list of such");
  const std::string classify = R"("architectures": ["LlamaForSequenceClassification"])";
  CHECK(config("llama", classify + R"(, "pad_token_id": [3, 4])").spec.head.padding_id == 3);
  CHECK_FALSE(config("llama", classify).spec.head.padding_id);
  const ModelSpec roberta = config("roberta", R"("pad_token_id": 4, "type_vocab_size": 3)").spec;
  CHECK(roberta.padding_id == 4);
  CHECK(roberta.first_position == 5);
  CHECK(roberta.token_types == 3);
}

TEST_CASE("sizes of pictures and patches, one number or two", "[models]") {
  const ImageSpec image =
      *config("vit", R"("image_size": [48, 64], "patch_size": [8, 8], "num_channels": 1)").spec.image;
  CHECK(image.height == 48);
  CHECK(image.width == 64);
  CHECK(image.patch == 8);
  CHECK(image.channels == 1);
  const ImageSpec square = *config("vit", R"("image_size": 32)").spec.image;
  CHECK(square.height == 32);
  CHECK(square.width == 32);
  CHECK(square.patch == 16);
  refused("vit", R"("patch_size": [8, 16])", "square patches were expected");
  refused("vit", R"("image_size": [32, 32, 32])", "one or two whole numbers from 16 to");
  refused("vit", R"("image_size": [32, 8])", "image_size");
  refused("vit", R"("pooler_output_size": 5)", "pooler_output_size");
}

TEST_CASE("windows of Gemma 2 and Qwen as layer_types has them", "[models]") {
  const ModelSpec gemma = config("gemma2", R"("num_hidden_layers": 3, "sliding_window": 6,
      "layer_types": ["full_attention", "sliding_attention", "full_attention"])")
                              .spec;
  CHECK(window_of(gemma.decoder->blocks[0]) == 0);
  CHECK(window_of(gemma.decoder->blocks[1]) == 6);
  CHECK(window_of(gemma.decoder->blocks[2]) == 0);
  refused("qwen3", R"("num_hidden_layers": 1, "layer_types": ["sliding_attention"], "sliding_window": 6)",
          "use_sliding_window turns them off");
  // A window as long as the longest text masks nothing.
  CHECK_NOTHROW(config("llama", R"("max_position_embeddings": 64, "sliding_window": 64)"));
  refused("llama", R"("max_position_embeddings": 64, "sliding_window": 63)", "sliding_window");
}

TEST_CASE("biases, scales and residuals that only some files ask for", "[models]") {
  CHECK(config("llama", R"("attention_bias": true)").attention_bias);
  CHECK_FALSE(config("llama", "").attention_bias);
  CHECK(config("vit", "").attention_bias);
  CHECK_FALSE(config("vit", R"("qkv_bias": false)").attention_bias);
  CHECK(config("llama", R"("mlp_bias": true)").mlp_bias);
  CHECK(config("bloom", R"("apply_residual_connection_post_layernorm": true)")
            .spec.decoder->residual_after_norm);
  CHECK(config("gpt_neox", R"("use_parallel_residual": false)").spec.decoder->arrangement() ==
        Arrangement::PreNorm);
  CHECK(config("gpt_neox", "").spec.decoder->arrangement() == Arrangement::Parallel);
  const ModelSpec gemma = config("gemma2", R"("query_pre_attn_scalar": 64, "hidden_size": 256)").spec;
  CHECK(scale_of(gemma.decoder->blocks[0]) == 0.125);
  CHECK(gemma.embedding_scale == 16);
  const ModelSpec gpt2 = config("gpt2", R"("scale_attn_by_inverse_layer_idx": true)").spec;
  CHECK(scale_of(gpt2.decoder->blocks[0]) == 0.125);
  CHECK(scale_of(gpt2.decoder->blocks[3]) == 0.125 / 4);
  CHECK(scale_of(config("gpt2", R"("scale_attn_weights": false)").spec.decoder->blocks[0]) == 1);
  CHECK_NOTHROW(config("llama", R"("position_embedding_type": "rope")"));
  CHECK_NOTHROW(config("bloom", R"("position_embedding_type": "alibi")"));
  refused("llama", R"("position_embedding_type": "alibi")", "position_embedding_type");
  CHECK_NOTHROW(config(
      "llama", R"("compression_config": {"quant_method": "compressed-tensors", "format": "int-quantized"})"));
  refused("llama", R"("compression_config": {"quant_method": "compressed-tensors", "format": "marlin-24"})",
          "compressed-tensors");
}

TEST_CASE("heads of a GGUF file: how many, how wide, and how their scores are scaled", "[models][gguf]") {
  const ModelConfig shared = gguf("qwen2", [](GgufSample& file) {
    heads_and_blocks(file, "qwen2", 4, 2);
    file.value("qwen2.attention.head_count_kv", U32, u32(2))
        .value("qwen2.attention.key_length", U32, u32(16));
  });
  const LayerSpec& block = shared.spec.decoder->blocks[1];
  CHECK(block.heads == 4);
  CHECK(block.kv_heads == 2);
  CHECK(block.d_k == 16);
  CHECK(scale_of(block) == 0.25);
  const auto refused_gguf = [](const char* key, std::uint32_t value, const std::string& words) {
    CAPTURE(key);
    CHECK_THROWS_WITH(gguf("llama",
                           [&](GgufSample& file) {
                             heads_and_blocks(file, "llama", std::string(key) == "llama.embedding" ? 3 : 4,
                                              2);
                             file.value(key, U32, u32(value));
                           }),
                      ContainsSubstring("m.gguf") && ContainsSubstring(words));
  };
  refused_gguf("llama.attention.head_count_kv", 3, "3, which cannot be shared by 4 heads");
  refused_gguf("llama.attention.value_length", 5, "not the width of keys, which is 4");
  refused_gguf("llama.embedding", 0, "3, which cannot share a width of 16");
  // Only Gemma 2 27B, which has 46 blocks, divides by √(width / heads).
  const auto scale = [](std::uint32_t blocks) {
    const ModelConfig made = gguf("gemma2", [&](GgufSample& file) {
      heads_and_blocks(file, "gemma2", 4, blocks);
      file.value("gemma2.attention.key_length", U32, u32(16));
    });
    return scale_of(made.spec.decoder->blocks[0]);
  };
  CHECK(scale(46) == 0.5);
  CHECK(scale(42) == 0.25);
}

TEST_CASE("what a GGUF header leaves out is its family's default, and what it says counts",
          "[models][gguf]") {
  const ModelConfig usual = gguf("gemma2", [](GgufSample& file) { heads_and_blocks(file, "gemma2", 4, 2); });
  CHECK(window_of(usual.spec.decoder->blocks[0]) == 4096);
  CHECK(window_of(usual.spec.decoder->blocks[1]) == 0);
  CHECK(usual.spec.decoder->blocks[0].soft_cap == 50);
  CHECK(usual.spec.logit_cap == 30);
  CHECK(usual.spec.embedding_scale == 4);
  CHECK(usual.spec.tied);
  CHECK_FALSE(usual.spec.begin_id);
  const ModelConfig said = gguf("gemma2", [](GgufSample& file) {
    heads_and_blocks(file, "gemma2", 4, 2);
    file.value("gemma2.attn_logit_softcapping", F32, le(20.0f))
        .value("gemma2.final_logit_softcapping", F32, le(9.0f))
        .value("gemma2.attention.layer_norm_rms_epsilon", F32, le(0.5f))
        .value("gemma2.rope.freq_base", F32, le(500.0f))
        .value("gemma2.rope.dimension_count", U32, u32(2))
        .tensor("token_embd.weight", {16, 3}, ggml_f32, std::string(16 * 3 * 4, '\0'))
        .value("tokenizer.ggml.bos_token_id", U32, u32(2))
        .value("tokenizer.ggml.eos_token_id", U32, u32(1));
  });
  const StackSpec& stack = *said.spec.decoder;
  CHECK(stack.blocks[0].soft_cap == 20);
  CHECK(said.spec.logit_cap == 9);
  CHECK(stack.norm().epsilon == 0.5);
  CHECK(rope_of(stack.blocks[0]).base == 500);
  CHECK(rope_of(stack.blocks[0]).rotated == 2);
  CHECK(stack.positions() == Positions::RopeHalf);
  CHECK(said.spec.vocabulary == 3);
  CHECK(said.spec.begin_id == 2);
  CHECK(said.spec.end_ids == std::vector<std::int64_t>{1});
  // An id that is no token means that there is none.
  const ModelConfig none = gguf("llama", [](GgufSample& file) {
    heads_and_blocks(file, "llama", 4, 2);
    file.tensor("token_embd.weight", {16, 3}, ggml_f32, std::string(16 * 3 * 4, '\0'))
        .value("tokenizer.ggml.bos_token_id", U32, u32(3))
        .value("tokenizer.ggml.eos_token_id", I32, u32(0xFFFFFFFF))
        .value("llama.attention.sliding_window", U32, u32(5));
  });
  CHECK_FALSE(none.spec.begin_id);
  CHECK(none.spec.end_ids.empty());
  CHECK(none.spec.decoder->positions() ==
        Positions::RopeInterleaved);  // rows of its queries and keys are in the order of pairs
  CHECK(window_of(none.spec.decoder->blocks[0]) == 5);
  CHECK(window_of(none.spec.decoder->blocks[1]) == 5);
}

TEST_CASE("YaRN in a GGUF header", "[models][gguf]") {
  const auto yarn = [](const std::function<void(GgufSample&)>& add) {
    const ModelConfig made = gguf("llama", [&](GgufSample& file) {
      heads_and_blocks(file, "llama", 4, 2);
      file.value("llama.rope.scaling.type", STRING, text("yarn"))
          .value("llama.rope.scaling.factor", F32, le(4.0f));
      add(file);
    });
    return rope_of(made.spec.decoder->blocks[0]);
  };
  const RopeSettings usual = yarn([](GgufSample&) {});
  CHECK(usual.trained_positions == 64);
  CHECK(usual.fast == 32);
  CHECK(usual.slow == 1);
  const RopeSettings said =
      yarn([](GgufSample& file) { file.value("llama.rope.scaling.original_context_length", U32, u32(16)); });
  CHECK(said.trained_positions == 16);
  CHECK_THROWS_WITH(
      yarn([](GgufSample& file) { file.value("llama.rope.scaling.yarn_ext_factor", F32, le(0.5f)); }),
      ContainsSubstring("yarn_ext_factor is 0.5; 1 was expected"));
  CHECK_THROWS_WITH(yarn([](GgufSample& file) { file.value("llama.rope.freq_base", F32, le(0.0f)); }),
                    ContainsSubstring("rope.freq_base is 0; a number above 0 was expected"));
}

}  // namespace attnscope::model_keys_test
