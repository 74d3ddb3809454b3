// config.json as published for each family: all of it is read or harmless; and of each family values that
// change what is computed are refused by the key.
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>

#include "core/models/config/config.hpp"

namespace attnscope::published_configs_test {
namespace {

using Catch::Matchers::ContainsSubstring;

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// model_type and the other keys, without the sizes that say nothing new in a family's later rows.
const Pairs published{
    {"gpt2",  // GPT-2 XL
     R"("activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"], "attn_pdrop": 0.1,
     "bos_token_id": 50256, "embd_pdrop": 0.1, "eos_token_id": 50256, "initializer_range": 0.02,
     "layer_norm_epsilon": 1e-05, "n_ctx": 1024, "n_embd": 1600, "n_head": 25, "n_layer": 48,
     "n_positions": 1024, "n_special": 0, "output_past": true, "predict_special_tokens": true,
     "resid_pdrop": 0.1, "summary_activation": null, "summary_first_dropout": 0.1,
     "summary_proj_to_labels": true, "summary_type": "cls_index", "summary_use_proj": true,
     "task_specific_params": {"text-generation": {"do_sample": true, "max_length": 50}},
     "vocab_size": 50257)"},
    {"gpt2",  // of Stanford CRFM
     R"("_name_or_path": "gpt2", "n_inner": null, "reorder_and_upcast_attn": true,
     "scale_attn_by_inverse_layer_idx": true, "scale_attn_weights": true, "gradient_checkpointing": false)"},
    {"gpt2",  // KoGPT2
     R"("_num_labels": 1, "author": "A. N.", "created_date": "2021-04-28", "license": "CC-BY-NC-SA 4.0",
     "id2label": {"0": "LABEL_0"}, "label2id": {"LABEL_0": 0}, "pad_token_id": 3)"},
    {"bert",  // bert-base-chinese
     R"("architectures": ["BertForMaskedLM"], "attention_probs_dropout_prob": 0.1,
     "directionality": "bidi", "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "hidden_size": 768,
     "initializer_range": 0.02, "intermediate_size": 3072, "layer_norm_eps": 1e-12,
     "max_position_embeddings": 512, "num_attention_heads": 12, "num_hidden_layers": 12, "pad_token_id": 0,
     "pooler_fc_size": 768, "pooler_num_attention_heads": 12, "pooler_num_fc_layers": 3,
     "pooler_size_per_head": 128, "pooler_type": "first_token_transform", "type_vocab_size": 2,
     "vocab_size": 21128, "position_embedding_type": "absolute", "classifier_dropout": null,
     "gradient_checkpointing": false, "transformers_version": "4.6.0", "use_cache": true)"},
    {"bert",  // rubert-tiny2
     R"("architectures": ["BertForPreTraining"], "emb_size": 312, "gradient_checkpointing": false,
     "hidden_size": 312, "intermediate_size": 600, "max_position_embeddings": 2048,
     "num_hidden_layers": 3, "position_embedding_type": "absolute", "torch_dtype": "float32")"},
    {"bert",  // TinyBERT
     R"("cell": {}, "emb_size": 312, "hidden_size": 312, "intermediate_size": 1200, "num_hidden_layers": 4,
     "pre_trained": "", "structure": [], "training": "")"},
    {"bert",  // DNABERT
     R"("architectures": ["BertForMaskedLM"], "do_sample": false, "finetuning_task": "dnaprom",
     "num_labels": 2, "num_rnn_layer": 1, "output_past": true, "pruned_heads": {}, "rnn": "lstm",
     "rnn_dropout": 0.0, "rnn_hidden": 768, "split": 10, "torchscript": false, "use_bfloat16": false,
     "vocab_size": 69)"},
    {"bert",  // of deepset, and a cross-encoder
     R"("language": "english", "name": "Bert", "num_labels": 1, "_num_labels": 1, "bos_token_ids": 0,
     "sbert_ce_default_activation_function": "torch.nn.modules.linear.Identity",
     "sentence_transformers": {"activation_fn": "torch.nn.modules.linear.Identity", "version": "4.0.1"})"},
    {"roberta",
     R"("architectures": ["RobertaForMaskedLM"], "bos_token_id": 0, "eos_token_id": 2, "pad_token_id": 1,
     "hidden_act": "gelu", "layer_norm_eps": 1e-05, "max_position_embeddings": 514, "type_vocab_size": 1,
     "vocab_size": 50265, "eos_token_ids": null, "length_penalty": 1.0, "num_return_sequences": 1,
     "language": "english", "name": "Roberta", "output_past": true, "gradient_checkpointing": false)"},
    {"xlm-roberta",  // BGE-M3
     R"("_name_or_path": "", "architectures": ["XLMRobertaModel"], "classifier_dropout": null,
     "hidden_size": 1024, "intermediate_size": 4096, "max_position_embeddings": 8194,
     "num_attention_heads": 16, "num_hidden_layers": 24, "output_past": true, "type_vocab_size": 1,
     "position_embedding_type": "absolute", "use_cache": true, "vocab_size": 250002)"},
    {"camembert", R"("architectures": ["CamembertForMaskedLM"], "bos_token_id": 5, "eos_token_id": 6,
     "output_past": true, "type_vocab_size": 1, "vocab_size": 32005)"},
    {"distilbert",  // of sentences, SST-2
     R"("activation": "gelu", "architectures": ["DistilBertForSequenceClassification"],
     "attention_dropout": 0.1, "dim": 768, "dropout": 0.1, "finetuning_task": "sst-2", "hidden_dim": 3072,
     "id2label": {"0": "NEGATIVE", "1": "POSITIVE"}, "initializer_range": 0.02,
     "label2id": {"NEGATIVE": 0, "POSITIVE": 1}, "max_position_embeddings": 512, "n_heads": 12,
     "n_layers": 6, "output_past": true, "pad_token_id": 0, "qa_dropout": 0.1, "seq_classif_dropout": 0.2,
     "sinusoidal_pos_embds": false, "tie_weights_": true, "transformers_version": "4.10.0.dev0",
     "vocab_size": 30522)"},
    {"llama",  // Llama 2
     R"("_name_or_path": "meta-llama/Llama-2-7b-hf", "architectures": ["LlamaForCausalLM"],
     "bos_token_id": 1, "eos_token_id": 2, "hidden_act": "silu", "hidden_size": 4096,
     "initializer_range": 0.02, "intermediate_size": 11008, "max_position_embeddings": 4096,
     "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 32, "pretraining_tp": 1,
     "rms_norm_eps": 1e-05, "rope_scaling": null, "tie_word_embeddings": false,
     "torch_dtype": "float16", "transformers_version": "4.31.0.dev0", "use_cache": true,
     "vocab_size": 32000, "max_sequence_length": 2048, "pad_token_id": -1, "max_length": 4096)"},
    {"llama",  // Llama 3.2, as Unsloth publishes it
     R"("attention_bias": false, "attention_dropout": 0.0, "eos_token_id": [128001, 128008, 128009],
     "head_dim": 64, "hidden_size": 2048, "mlp_bias": false, "num_key_value_heads": 8,
     "rope_scaling": {"factor": 32.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
     "original_max_position_embeddings": 8192, "rope_type": "llama3"}, "rope_theta": 500000.0,
     "tie_word_embeddings": true, "unsloth_fixed": true, "unsloth_version": "2024.12.2")"},
    {"llama",  // SmolLM2
     R"("is_llama_config": true, "max_position_embeddings": 8192, "pretraining_tp": 1,
     "rope_interleaved": false, "rope_scaling": null, "rope_theta": 100000,
     "transformers.js_config": {"kv_cache_dtype": {"q4f16": "float16"}}, "torch_dtype": "bfloat16")"},
    {"llama",  // YaRN with its own code, and what a trainer kept
     R"("auto_map": {"AutoModelForCausalLM": "modeling_llama_together_yarn.LlamaForCausalLM"},
     "rope_scaling": {"factor": 32.0, "finetuned": true, "original_max_position_embeddings": 4096,
     "type": "yarn"}, "model_max_length": 4096, "max_new_tokens": 2048, "do_sample": true,
     "penalty_alpha": 0.6, "renormalize_logits": true, "trust_remote_code": true, "padding_side": "left",
     "attn_implementation": "flash_attention_2", "quantization_config": {})"},
    {"mistral",  // 7B v0.1, Nemo
     R"("architectures": ["MistralForCausalLM"], "attention_dropout": 0.0, "head_dim": 128,
     "hidden_size": 5120, "num_key_value_heads": 8, "rms_norm_eps": 1e-05, "rope_theta": 1000000.0,
     "sliding_window": 4096, "tie_word_embeddings": false, "torch_dtype": "bfloat16")"},
    {"mistral", R"("sliding_window": null, "rope_theta": 1000000.0, "use_cache": true)"},
    {"qwen2",  // Qwen2.5 for a million tokens, and a distilled one
     R"("architectures": ["Qwen2ForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 151643,
     "dual_chunk_attention_config": {"chunk_size": 262144, "local_size": 8192}, "hidden_size": 3584,
     "max_window_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4, "rope_theta": 10000000.0,
     "sliding_window": 32768, "use_mrope": false, "use_sliding_window": false, "seq_length": 32768)"},
    {"qwen2",  // gte-Qwen2
     R"("auto_map": {"AutoModel": "modeling_qwen.Qwen2Model"}, "is_causal": false,
     "sliding_window": 131072, "use_sliding_window": false)"},
    {"qwen3",
     R"("architectures": ["Qwen3ForCausalLM"], "attention_bias": false, "dtype": "bfloat16",
     "head_dim": 128, "hidden_size": 1024, "layer_types": ["full_attention", "full_attention"],
     "max_window_layers": 2, "num_attention_heads": 16, "num_hidden_layers": 2, "num_key_value_heads": 8,
     "rope_parameters": {"rope_theta": 1000000, "rope_type": "default"}, "sliding_window": null,
     "tie_word_embeddings": true, "use_sliding_window": false)"},
    {"smollm3",
     R"("architectures": ["SmolLM3ForCausalLM"], "attention_bias": false, "attention_dropout": 0.0,
     "bos_token_id": 128000, "eos_token_id": 128012, "hidden_act": "silu", "hidden_size": 2048,
     "initializer_range": 0.02, "intermediate_size": 11008, "layer_types": ["full_attention",
     "full_attention"], "max_position_embeddings": 65536, "max_window_layers": 28, "mlp_bias": false,
     "no_rope_layer_interval": 4, "no_rope_layers": [1, 0], "num_attention_heads": 16,
     "num_hidden_layers": 2, "num_key_value_heads": 4, "pad_token_id": 128004, "pretraining_tp": 2,
     "rms_norm_eps": 1e-06, "rope_scaling": null, "rope_theta": 5000000.0, "sliding_window": null,
     "torch_dtype": "bfloat16", "use_cache": false, "use_sliding_window": false, "vocab_size": 128256)"},
    {"gemma2",  // 27B
     R"("architectures": ["Gemma2ForCausalLM"], "attn_logit_softcapping": 50.0,
     "cache_implementation": "hybrid", "eos_token_id": [1, 107], "final_logit_softcapping": 30.0,
     "head_dim": 128, "hidden_act": "gelu_pytorch_tanh", "hidden_activation": "gelu_pytorch_tanh",
     "hidden_size": 4608, "num_attention_heads": 32, "num_key_value_heads": 16, "pad_token_id": 0,
     "query_pre_attn_scalar": 144, "rope_theta": 10000.0, "sliding_window": 4096,
     "sliding_window_size": 4096, "_attn_implementation": "eager")"},
    {"gpt_neox",  // Polyglot-Ko
     R"("architectures": ["GPTNeoXForCausalLM"], "bos_token_id": 0, "eos_token_id": 0,
     "hidden_act": "gelu", "hidden_size": 4096, "intermediate_size": 16384, "layer_norm_eps": 1e-05,
     "max_position_embeddings": 2048, "num_attention_heads": 16, "num_hidden_layers": 28,
     "num_steps": "global_step320000", "rotary_emb_base": 10000, "rotary_pct": 0.25,
     "torch_dtype": "float16", "use_cache": true, "vocab_size": 30080)"},
    {"gpt_neox",  // RedPajama-INCITE, GPT-NeoX-20B, Dolly
     R"("attention_probs_dropout_prob": 0, "hidden_dropout_prob": 0, "classifier_dropout": 0.1,
     "gradient_checkpointing": false, "rotary_pct": 1.0, "use_parallel_residual": false,
     "custom_pipelines": {"text-generation": {"impl": "p.Pipeline", "pt": "AutoModelForCausalLM"}})"},
    {"bloom",  // bloom-560m
     R"("apply_residual_connection_post_layernorm": false, "architectures": ["BloomForCausalLM"],
     "attention_dropout": 0.0, "attention_softmax_in_fp32": true, "bias_dropout_fusion": true,
     "bos_token_id": 1, "eos_token_id": 2, "hidden_dropout": 0.0, "initializer_range": 0.02,
     "layer_norm_epsilon": 1e-05, "masked_softmax_fusion": true, "n_embed": 1024, "n_inner": null,
     "n_layer": 24, "num_attention_heads": 16, "offset_alibi": 100, "pad_token_id": 3,
     "pretraining_tp": 1, "seq_length": 2048, "skip_bias_add": true, "skip_bias_add_qkv": false,
     "slow_but_exact": false, "unk_token_id": 0, "use_cache": true, "vocab_size": 250880)"},
    {"t5",  // t5-small
     R"("architectures": ["T5WithLMHeadModel"], "d_ff": 2048, "d_kv": 64, "d_model": 512,
     "decoder_start_token_id": 0, "dropout_rate": 0.1, "eos_token_id": 1, "feed_forward_proj": "relu",
     "initializer_factor": 1.0, "is_encoder_decoder": true, "layer_norm_epsilon": 1e-06,
     "n_positions": 512, "num_decoder_layers": 6, "num_heads": 8, "num_layers": 6, "output_past": true,
     "pad_token_id": 0, "relative_attention_num_buckets": 32, "vocab_size": 32128,
     "task_specific_params": {"summarization": {"early_stopping": true, "prefix": "summarize: "}})"},
    {"t5",  // T5 1.1, ByT5, Chronos
     R"("architectures": ["T5ForConditionalGeneration"], "chronos_config": {"n_tokens": 4096},
     "classifier_dropout": 0.0, "dense_act_fn": "gelu_new", "feed_forward_proj": "gated-gelu",
     "is_gated_act": true, "relative_attention_max_distance": 128, "tie_word_embeddings": false,
     "tokenizer_class": "ByT5Tokenizer")"},
    {"vit",
     R"("architectures": ["ViTForImageClassification"], "attention_probs_dropout_prob": 0.0,
     "encoder_stride": 16, "hidden_act": "gelu", "hidden_size": 768, "id2label": {"0": "tench, Tinca tinca"},
     "image_size": 224, "label2id": {"tench, Tinca tinca": 0}, "num_channels": 3, "patch_size": 16,
     "pooler_act": "tanh", "pooler_output_size": 768, "problem_type": "single_label_classification",
     "qkv_bias": true, "transformers_version": "4.13.0.dev0")"},
};

/// The type, a key and a value of it that its family does not compute.
struct Changing {
  std::string type, key, value;
};
const std::vector<Changing> changing{
    {"gpt2", "attention_head_type", "\"multiquery\""},
    {"gpt2", "attention_multiplier", "0.5"},
    {"gpt2", "position_embedding_type", "\"relative_key\""},
    {"bert", "alibi_starting_size", "512"},
    {"bert", "feed_forward_type", "\"geglu\""},
    {"bert", "position_embedding_type", "\"relative_key_query\""},
    {"roberta", "rotary_emb_base", "20000.0"},
    {"xlm-roberta", "lora_rank", "4"},
    {"distilbert", "position_embedding_type", "\"rotary\""},
    {"distilbert", "attention_multiplier", "0.5"},
    {"llama", "attention_multiplier", "0.0078125"},
    {"llama", "embedding_multiplier", "12.0"},
    {"llama", "logits_scaling", "8.0"},
    {"llama", "residual_multiplier", "0.22"},
    {"llama", "rope_condense_ratio", "8"},
    {"llama", "rope_interleaved", "true"},
    {"llama", "share_mlp", "true"},
    {"llama", "use_parallel_residual", "true"},
    {"mistral", "num_local_experts", "8"},
    {"mistral", "attn_logit_softcapping", "30.0"},
    {"qwen2", "use_mrope", "true"},
    {"qwen3", "num_experts", "128"},
    {"smollm3", "no_rope_layers", "[1, 2]"},
    {"smollm3", "attention_multiplier", "0.5"},
    {"gemma2", "attention_multiplier", "0.5"},
    {"gemma2", "use_bidirectional_attention", "true"},
    {"gpt_neox", "attention_multiplier", "0.5"},
    {"gpt_neox", "partial_rotary_factor", "1.0"},
    {"bloom", "rope_theta", "10000"},
    {"t5", "encoder_attention_type", "\"local\""},
    {"vit", "pooler_act", "\"relu\""},
    {"vit", "layer_scale_init_value", "0.1"},
};

std::string config_of(const std::string& type, const std::string& keys) {
  return fmt::format(R"({{"model_type": "{}", {}}})", type, keys);
}

}  // namespace

TEST_CASE("configs as published are not refused", "[models]") {
  for (const auto& [type, keys] : published) {
    CAPTURE(type, keys);
    CHECK_NOTHROW(read_config(config_of(type, keys), "config.json"));
  }
  // Its table of positions is read from the file.
  CHECK_NOTHROW(read_config(config_of("distilbert", R"("sinusoidal_pos_embds": true)"), "config.json"));
}

TEST_CASE("a value that changes what is computed is refused by its key", "[models]") {
  for (const auto& [type, key, value] : changing) {
    CAPTURE(type, key, value);
    CHECK_THROWS_WITH(read_config(config_of(type, fmt::format("\"{}\": {}", key, value)), "config.json"),
                      ContainsSubstring("config.json") && ContainsSubstring(key));
  }
  // 1 is neutral for a factor, and may not be for a key that is not known.
  CHECK_NOTHROW(read_config(config_of("llama", R"("attention_multiplier": 1.0)"), "config.json"));
  CHECK_THROWS_WITH(read_config(config_of("llama", R"("attention_sharpness": 1.0)"), "config.json"),
                    ContainsSubstring("attention_sharpness"));
}

TEST_CASE("quantised weights are refused by their key, also within the text's settings", "[models]") {
  const auto refused = [](const std::string& text, const std::string& words) {
    CAPTURE(text);
    CHECK_THROWS_WITH(read_config(text, "config.json"), ContainsSubstring(words));
  };
  const std::string awq = R"("quantization_config": {"bits": 3, "quant_method": "awq"})";
  for (const char* type : {"gpt2", "llama", "qwen3", "bert", "t5"})
    refused(config_of(type, awq), "quantization_config: the weights are quantised by \"awq\"");
  refused(config_of("llama", R"("quantization": {"group_size": 64, "bits": 4, "mode": "nvfp4"})"),
          "quantization: the weights");
  refused(config_of("llama", R"("quantization_config": "int4")"),
          "quantization_config is \"int4\"; an object was expected.");
  refused(config_of("mistral3", R"("text_config": {"model_type": "mistral", )" + awq + "}"),
          "text_config.quantization_config: the weights are quantised by \"awq\"");
  CHECK_NOTHROW(read_config(config_of("llama", R"("quantization_config": false)"), "config.json"));
}

}  // namespace attnscope::published_configs_test
