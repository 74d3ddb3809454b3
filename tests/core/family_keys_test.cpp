// Keys of config.json that only some families have: windows and kinds of layers, experts, multipliers,
// LongRope; and what changes a model into one that is not computed is refused.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>

#include "core/models/config/config.hpp"

namespace attnscope::family_keys_test {
namespace {

using Catch::Matchers::ContainsSubstring;

ModelConfig config(const std::string& type, const std::string& keys) {
  return read_config(fmt::format(R"({{"model_type": "{}"{}{}}})", type, keys.empty() ? "" : ", ", keys),
                     "config.json");
}
void refused(const std::string& type, const std::string& keys, const std::string& words) {
  CAPTURE(type, keys);
  CHECK_THROWS_WITH(config(type, keys), ContainsSubstring("config.json") && ContainsSubstring(words));
}

using Windows = std::vector<std::int64_t>;
Windows windows_of(const std::string& type, const std::string& keys) {
  Windows windows;
  for (const LayerSpec& block : config(type, keys).spec.decoder->blocks) windows.push_back(window_of(block));
  return windows;
}

/// For each block whether it has rotary positions.
std::vector<bool> turned(const ModelSpec& spec) {
  std::vector<bool> all;
  for (const LayerSpec& block : spec.decoder->blocks) all.push_back(is_rotary(block.positions));
  return all;
}

std::vector<int> mixtures_of(const std::string& type, const std::string& keys) {
  const ModelSpec spec = config(type, keys).spec;
  std::vector<int> all;
  for (std::size_t i = 0; i < spec.decoder->blocks.size(); ++i)
    all.push_back(spec.decoder->is_mixture(i) ? 1 : 0);
  return all;
}

}  // namespace

TEST_CASE("keys that make another model of a further family are refused", "[models]") {
  refused("falcon", R"("alibi": true)", "alibi: it is true");
  refused("falcon", R"("parallel_attn": false)", "parallel_attn");
  for (const char* key : {"do_layer_norm_before", "enable_bias", "layer_norm_elementwise_affine"})
    refused("opt", fmt::format(R"("{}": false)", key), key);
  refused("opt", R"("_remove_final_layer_norm": true)", "_remove_final_layer_norm");
  refused("opt", R"("hidden_size": 1024, "num_attention_heads": 16, "word_embed_proj_dim": 512)",
          "word_embed_proj_dim");
  CHECK_NOTHROW(config("opt", R"("word_embed_proj_dim": 768, "enable_bias": true)"));
  refused("roformer", R"("rotary_value": true)", "rotary_value");
  refused("roformer", R"("embedding_size": 128)", "embedding_size");
  refused("gpt_oss", R"("swiglu_limit": 5.0)", "swiglu_limit");
  refused("gpt_oss", R"("swiglu_alpha": 1.5)", "swiglu_alpha");
  CHECK_NOTHROW(config("gpt_oss", R"("swiglu_limit": 7, "swiglu_alpha": 1.702)"));
  refused("modernbert", R"("norm_bias": true)", "norm_bias");
  refused("modernbert", R"("architectures": ["ModernBertForMaskedLM"], "is_causal": true)", "is_causal");
  for (const char* key : {"rotary_emb_interleaved", "prenorm", "parallel_block", "use_rms_norm", "causal",
                          "qkv_proj_bias", "mlp_fc1_bias", "mlp_fc2_bias"})
    refused("nomic_bert", fmt::format(R"("{}": true)", key), key);
  refused("nomic_bert", R"("rotary_emb_scale_base": 512)", "rotary_emb_scale_base");
  refused("gptj", R"("rotary_dim": 7)", "rotary_dim");
  refused("gptj", R"("rotary_dim": 258)", "rotary_dim");
  for (const char* type : {"olmo", "olmoe"}) refused(type, R"("clip_qkv": 8.0)", "clip_qkv");
  for (const char* type : {"phi", "stablelm"}) refused(type, R"("qk_layernorm": true)", "qk_layernorm");
  refused("cohere", R"("use_qk_norm": true)", "use_qk_norm");
  // Multipliers of Granite in another family.
  for (const char* key :
       {"embedding_multiplier", "attention_multiplier", "residual_multiplier", "logits_scaling"})
    refused("llama", fmt::format(R"("{}": 2.0)", key), key);
  refused("granite", R"("logits_scaling": 0)", "logits_scaling");
}

TEST_CASE("which blocks have windows, as lists, patterns and defaults say", "[models]") {
  const std::string four = R"("num_hidden_layers": 4, "sliding_window": 6)";
  CHECK(windows_of("olmo3", four) == Windows{6, 6, 6, 0});
  CHECK(windows_of("cohere2", four) == Windows{6, 6, 6, 0});
  CHECK(windows_of("cohere2", four + R"(, "sliding_window_pattern": 2)") == Windows{6, 0, 6, 0});
  CHECK(windows_of("gemma3_text", four) == Windows{6, 6, 6, 6});
  CHECK(windows_of("gemma3_text", four + R"(, "sliding_window_pattern": 3)") == Windows{6, 6, 0, 6});
  CHECK(windows_of("gemma3_text", four + R"(, "_sliding_window_pattern": 2)") == Windows{6, 0, 6, 0});
  CHECK(windows_of("exaone4", four) == Windows{6, 6, 6, 0});
  CHECK(windows_of("exaone4", four + R"(, "sliding_window_pattern": "LG")") == Windows{6, 0, 6, 0});
  CHECK(windows_of("exaone4", R"("num_hidden_layers": 2, "sliding_window": null)") == Windows{0, 0});
  CHECK(windows_of("gpt_oss", four) == Windows{6, 0, 6, 0});
  CHECK(windows_of("ministral", four) == Windows{6, 6, 6, 6});
  CHECK(windows_of("mixtral", R"("num_hidden_layers": 2, "sliding_window": null)") == Windows{0, 0});
  CHECK(windows_of("mixtral", R"("num_hidden_layers": 2)") == Windows{0, 0});
  CHECK(windows_of("starcoder2", four) == Windows{6, 6, 6, 6});
  CHECK(windows_of("phi3", four) == Windows{6, 6, 6, 6});
  for (const char* key : {R"("L")", R"("LLGL")", R"("GLLL")", R"("")", "0", "1.5"})
    refused("exaone4", four + fmt::format(R"(, "sliding_window_pattern": {})", key),
            "sliding_window_pattern");
  const std::string two = R"("num_hidden_layers": 2, "sliding_window": 6, "layer_types": )";
  for (const char* type :
       {"olmo3", "cohere2", "gemma3_text", "exaone4", "gpt_oss", "ministral", "gemma2", "qwen3_moe"}) {
    CAPTURE(type);
    const std::string on = type == std::string("qwen3_moe") ? R"("use_sliding_window": true, )" : "";
    CHECK(windows_of(type, on + two + R"(["full_attention", "sliding_attention"])") == Windows{0, 6});
    refused(type, on + two + R"(["full_attention"])", "layer_types");
    refused(type, on + two + R"(["full_attention", "full_attention", "full_attention"])", "layer_types");
    refused(type, on + two + R"(["full_attention", "linear_attention"])", "layer_types");
    refused(type, on + two + R"(["full_attention", 1])", "layer_types");
    refused(type, on + two + R"("full_attention")", "layer_types");
  }
  refused("qwen3_moe", R"("use_sliding_window": true, "sliding_window": 6)", "use_sliding_window");
  refused("modernbert", R"("num_hidden_layers": 1, "layer_types": ["local"])", "layer_types");
}

TEST_CASE("blocks without a window have no positions, or rotary ones of their own", "[models]") {
  const std::string four = R"("num_hidden_layers": 4, "sliding_window": 6)";
  for (const char* type : {"cohere2", "exaone4"})
    CHECK(turned(config(type, four).spec) == std::vector<bool>{true, true, true, false});
  CHECK(turned(config("exaone4", R"("num_hidden_layers": 2, "sliding_window": null)").spec) ==
        std::vector<bool>{true, true});
  CHECK(turned(config("olmo3", four).spec) == std::vector<bool>(4, true));
  const auto base = [](const ModelSpec& spec, std::size_t block) {
    return rope_of(spec.decoder->blocks[block]).base;
  };
  const std::string types =
      R"("num_hidden_layers": 2, "layer_types": ["sliding_attention", "full_attention"])";
  const ModelSpec usual = config("gemma3_text", types).spec;
  CHECK(base(usual, 0) == 10'000);
  CHECK(base(usual, 1) == 1'000'000);
  const ModelSpec older = config("gemma3_text", types + R"(, "rope_theta": 70, "rope_local_base_freq": 30,
        "rope_scaling": {"rope_type": "linear", "factor": 8})")
                              .spec;
  CHECK(base(older, 0) == 30);
  CHECK(rope_of(older.decoder->blocks[0]).scaling == RopeScaling::None);
  CHECK(base(older, 1) == 70);
  CHECK(rope_of(older.decoder->blocks[1]).scaling == RopeScaling::Linear);
  const ModelSpec olmo = config("olmo3", types + R"(, "rope_theta": 70, "max_position_embeddings": 64,
        "rope_scaling": {"rope_type": "yarn", "factor": 8, "original_max_position_embeddings": 8})")
                             .spec;
  CHECK(base(olmo, 0) == 70);
  CHECK(rope_of(olmo.decoder->blocks[0]).scaling == RopeScaling::None);
  CHECK(rope_of(olmo.decoder->blocks[1]).scaling == RopeScaling::Yarn);
  // A width counts the keys on both sides.
  const ModelSpec both =
      config("gemma3_text", types + R"(, "sliding_window": 7, "use_bidirectional_attention": true)").spec;
  CHECK_FALSE(both.decoder->causal());
  CHECK(both.decoder->blocks[0].masking.window.left == 3);
  CHECK(both.decoder->blocks[0].masking.window.right == 3);
}

TEST_CASE("blocks without a window turn in no model of Cohere 2, in EXAONE 4 if no window has a width",
          "[models]") {
  const std::string full = R"("num_hidden_layers": 2, "layer_types": ["full_attention", "full_attention"])";
  CHECK(turned(config("cohere2", full).spec) == std::vector<bool>{false, false});
  CHECK(turned(config("exaone4", full + R"(, "sliding_window": 6)").spec) == std::vector<bool>{false, false});
  CHECK(turned(config("exaone4", full).spec) == std::vector<bool>{false, false});
  CHECK(turned(config("exaone4", full + R"(, "sliding_window": null)").spec) ==
        std::vector<bool>{true, true});
}

TEST_CASE("defaults and settings of rotary positions that kinds of blocks do not share", "[models]") {
  const auto base = [](const std::string& type, const std::string& keys) {
    return rope_of(config(type, keys).spec.decoder->blocks[0]).base;
  };
  CHECK(base("cohere2", "") == 10'000);
  CHECK(base("cohere", "") == 500'000);
  // Blocks with a window do not have the base of the others: without settings of their own they have the
  // usual one.
  const std::string kinds = R"("num_hidden_layers": 2, "layer_types": ["sliding_attention", "full_attention"],
      "rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 50)";
  CHECK(base("olmo3", kinds + "}}") == 500'000);
  CHECK(base("olmo3", kinds + R"(}}, "rope_theta": 40)") == 40);
  refused("olmo3", kinds + R"(, "partial_rotary_factor": 0.5}})", "partial_rotary_factor");
  const RopeSettings oss = rope_of(config("gpt_oss", "").spec.decoder->blocks[0]);
  CHECK(oss.base == 150'000);
  CHECK(oss.scaling == RopeScaling::Yarn);
  CHECK(oss.factor == 32);
  CHECK(oss.trained_positions == 4096);
  CHECK_FALSE(oss.truncate);
}

TEST_CASE("settings that transformers has and does not use", "[models]") {
  CHECK(config("gemma3_text", R"("attn_logit_softcapping": 3.0)").spec.decoder->blocks[0].soft_cap == 0);
  // MPNet has 32 buckets of distances, whatever this key says.
  refused("mpnet", R"("relative_attention_num_buckets": 64)", "relative_attention_num_buckets");
  CHECK_NOTHROW(config("mpnet", R"("relative_attention_num_buckets": 32)"));
}

TEST_CASE("GPT-Neo: which blocks have a window", "[models]") {
  const auto keys = [](const std::string& types) {
    return R"("num_layers": 3, "window_size": 5, "attention_types": )" + types;
  };
  CHECK(windows_of("gpt_neo", keys(R"([[["global", "local"], 1], [["local"], 1]])")) == Windows{0, 5, 5});
  CHECK(windows_of("gpt_neo", keys(R"([[["local"], 3]])")) == Windows{5, 5, 5});
  CHECK(windows_of("gpt_neo", R"("num_layers": 3, "window_size": 5)") == Windows{0, 5, 0});
  for (const char* types :
       {R"([[["global"], 2]])", R"([[["global"], 4]])", R"([[["global", "local"], 2]])", R"([[["all"], 3]])",
        R"([[["global"], -3]])", R"([[["global"], 3.0]])", R"([["global", 3]])", R"([[["global"], 3, 1]])",
        R"({"global": 3})", R"("global")", R"([[[1], 3]])", R"([[["global"], 18446744073709551615]])", "[]"})
    refused("gpt_neo", keys(types), "attention_types");
}

TEST_CASE("experts: how many, how wide, and in which blocks", "[models]") {
  const ExpertSettings mixtral =
      *config("mixtral", R"("num_local_experts": 6, "num_experts_per_tok": 3, "intermediate_size": 20)")
           .spec.decoder->experts;
  CHECK(mixtral.experts == 6);
  CHECK(mixtral.chosen == 3);
  CHECK(mixtral.d_inner == 20);
  CHECK(mixtral.normalised);
  CHECK(mixtral.d_shared == 0);
  const ExpertSettings qwen =
      *config("qwen2_moe", R"("num_experts": 6, "num_experts_per_tok": 3, "moe_intermediate_size": 20,
        "shared_expert_intermediate_size": 30, "norm_topk_prob": true)")
           .spec.decoder->experts;
  CHECK(qwen.experts == 6);
  CHECK(qwen.d_inner == 20);
  CHECK(qwen.d_shared == 30);
  CHECK(qwen.shared_gated);
  CHECK(qwen.normalised);
  CHECK_FALSE(config("qwen3_moe", "").spec.decoder->experts->normalised);
  CHECK(config("qwen3_moe", R"("num_local_experts": 9)").spec.decoder->experts->experts == 9);
  const ExpertSettings oss = *config("gpt_oss", R"("experts_per_token": 2)").spec.decoder->experts;
  CHECK(oss.chosen == 2);
  CHECK(oss.routing == Routing::SoftmaxOfChosen);
  CHECK(oss.gate == ExpertGate::Clamped);
  const std::string four = R"("num_hidden_layers": 4)";
  CHECK(mixtures_of("qwen3_moe", four) == std::vector<int>{1, 1, 1, 1});
  CHECK(mixtures_of("qwen3_moe", four + R"(, "mlp_only_layers": [0, 2])") == std::vector<int>{0, 1, 0, 1});
  CHECK(mixtures_of("qwen2_moe", four + R"(, "decoder_sparse_step": 2)") == std::vector<int>{0, 1, 0, 1});
  CHECK(mixtures_of("qwen2_moe", four + R"(, "decoder_sparse_step": 3, "mlp_only_layers": [2])") ==
        std::vector<int>{0, 0, 0, 0});
  refused("qwen3_moe", R"("mlp_only_layers": 3)", "mlp_only_layers");
  for (const char* type : {"qwen2_moe", "qwen3_moe", "olmoe"}) {
    refused(type, R"("num_experts": 4, "num_experts_per_tok": 5)", "num_experts_per_tok");
    refused(type, R"("num_experts": 0)", "num_experts");
  }
  refused("mixtral", R"("num_local_experts": 2, "num_experts_per_tok": 3)", "num_experts_per_tok");
  refused("mixtral", R"("num_experts_per_tok": 0)", "num_experts_per_tok");
  refused("llama", R"("num_local_experts": 8)", "num_local_experts");
}

TEST_CASE("multipliers, grouped heads and half-turned heads of further families", "[models]") {
  const ModelSpec granite = config("granite", R"("embedding_multiplier": 12, "attention_multiplier": 0.25,
        "residual_multiplier": 0.22, "logits_scaling": 8)")
                                .spec;
  CHECK(granite.embedding_scale == 12);
  CHECK(granite.logit_scale == 0.125);
  CHECK(granite.decoder->residual_scale == 0.22);
  CHECK(scale_of(granite.decoder->blocks[1]) == 0.25);
  CHECK(scale_of(config("granite", "").spec.decoder->blocks[0]) == 1);
  CHECK(config("cohere", "").spec.logit_scale == 0.0625);
  CHECK(config("cohere2", R"("logit_scale": 0.25)").spec.logit_scale == 0.25);
  CHECK(scale_of(config("gpt_neo", "").spec.decoder->blocks[0]) == 1);
  const auto heads = [](const std::string& keys) {
    return config("falcon", R"("hidden_size": 64, "num_attention_heads": 8)" + keys)
        .spec.decoder->blocks[0]
        .kv_heads;
  };
  CHECK(heads("") == 1);
  CHECK(heads(R"(, "num_kv_heads": 4)") == 1);
  CHECK(heads(R"(, "multi_query": false)") == 8);
  CHECK(heads(R"(, "new_decoder_architecture": true, "num_kv_heads": 2)") == 2);
  CHECK(config("stablelm", "").spec.decoder->arrangement() == Arrangement::PreNorm);
  CHECK(config("stablelm", R"("use_parallel_residual": true)").spec.decoder->arrangement() ==
        Arrangement::Parallel);
  const auto share = [](const std::string& type, const std::string& keys) {
    return rope_of(
               config(type, R"("hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2)" + keys)
                   .spec.decoder->blocks[0])
        .rotated;
  };
  CHECK(share("phi", "") == 8);
  CHECK(share("stablelm", "") == 4);
  CHECK(share("glm", R"(, "head_dim": 16)") == 8);
  CHECK(share("nemotron", R"(, "head_dim": 16, "partial_rotary_factor": 0.25)") == 4);
  CHECK(share("phi3", R"(, "rope_parameters": {"rope_type": "default", "rope_theta": 9,
        "partial_rotary_factor": 0.75})") == 12);
  CHECK(config("electra", "").spec.embedding_width == 128);
  CHECK(config("electra", R"("embedding_size": 256)").spec.embedding_width == 0);
}

TEST_CASE("LongRope: two lists of a number for each pair", "[models]") {
  // Heads of 8 dimensions: 4 pairs.
  const auto keys = [](const std::string& scaling, const std::string& more = "") {
    return R"("hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1,
      "max_position_embeddings": 64, "original_max_position_embeddings": 16, "rope_scaling": {"type": )" +
           scaling + "}" + more;
  };
  const std::string good = R"("longrope", "short_factor": [1, 1, 1, 2], "long_factor": [1, 2, 3, 4.5])";
  const RopeSettings rope = rope_of(config("phi3", keys(good)).spec.decoder->blocks[0]);
  CHECK(rope.scaling == RopeScaling::LongRope);
  CHECK(rope.trained_positions == 16);
  CHECK(rope.divisors == std::vector<float>{1, 2, 3, 4.5f});
  CHECK(rope.short_divisors == std::vector<float>{1, 1, 1, 2});
  const auto magnitude = [](const RopeSettings& settings, std::int64_t positions) {
    return exact_rope_frequencies(settings, positions).magnitude;
  };
  CHECK(std::abs(magnitude(rope, 8) - std::sqrt(1 + std::log(4.0) / std::log(16.0))) < 1e-6);
  const RopeSettings said =
      rope_of(config("phi3", keys(good + R"(, "attention_factor": 1.5)")).spec.decoder->blocks[0]);
  CHECK(magnitude(said, 8) == 1.5);
  // Those of long texts from the first token behind those of training.
  const auto slowest = [&](std::int64_t positions) {
    return exact_rope_frequencies(rope, positions).frequency[3] * std::pow(10'000.0, 0.75);
  };
  CHECK(std::abs(slowest(16) - 1 / 2.0) < 1e-9);
  CHECK(std::abs(slowest(17) - 1 / 4.5) < 1e-9);
  CHECK(config("phi3", keys(R"("su", "short_factor": [1, 1, 1, 2], "long_factor": [1, 2, 3, 4])"))
            .spec.decoder->blocks[0]
            .position_settings.rope_scaling == RopeScaling::LongRope);
  for (const char* list : {"[1, 2, 3]", "[1, 2, 3, 4, 5]", "[]", "4", R"("1, 2, 3, 4")", "[1, 2, 3, 0]",
                           "[1, 2, 3, -4]", "[1, 2, 3, NaN]", "[1, 2, 3, Infinity]", "[1, 2, 3, null]",
                           "[1, 2, 3, [4]]", "[1, 2, 3, 1e39]", "null"}) {
    refused("phi3", keys(fmt::format(R"("longrope", "short_factor": [1, 1, 1, 1], "long_factor": {})", list)),
            "long_factor");
    refused("phi3", keys(fmt::format(R"("longrope", "long_factor": [1, 1, 1, 1], "short_factor": {})", list)),
            "_factor");
  }
  refused("phi3", keys(R"("longrope", "long_factor": [1, 1, 1, 1])"), "short_factor");
}

}  // namespace attnscope::family_keys_test
