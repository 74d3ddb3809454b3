// Every key of a config is read, harmless by name, or refused: what transformers writes into the config of
// each family must open, and what no family has must not.
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>

#include "core/models/config/config.hpp"
#include "core/saved_keys.hpp"
#include "core/transformer/families/families.hpp"

namespace attnscope::known_keys_test {
namespace {

using Catch::Matchers::ContainsSubstring;

ModelConfig config(const std::string& type, const std::string& keys) {
  return read_config(fmt::format(R"({{"model_type": "{}", {}}})", type, keys), "config.json");
}
void refused(const std::string& type, const std::string& keys, const std::string& words) {
  CAPTURE(type, keys);
  CHECK_THROWS_WITH(config(type, keys), ContainsSubstring("config.json") && ContainsSubstring(words));
}

/// What AutoConfig.for_model(type).to_dict() of transformers 5.24 has for every family.
const std::string in_all =
    R"("_name_or_path": "", "architectures": null, "chunk_size_feed_forward": 0, "dtype": null,
    "id2label": {"0": "LABEL_0", "1": "LABEL_1"}, "label2id": {"LABEL_0": 0, "LABEL_1": 1},
    "output_attentions": false, "output_hidden_states": false, "problem_type": null,
    "return_dict": true, "transformers_version": "5.24.0")";

/// The same of version 4, and what programs around transformers add.
const std::string of_older =
    R"("tf_legacy_loss": false, "use_bfloat16": false, "torchscript": false,
    "torch_dtype": "float32", "cross_attention_hidden_size": null,
    "tie_encoder_decoder": false, "max_length": 20, "min_length": 0, "do_sample": false,
    "early_stopping": false, "num_beams": 1, "num_beam_groups": 1, "diversity_penalty": 0.0,
    "temperature": 1.0, "top_k": 50, "top_p": 1.0, "typical_p": 1.0, "repetition_penalty": 1.0,
    "length_penalty": 1.0, "no_repeat_ngram_size": 0, "encoder_no_repeat_ngram_size": 0,
    "bad_words_ids": null, "num_return_sequences": 1, "output_scores": false,
    "return_dict_in_generate": false, "forced_bos_token_id": null, "forced_eos_token_id": null,
    "remove_invalid_values": false, "exponential_decay_length_penalty": null,
    "suppress_tokens": null, "begin_suppress_tokens": null, "finetuning_task": null,
    "pruned_heads": {}, "tokenizer_class": null, "prefix": null, "sep_token_id": null,
    "decoder_start_token_id": null, "task_specific_params": null, "_commit_hash": "a1",
    "_attn_implementation_autoset": true, "gradient_checkpointing": false, "output_past": true,
    "xla_device": true, "auto_map": {"AutoModel": "modeling.Model"},
    "unsloth_version": "2025.1", "sentence_transformers": {"version": "5"},
    "transformers.js_config": {"dtype": "q4"})";

/// The keys besides, family by family; two blocks where layer_types has a name for each.
const std::vector<std::pair<std::string, std::string>> of_families{
    {"gpt2",
     R"("is_encoder_decoder": false, "vocab_size": 50257, "n_positions": 1024, "n_embd": 768,
     "n_layer": 12, "n_head": 12, "n_inner": null, "activation_function": "gelu_new",
     "resid_pdrop": 0.1, "embd_pdrop": 0.1, "attn_pdrop": 0.1, "layer_norm_epsilon": 1e-05,
     "initializer_range": 0.02, "summary_type": "cls_index", "summary_use_proj": true,
     "summary_activation": null, "summary_proj_to_labels": true, "summary_first_dropout": 0.1,
     "scale_attn_weights": true, "use_cache": true, "bos_token_id": 50256,
     "eos_token_id": 50256, "pad_token_id": null, "scale_attn_by_inverse_layer_idx": false,
     "reorder_and_upcast_attn": false, "add_cross_attention": false, "tie_word_embeddings": true)"},
    {"llama",
     R"("is_encoder_decoder": false, "vocab_size": 32000, "hidden_size": 4096,
     "intermediate_size": 11008, "num_hidden_layers": 32, "num_attention_heads": 32,
     "num_key_value_heads": 32, "hidden_act": "silu", "max_position_embeddings": 2048,
     "initializer_range": 0.02, "rms_norm_eps": 1e-06, "use_cache": true, "pad_token_id": null,
     "bos_token_id": 1, "eos_token_id": 2, "pretraining_tp": 1, "tie_word_embeddings": false,
     "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"},
     "attention_bias": false, "attention_dropout": 0.0, "mlp_bias": false, "head_dim": 128)"},
    {"mistral",
     R"("is_encoder_decoder": false, "vocab_size": 32000, "hidden_size": 4096,
     "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
     "num_key_value_heads": 8, "head_dim": 128, "hidden_act": "silu",
     "max_position_embeddings": 131072, "initializer_range": 0.02, "rms_norm_eps": 1e-06,
     "use_cache": true, "pad_token_id": null, "bos_token_id": 1, "eos_token_id": 2,
     "tie_word_embeddings": false, "rope_parameters": {"rope_theta": 10000.0,
     "rope_type": "default"}, "sliding_window": 4096, "attention_dropout": 0.0)"},
    {"qwen2",
     R"("is_encoder_decoder": false, "vocab_size": 151936, "hidden_size": 4096,
     "intermediate_size": 22016, "num_hidden_layers": 2, "num_attention_heads": 32,
     "num_key_value_heads": 32, "hidden_act": "silu", "max_position_embeddings": 32768,
     "initializer_range": 0.02, "rms_norm_eps": 1e-06, "use_cache": true,
     "tie_word_embeddings": false, "rope_parameters": {"rope_theta": 10000.0,
     "rope_type": "default"}, "use_sliding_window": false, "sliding_window": null,
     "max_window_layers": 28, "layer_types": ["full_attention", "full_attention"],
     "attention_dropout": 0.0, "pad_token_id": null, "bos_token_id": null, "eos_token_id": null)"},
    {"qwen3",
     R"("is_encoder_decoder": false, "vocab_size": 151936, "hidden_size": 4096,
     "intermediate_size": 22016, "num_hidden_layers": 2, "num_attention_heads": 32,
     "num_key_value_heads": 32, "head_dim": 128, "hidden_act": "silu",
     "max_position_embeddings": 32768, "initializer_range": 0.02, "rms_norm_eps": 1e-06,
     "use_cache": true, "tie_word_embeddings": false, "rope_parameters": {"rope_theta": 10000.0,
     "rope_type": "default"}, "attention_bias": false, "use_sliding_window": false,
     "sliding_window": null, "max_window_layers": 28, "layer_types": ["full_attention",
     "full_attention"], "attention_dropout": 0.0, "pad_token_id": null, "bos_token_id": null,
     "eos_token_id": null)"},
    {"smollm3",
     R"("is_encoder_decoder": false, "vocab_size": 128256, "hidden_size": 2048,
     "intermediate_size": 11008, "num_hidden_layers": 4, "num_attention_heads": 16,
     "num_key_value_heads": 4, "hidden_act": "silu", "max_position_embeddings": 32768,
     "initializer_range": 0.02, "rms_norm_eps": 1e-06, "use_cache": true, "pad_token_id": 128004,
     "bos_token_id": 128000, "eos_token_id": 128001, "rope_parameters": {"rope_theta": 2000000.0,
     "rope_type": "default"}, "use_sliding_window": false, "sliding_window": null,
     "no_rope_layers": [1, 1, 1, 0], "no_rope_layer_interval": 4, "layer_types": ["full_attention",
     "full_attention", "full_attention", "full_attention"], "attention_bias": false,
     "attention_dropout": 0.0, "mlp_bias": false, "tie_word_embeddings": true)"},
    {"gemma2",
     R"("is_encoder_decoder": false, "vocab_size": 256000, "hidden_size": 2304,
     "intermediate_size": 9216, "num_hidden_layers": 2, "num_attention_heads": 8,
     "num_key_value_heads": 4, "head_dim": 256, "hidden_activation": "gelu_pytorch_tanh",
     "max_position_embeddings": 8192, "initializer_range": 0.02, "rms_norm_eps": 1e-06,
     "use_cache": true, "pad_token_id": 0, "eos_token_id": 1, "bos_token_id": 2,
     "tie_word_embeddings": true, "rope_parameters": {"rope_theta": 10000.0,
     "rope_type": "default"}, "attention_bias": false, "attention_dropout": 0.0,
     "query_pre_attn_scalar": 256, "sliding_window": 4096, "layer_types": ["sliding_attention",
     "full_attention"], "final_logit_softcapping": 30.0, "attn_logit_softcapping": 50.0,
     "use_bidirectional_attention": null)"},
    {"gpt_neox",
     R"("is_encoder_decoder": false, "vocab_size": 50432, "hidden_size": 6144,
     "num_hidden_layers": 44, "num_attention_heads": 64, "intermediate_size": 24576,
     "hidden_act": "gelu", "attention_dropout": 0.0, "hidden_dropout": 0.0,
     "classifier_dropout": 0.1, "max_position_embeddings": 2048, "initializer_range": 0.02,
     "layer_norm_eps": 1e-05, "use_cache": true, "bos_token_id": 0, "eos_token_id": 2,
     "pad_token_id": null, "tie_word_embeddings": false, "use_parallel_residual": true,
     "rope_parameters": {"rope_theta": 10000.0, "partial_rotary_factor": 0.25,
     "rope_type": "default"}, "attention_bias": true, "is_decoder": false)"},
    {"bloom",
     R"("is_encoder_decoder": false, "vocab_size": 250880, "hidden_size": 64, "n_layer": 2,
     "n_head": 8, "layer_norm_epsilon": 1e-05, "initializer_range": 0.02, "use_cache": true,
     "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": null,
     "apply_residual_connection_post_layernorm": false, "hidden_dropout": 0.0,
     "attention_dropout": 0.0, "pretraining_tp": 1, "slow_but_exact": false,
     "tie_word_embeddings": true)"},
    {"bert",
     R"("is_encoder_decoder": false, "vocab_size": 30522, "hidden_size": 768,
     "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072,
     "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1,
     "max_position_embeddings": 512, "type_vocab_size": 2, "initializer_range": 0.02,
     "layer_norm_eps": 1e-12, "pad_token_id": 0, "use_cache": true, "classifier_dropout": null,
     "is_decoder": false, "add_cross_attention": false, "bos_token_id": null,
     "eos_token_id": null, "tie_word_embeddings": true)"},
    {"roberta",
     R"("is_encoder_decoder": false, "vocab_size": 50265, "hidden_size": 768,
     "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072,
     "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1,
     "max_position_embeddings": 512, "type_vocab_size": 2, "initializer_range": 0.02,
     "layer_norm_eps": 1e-12, "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2,
     "use_cache": true, "classifier_dropout": null, "is_decoder": false,
     "add_cross_attention": false, "tie_word_embeddings": true)"},
    {"xlm-roberta",
     R"("is_encoder_decoder": false, "vocab_size": 30522, "hidden_size": 768,
     "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072,
     "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1,
     "max_position_embeddings": 512, "type_vocab_size": 2, "initializer_range": 0.02,
     "layer_norm_eps": 1e-12, "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2,
     "use_cache": true, "classifier_dropout": null, "is_decoder": false,
     "add_cross_attention": false, "tie_word_embeddings": true)"},
    {"distilbert",
     R"("is_encoder_decoder": false, "vocab_size": 30522, "max_position_embeddings": 512,
     "sinusoidal_pos_embds": false, "n_layers": 6, "n_heads": 12, "dim": 768,
     "hidden_dim": 3072, "dropout": 0.1, "attention_dropout": 0.1, "activation": "gelu",
     "initializer_range": 0.02, "qa_dropout": 0.1, "seq_classif_dropout": 0.2,
     "pad_token_id": 0, "eos_token_id": null, "bos_token_id": null, "tie_word_embeddings": true)"},
    {"t5",
     R"("is_encoder_decoder": true, "vocab_size": 32128, "d_model": 512, "d_kv": 64, "d_ff": 2048,
     "num_layers": 6, "num_decoder_layers": 6, "num_heads": 8,
     "relative_attention_num_buckets": 32, "relative_attention_max_distance": 128,
     "dropout_rate": 0.1, "layer_norm_epsilon": 1e-06, "initializer_factor": 1.0,
     "feed_forward_proj": "relu", "use_cache": true, "pad_token_id": 0, "eos_token_id": 1,
     "classifier_dropout": 0.0, "is_decoder": false, "dense_act_fn": "relu",
     "is_gated_act": false, "scale_decoder_outputs": true, "tie_word_embeddings": true)"},
    {"vit",
     R"("is_encoder_decoder": false, "hidden_size": 768, "num_hidden_layers": 12,
     "num_attention_heads": 12, "intermediate_size": 3072, "hidden_act": "gelu",
     "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0, "initializer_range": 0.02,
     "layer_norm_eps": 1e-12, "image_size": 224, "patch_size": 16, "num_channels": 3,
     "qkv_bias": true, "encoder_stride": 16, "pooler_output_size": 768, "pooler_act": "tanh")"},
};

/// Keys that published models of a family have besides.
const std::vector<std::pair<std::string, std::string>> published{
    {"llama",
     R"("pretraining_tp": 2, "is_llama_config": true, "rope_interleaved": false, "neftune_noise_alpha": 5)"},
    {"qwen2",
     R"("use_mrope": false, "use_sliding_window": false, "sliding_window": 32768, "max_window_layers": 21)"},
    {"gemma2",
     R"("hidden_act": "gelu_pytorch_tanh", "cache_implementation": "hybrid", "sliding_window_size": 4096)"},
    {"gpt2", R"("n_ctx": 1024, "predict_special_tokens": true, "output_past": true, "_num_labels": 1)"},
    {"gpt_neox",
     R"("rotary_emb_base": 10000, "rope_theta": 10000, "rotary_pct": 0.25, "partial_rotary_factor": 0.25)"},
    {"bloom",
     R"("attention_softmax_in_fp32": true, "bias_dropout_fusion": true, "masked_softmax_fusion": true,
        "offset_alibi": 100, "seq_length": 2048, "skip_bias_add": true, "skip_bias_add_qkv": false)"},
    {"bert",
     R"("directionality": "bidi", "pooler_fc_size": 768, "pooler_num_attention_heads": 12, "language": "en",
        "pooler_num_fc_layers": 3, "pooler_size_per_head": 128, "pooler_type": "first_token_transform",
        "name": "Bert", "sbert_ce_default_activation_function": "torch.nn.modules.linear.Identity")"},
    {"distilbert", R"("tie_weights_": true, "sinusoidal_pos_embds": true)"},
    {"t5", R"("n_positions": 512)"},
};

}  // namespace

TEST_CASE("every key that transformers saves is read or harmless", "[models]") {
  for (const auto* families : {&of_families, &saved_keys::further_families}) {
    for (const auto& [type, keys] : *families) {
      CAPTURE(type);
      CHECK_NOTHROW(config(type, in_all + ", " + keys));
      CHECK_NOTHROW(config(type, in_all + ", " + of_older + ", " + keys));
    }
  }
  for (const auto& [type, keys] : published) {
    CAPTURE(type, keys);
    CHECK_NOTHROW(config(type, keys));
  }
  std::size_t types = 0;
  for (const Family* family : families()) types += family->model_types.size();
  // camembert has roberta's keys, RefinedWeb, RefinedWebModel and stablelm_epoch are older names; qwen2_vl
  // and qwen2_5_vl have theirs in "text_config"; attnscope_reader and attnscope_neox are our own
  CHECK(types == of_families.size() + saved_keys::further_families.size() + 8);
}

TEST_CASE("a key that no family is known to have is refused, unless it is off", "[models]") {
  refused("llama", R"("attention_sharpness": 2.5)",
          "attention_sharpness\": it is 2.5; no such key was expected. A model of the family Llama");
  refused("bert", R"("norm_type": "rms")", "norm_type");
  refused("gpt2", R"("rope_theta": 10000)", "rope_theta");
  refused("gpt_bigcode", R"("num_key_value_heads": 4)", "num_key_value_heads");
  refused("ministral3", R"("rope_parameters": {"rope_type": "default", "max_position_embeddings": 7})",
          "262144 as outside was expected");
  refused("qwen3", R"("use_mrope": true)", "use_mrope");
  refused("llama", R"("rotary_pct": 0.5)", "rotary_pct");
  for (const std::string off :
       {"null", "false", "0", "0.0", "NaN", "[]", "{}", "\"\"", "Infinity", R"({"note": 2})", "[1, 2]"}) {
    CAPTURE(off);
    CHECK_NOTHROW(config("llama", R"("attention_sharpness": )" + off));
  }
}

TEST_CASE("a second spelling of GPT-NeoX' rotary positions must say the same", "[models]") {
  refused("gpt_neox", R"("rope_theta": 50000)", "rope_theta: it is 50000");
  refused("gpt_neox", R"("partial_rotary_factor": 0.5)", "partial_rotary_factor: it is 0.5");
  CHECK_NOTHROW(config("gpt_neox", R"("rotary_emb_base": 50000, "rope_theta": 50000)"));
}

TEST_CASE("models that are trained here have no positions in every so many blocks", "[models]") {
  for (const std::string type : {"attnscope_reader", "attnscope_neox"}) {
    CAPTURE(type);
    const auto rotated = [&](const std::string& keys) {
      const ModelSpec spec = config(type, R"("num_hidden_layers": 5)" + keys).spec;
      std::string blocks;
      for (const LayerSpec& block : spec.output_stack().blocks)
        blocks += is_rotary(block.positions) ? '1' : '0';
      return blocks;
    };
    CHECK(rotated("") == "11111");
    CHECK(rotated(R"(, "no_rope_layer_interval": 0)") == "11111");
    CHECK(rotated(R"(, "no_rope_layer_interval": 1)") == "00000");
    CHECK(rotated(R"(, "no_rope_layer_interval": 2)") == "10101");
    CHECK(rotated(R"(, "no_rope_layer_interval": 4)") == "11101");
    refused(type, R"("no_rope_layer_interval": "2")", "no_rope_layer_interval is \"2\"; a whole number");
    refused(type, R"("no_rope_layers": [1, 0])", "no_rope_layers");
  }
  refused("gpt_neox", R"("no_rope_layer_interval": 4)", "no_rope_layer_interval: it is 4");
  CHECK_NOTHROW(config("gpt_neox", R"("no_rope_layer_interval": 0)"));
}

TEST_CASE("is_causal is refused where a stack has the other mask", "[models]") {
  refused("bert", R"("is_causal": true)", "is_causal: it is true");
  refused("t5", R"("is_causal": false)", "is_causal: it is false");
  CHECK_NOTHROW(config("bert", R"("is_causal": false)"));
  CHECK_NOTHROW(config("bert", R"("is_decoder": true, "is_causal": true)"));
}

}  // namespace attnscope::known_keys_test
