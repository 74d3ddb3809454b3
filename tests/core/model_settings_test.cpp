// Settings of config.json and GGUF headers besides sizes: each one that changes a number is read as by
// transformers 5.24 or llama.cpp, or is refused by name.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>

#include "core/models/config/config.hpp"

namespace attnscope::model_settings_test {
namespace {

using Catch::Matchers::ContainsSubstring;

/// A config of the type with these keys.
ModelConfig config(const std::string& type, const std::string& keys) {
  return read_config(fmt::format(R"({{"model_type": "{}"{}{}}})", type, keys.empty() ? "" : ", ", keys),
                     "config.json");
}
const StackSpec& decoder(const ModelConfig& config) { return *config.spec.decoder; }

void refused(const std::string& type, const std::string& keys, const std::string& name) {
  CAPTURE(type, keys);
  CHECK_THROWS_WITH(config(type, keys), ContainsSubstring("config.json") && ContainsSubstring(name));
}

}  // namespace

TEST_CASE("other spellings of a key count, and two that differ are refused", "[models]") {
  const ModelConfig gpt2 = config(
      "gpt2",
      R"("hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "max_position_embeddings": 64)");
  CHECK(gpt2.spec.d_model == 32);
  CHECK(gpt2.spec.d_inner == 128);
  CHECK(gpt2.spec.max_positions == 64);
  CHECK(decoder(gpt2).blocks.size() == 2);
  CHECK(decoder(gpt2).blocks[0].heads == 4);
  const ModelConfig bloom =
      config("bloom", R"("n_embed": 64, "num_hidden_layers": 3, "num_attention_heads": 4)");
  CHECK(bloom.spec.d_model == 64);
  CHECK(decoder(bloom).blocks.size() == 3);
  CHECK(decoder(bloom).blocks[0].heads == 4);
  const ModelConfig t5 =
      config("t5", R"("hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 2, "head_dim": 24)");
  CHECK(t5.spec.d_model == 32);
  CHECK(t5.spec.encoder->blocks.size() == 3);
  CHECK(t5.spec.encoder->blocks[0].d_k == 24);
  const ModelConfig distilbert =
      config("distilbert", R"("hidden_size": 32, "num_hidden_layers": 2, "n_heads": 2)");
  CHECK(distilbert.spec.d_model == 32);
  CHECK(distilbert.spec.encoder->blocks.size() == 2);
  CHECK(config("gpt2", R"("n_embd": 32, "hidden_size": 32, "n_head": 4)").spec.d_model == 32);
  refused("gpt2", R"("n_embd": 32, "hidden_size": 64)", "another spelling");
}

TEST_CASE("what a config leaves out is its family's default", "[models]") {
  const ModelConfig mistral = config("mistral", "");
  CHECK(mistral.spec.family == "Mistral");
  CHECK(mistral.spec.d_inner == 14'336);
  CHECK(decoder(mistral).blocks[0].kv_heads == 8);
  CHECK(window_of(decoder(mistral).blocks[0]) == 4096);
  CHECK(decoder(config("mistral", R"("num_key_value_heads": null)")).blocks[0].kv_heads == 32);
  CHECK(decoder(config("qwen3", "")).blocks[0].d_k == 128);
  CHECK(decoder(config("gemma2", "")).blocks[0].d_k == 256);
  CHECK(decoder(config("gemma2", "")).blocks[0].kv_heads == 4);
  CHECK(rope_of(decoder(config("gpt_neox", "")).blocks[0]).rotated == 24);  // a quarter of 96
  CHECK(config("bert", "").spec.vocabulary == 30'522);
  CHECK(config("t5", "").spec.encoder->blocks[0].d_k == 64);
}

TEST_CASE("a decoder that is not causal, an encoder that is", "[models]") {
  CHECK(decoder(config("llama", "")).causal());
  CHECK_FALSE(decoder(config("llama", R"("is_causal": false)")).causal());
  CHECK_FALSE(decoder(config("gpt2", R"("is_causal": false)")).causal());
  // The window's own width on both sides: one more than with the mask, where the query's own key counts.
  const ModelConfig window = config("mistral", R"("is_causal": false, "sliding_window": 4)");
  CHECK(window_of(decoder(window).blocks[0]) == 5);
  refused("bloom", R"("is_causal": false)", "is_causal");
  for (const std::string type : {"bert", "roberta"}) {
    const ModelConfig told = config(type, R"("is_decoder": true, "architectures": ["BertLMHeadModel"])");
    REQUIRE(told.spec.decoder);
    CHECK_FALSE(told.spec.encoder);
    CHECK(told.spec.decoder->causal());
    CHECK(config(type, R"("is_decoder": false)").spec.encoder);
  }
  CHECK(config("bert", R"("is_decoder": true, "architectures": ["BertLMHeadModel"])").spec.head.kind ==
        HeadKind::NextToken);
  CHECK(config("bert", R"("architectures": ["BertLMHeadModel"])").spec.head.kind == HeadKind::MaskedToken);
  CHECK(config("roberta", R"("is_decoder": true, "architectures": ["RobertaForCausalLM"])").spec.head.kind ==
        HeadKind::NextToken);
  refused("distilbert", R"("is_decoder": true)", "is_decoder");
  refused("gemma2", R"("use_bidirectional_attention": true)", "use_bidirectional_attention");
}

TEST_CASE("rotary positions: which object counts, and what it says", "[models]") {
  const auto rope = [](const std::string& keys, const std::string& type = "llama") {
    return rope_of(decoder(config(type, keys)).blocks[0]);
  };
  const RopeSettings both = rope(R"("rope_parameters": {"rope_theta": 10000, "rope_type": "default"},
              "rope_scaling": {"type": "linear", "factor": 4})");
  CHECK(both.scaling == RopeScaling::Linear);
  CHECK(both.factor == 4);
  CHECK(rope(R"("rope_parameters": {"rope_theta": 7}, "rope_scaling": {})").base == 7);
  refused("llama",
          R"("rope_parameters": {"rope_theta": 500000}, "rope_scaling": {"type": "linear", "factor": 4})",
          "rope_parameters");
  CHECK(rope(R"("rope_parameters": {"rope_theta": 500000}, "rope_theta": 500000,
                "rope_scaling": {"type": "linear", "factor": 4})")
            .base == 500'000);
  const RopeSettings dynamic = rope(R"("max_position_embeddings": 64, "rope_scaling": {"type": "dynamic",
      "factor": 2, "original_max_position_embeddings": 16})");
  CHECK(dynamic.trained_positions == 64);
  const RopeSettings yarn = rope(R"("max_position_embeddings": 64, "original_max_position_embeddings": 16,
      "rope_parameters": {"rope_type": "yarn", "factor": null, "original_max_position_embeddings": 32})");
  CHECK(yarn.trained_positions == 16);
  CHECK(yarn.factor == 4);
  // The two magnitudes, not their inverse.
  const RopeSettings scaled = rope(R"("rope_parameters": {"rope_type": "yarn", "factor": 4, "mscale": 2,
      "mscale_all_dim": 1, "original_max_position_embeddings": 32})");
  REQUIRE(scaled.magnitude);
  // Settings are floats.
  CHECK(std::abs(*scaled.magnitude - (0.2 * std::log(4.0) + 1) / (0.1 * std::log(4.0) + 1)) < 1e-7);
  CHECK(rope(R"("hidden_size": 64, "num_attention_heads": 2, "rotary_pct": 0.5)", "gpt_neox").rotated == 16);
  CHECK(rope(R"("rotary_emb_base": 77)", "gpt_neox").base == 77);
  refused("llama", R"("rope_scaling": {"type": "linear"})", "factor");
  refused("llama", R"("rope_scaling": {"type": "linear", "factor": 2, "mrope_section": [1, 2]})",
          "mrope_section");
  refused("llama", R"("rope_parameters": {"full_attention": {"rope_theta": 3}})", "full_attention");
  refused("llama", R"("partial_rotary_factor": 0.5)", "partial_rotary_factor");
}

TEST_CASE("settings of other families and programs are refused where they would count", "[models]") {
  const std::vector<std::pair<std::string, std::string>> llama{
      {R"("attn_logit_softcapping": 2)", "attn_logit_softcapping"},
      {R"("final_logit_softcapping": 2)", "final_logit_softcapping"},
      {R"("query_pre_attn_scalar": 2)", "query_pre_attn_scalar"},
      {R"("scale_attn_weights": false)", "scale_attn_weights"},
      {R"("scale_attn_by_inverse_layer_idx": true)", "scale_attn_by_inverse_layer_idx"},
      {R"("sliding_window": 8)", "sliding_window"},
      {R"("layer_types": ["sliding_attention"])", "layer_types"},
      {R"("num_local_experts": 8)", "num_local_experts"},
      {R"("embedding_multiplier": 12.0)", "embedding_multiplier"},
      {R"("residual_multiplier": 0.2)", "residual_multiplier"},
      {R"("pruned_heads": {"0": [1]})", "pruned_heads"},
      {R"("clip_qkv": 8.0)", "clip_qkv"},
      {R"("use_parallel_residual": true)", "use_parallel_residual"},
      {R"("architectures": ["LlamaForRewards"])", "LlamaForRewards"},
      {R"("quantization": {"bits": 4})", "quantization"},
  };
  for (const auto& [keys, name] : llama) refused("llama", keys, name);
  for (const std::string method : {"hqq", "aqlm", "fbgemm_fp8", "torchao"})
    refused("llama", fmt::format(R"("quantization_config": {{"quant_method": "{}"}})", method), method);
  for (const std::string method : {"gptq", "awq", "fp8", "bitsandbytes"})
    refused("gpt2", fmt::format(R"("quantization_config": {{"quant_method": "{}"}})", method), method);
  refused("gpt2", R"("head_dim": 3)", "head_dim");
  refused("gpt2", R"("num_key_value_heads": 3)", "num_key_value_heads");
  refused("bert", R"("position_embedding_type": "relative_key_query")", "position_embedding_type");
  refused("vit", R"("pooler_act": "relu")", "pooler_act");
  refused("mistral", R"("layer_types": ["full_attention"])", "layer_types");
  refused("gpt2", R"("architectures": ["GPT2ForMultipleChoice"])", "GPT2ForMultipleChoice");
  refused("t5", R"("architectures": ["T5ForTokenClassification"])", "T5ForTokenClassification");
}

TEST_CASE("the same settings where they say what is computed anyway", "[models]") {
  for (const std::string keys :
       {R"("attn_logit_softcapping": null)", R"("scale_attn_weights": true)", R"("num_local_experts": 0)",
        R"("embedding_multiplier": 1.0)", R"("pruned_heads": {})",
        R"("use_sliding_window": false, "sliding_window": 8)", R"("quantization_config": {})",
        R"("layer_types": ["full_attention"])", R"("is_causal": true)",
        R"("quantization_config": {"quant_method": "bitsandbytes", "load_in_8bit": true})"}) {
    CAPTURE(keys);
    CHECK_NOTHROW(config("llama", keys));
  }
  CHECK_NOTHROW(config("gpt2", R"("head_dim": 64, "num_key_value_heads": 12, "add_cross_attention": true)"));
  CHECK_NOTHROW(config("bert", R"("position_embedding_type": "absolute")"));
  CHECK_NOTHROW(config("mistral", R"("num_hidden_layers": 1, "layer_types": ["sliding_attention"])"));
}

TEST_CASE("T5's saved activation, and its encoder alone", "[models]") {
  const ModelConfig said =
      config("t5", R"("feed_forward_proj": "relu", "dense_act_fn": "silu", "is_gated_act": true)");
  CHECK(said.spec.encoder->blocks[0].block.activation == Activation::Silu);
  CHECK(said.spec.encoder->blocks[0].block.gated);
  const ModelConfig alone = config("t5", R"("architectures": ["T5EncoderModel"])");
  CHECK(alone.spec.encoder);
  CHECK_FALSE(alone.spec.decoder);
}

TEST_CASE("names of classes are no reason to refuse weights", "[models]") {
  const auto classes = [](const std::string& names) {
    return config("bert", R"("architectures": ["BertForTokenClassification"], "id2label": )" + names)
        .spec.head.classes;
  };
  CHECK(classes(R"({"0": "a", "1": "b"})") == std::vector<std::string>{"a", "b"});
  CHECK(classes(R"({"0": "a", "3": "d"})") == std::vector<std::string>{"a", "", "", "d"});
  CHECK(classes(R"({"0": 0, "1": 1})") == std::vector<std::string>{"0", "1"});
  CHECK(classes(R"(["x", "y"])") == std::vector<std::string>{"x", "y"});
  CHECK(classes(R"({"one": "a", "-1": "b"})").empty());
  CHECK(classes("7").empty());
}

TEST_CASE("a decoder within a model of pictures and text", "[models]") {
  const ModelConfig inner = read_config(
      R"({"model_type": "mistral3", "text_config": {"model_type": "mistral", "hidden_size": 64,
          "num_attention_heads": 4, "num_key_value_heads": 2}})",
      "config.json");
  CHECK(inner.within);
  CHECK(inner.spec.d_model == 64);
  CHECK(inner.spec.tied);
  for (const std::string text :
       {R"({"model_type": "qwen9_vl", "text_config": {"model_type": "qwen2_vl_text"}})",
        R"({"model_type": "mllama", "text_config": {"model_type": "llama"}})",
        R"({"model_type": "llava", "text_config": {}})", R"({"model_type": "llava", "text_config": 3})"})
    CHECK_THROWS_WITH(read_config(text, "config.json"), ContainsSubstring("text_config"));
}

TEST_CASE("NaN and Infinity as Python writes them", "[models]") {
  const ModelConfig odd = config(
      "llama", R"("a": NaN, "b": -Infinity, "c": [Infinity, "NaN and \"Infinity"], "hidden_size": 64)");
  CHECK(odd.spec.d_model == 64);
  refused("llama", R"("rms_norm_eps": NaN)", "rms_norm_eps is \"NaN\"");
  refused("llama", R"("hidden_size": Infinity)", "hidden_size");
  CHECK_THROWS_WITH(config("llama", "\n\"a\": Nan"), ContainsSubstring("line 2, column 6"));
}

}  // namespace attnscope::model_settings_test
