#include "core/saved_keys.hpp"

namespace attnscope::saved_keys {

const std::vector<std::pair<std::string, std::string>> further_families{
    {"cohere",
     R"("is_encoder_decoder": false, "vocab_size": 256000, "hidden_size": 8192, "intermediate_size":
     22528, "logit_scale": 0.0625, "num_hidden_layers": 40, "num_attention_heads": 64,
     "num_key_value_heads": 64, "hidden_act": "silu", "max_position_embeddings": 8192,
     "initializer_range": 0.02, "layer_norm_eps": 1e-05, "use_cache": true, "pad_token_id": 0,
     "bos_token_id": 5, "eos_token_id": 255001, "tie_word_embeddings": true, "rope_parameters":
     {"rope_theta": 500000.0, "rope_type": "default"}, "attention_bias": false, "attention_dropout":
     0.0, "use_qk_norm": false)"},
    {"cohere2",
     R"("is_encoder_decoder": false, "vocab_size": 256000, "hidden_size": 8192, "intermediate_size":
     22528, "logit_scale": 0.0625, "num_hidden_layers": 4, "num_attention_heads": 64,
     "num_key_value_heads": 64, "hidden_act": "silu", "max_position_embeddings": 8192,
     "initializer_range": 0.02, "layer_norm_eps": 1e-05, "use_cache": true, "pad_token_id": 0,
     "bos_token_id": 5, "eos_token_id": 255001, "tie_word_embeddings": true, "rope_parameters":
     {"rope_theta": 10000.0, "rope_type": "default"}, "attention_bias": false, "attention_dropout":
     0.0, "sliding_window": 4096, "layer_types": ["sliding_attention", "sliding_attention",
     "sliding_attention", "full_attention"], "head_dim": 128)"},
    {"exaone4",
     R"("is_encoder_decoder": false, "vocab_size": 102400, "hidden_size": 4096, "intermediate_size":
     16384, "num_hidden_layers": 4, "num_attention_heads": 32, "num_key_value_heads": 32, "hidden_act":
     "silu", "max_position_embeddings": 2048, "initializer_range": 0.02, "rms_norm_eps": 1e-05,
     "use_cache": true, "bos_token_id": 0, "eos_token_id": 2, "pad_token_id": null,
     "tie_word_embeddings": false, "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"},
     "attention_dropout": 0.0, "sliding_window": 4096, "sliding_window_pattern": 4, "layer_types":
     ["sliding_attention", "sliding_attention", "sliding_attention", "full_attention"])"},
    {"falcon",
     R"("is_encoder_decoder": false, "vocab_size": 65024, "hidden_size": 4544, "num_hidden_layers": 32,
     "num_attention_heads": 71, "num_ln_in_parallel_attn": null, "layer_norm_epsilon": 1e-05,
     "initializer_range": 0.02, "use_cache": true, "hidden_dropout": 0.0, "attention_dropout": 0.0,
     "num_kv_heads": 71, "alibi": false, "new_decoder_architecture": false, "multi_query": true,
     "parallel_attn": true, "bias": false, "max_position_embeddings": 2048, "rope_parameters":
     {"rope_theta": 10000.0, "rope_type": "default"}, "bos_token_id": 11, "eos_token_id": 11,
     "pad_token_id": null, "ffn_hidden_size": 18176, "activation": "gelu", "tie_word_embeddings": true)"},
    {"gemma",
     R"("is_encoder_decoder": false, "vocab_size": 256000, "hidden_size": 3072, "intermediate_size":
     24576, "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 16, "head_dim":
     256, "hidden_act": "gelu_pytorch_tanh", "max_position_embeddings": 8192, "initializer_range":
     0.02, "rms_norm_eps": 1e-06, "use_cache": true, "pad_token_id": 0, "eos_token_id": 1,
     "bos_token_id": 2, "tie_word_embeddings": true, "rope_parameters": {"rope_theta": 10000.0,
     "rope_type": "default"}, "attention_bias": false, "attention_dropout": 0.0,
     "use_bidirectional_attention": null)"},
    {"gemma3_text",
     R"("is_encoder_decoder": false, "vocab_size": 262208, "hidden_size": 2304, "intermediate_size": 9216,
     "num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256,
     "hidden_activation": "gelu_pytorch_tanh", "max_position_embeddings": 131072, "initializer_range":
     0.02, "rms_norm_eps": 1e-06, "use_cache": true, "pad_token_id": 0, "eos_token_id": 1,
     "bos_token_id": 2, "tie_word_embeddings": true, "rope_parameters": {"sliding_attention":
     {"rope_type": "default", "rope_theta": 10000.0}, "full_attention": {"rope_type": "default",
     "rope_theta": 1000000.0}}, "attention_bias": false, "attention_dropout": 0.0,
     "query_pre_attn_scalar": 256, "sliding_window": 4096, "layer_types": ["sliding_attention",
     "sliding_attention", "sliding_attention", "sliding_attention"], "final_logit_softcapping": null,
     "attn_logit_softcapping": null, "use_bidirectional_attention": false, "_sliding_window_pattern": 6)"},
    {"glm",
     R"("is_encoder_decoder": false, "vocab_size": 151552, "hidden_size": 4096, "intermediate_size":
     13696, "num_hidden_layers": 40, "num_attention_heads": 32, "num_key_value_heads": 2, "head_dim":
     128, "hidden_act": "silu", "attention_dropout": 0.0, "max_position_embeddings": 131072,
     "initializer_range": 0.02, "rms_norm_eps": 1.5625e-07, "use_cache": true, "tie_word_embeddings":
     false, "rope_parameters": {"rope_theta": 10000.0, "partial_rotary_factor": 0.5, "rope_type":
     "default"}, "pad_token_id": 151329, "eos_token_id": [151329, 151336, 151338], "bos_token_id":
     null, "attention_bias": true)"},
    {"glm4",
     R"("is_encoder_decoder": false, "vocab_size": 151552, "hidden_size": 4096, "intermediate_size":
     13696, "num_hidden_layers": 40, "num_attention_heads": 32, "num_key_value_heads": 2, "head_dim":
     128, "hidden_act": "silu", "attention_dropout": 0.0, "max_position_embeddings": 131072,
     "initializer_range": 0.02, "rms_norm_eps": 1.5625e-07, "use_cache": true, "tie_word_embeddings":
     false, "rope_parameters": {"rope_theta": 10000.0, "partial_rotary_factor": 0.5, "rope_type":
     "default"}, "pad_token_id": 151329, "eos_token_id": [151329, 151336, 151338], "bos_token_id":
     null, "attention_bias": true)"},
    {"gpt_neo",
     R"("is_encoder_decoder": false, "vocab_size": 50257, "max_position_embeddings": 2048, "hidden_size":
     2048, "num_layers": 2, "attention_types": [[["global", "local"], 1]], "num_heads": 16,
     "intermediate_size": null, "window_size": 256, "activation_function": "gelu_new", "resid_dropout":
     0.0, "embed_dropout": 0.0, "attention_dropout": 0.0, "classifier_dropout": 0.1,
     "layer_norm_epsilon": 1e-05, "initializer_range": 0.02, "use_cache": true, "bos_token_id": 50256,
     "eos_token_id": 50256, "pad_token_id": null, "tie_word_embeddings": true, "attention_layers":
     ["global", "local"])"},
    {"gptj",
     R"("is_encoder_decoder": false, "vocab_size": 50400, "n_positions": 2048, "n_embd": 4096, "n_layer":
     28, "n_head": 16, "rotary_dim": 64, "n_inner": null, "activation_function": "gelu_new",
     "resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0, "layer_norm_epsilon": 1e-05,
     "initializer_range": 0.02, "use_cache": true, "bos_token_id": 50256, "eos_token_id": 50256,
     "pad_token_id": null, "tie_word_embeddings": false)"},
    {"granite",
     R"("is_encoder_decoder": false, "vocab_size": 32000, "hidden_size": 4096, "intermediate_size": 11008,
     "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32, "hidden_act":
     "silu", "max_position_embeddings": 2048, "initializer_range": 0.02, "rms_norm_eps": 1e-06,
     "use_cache": true, "pad_token_id": null, "bos_token_id": 1, "eos_token_id": 2,
     "tie_word_embeddings": false, "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"},
     "attention_bias": false, "attention_dropout": 0.0, "mlp_bias": false, "embedding_multiplier": 1.0,
     "logits_scaling": 1.0, "residual_multiplier": 1.0, "attention_multiplier": 1.0)"},
    {"ministral",
     R"("is_encoder_decoder": false, "vocab_size": 32000, "hidden_size": 4096, "intermediate_size": 14336,
     "num_hidden_layers": 4, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": null,
     "hidden_act": "silu", "max_position_embeddings": 131072, "initializer_range": 0.02,
     "rms_norm_eps": 1e-06, "use_cache": true, "pad_token_id": null, "bos_token_id": 1, "eos_token_id":
     2, "tie_word_embeddings": false, "rope_parameters": {"rope_theta": 10000.0, "rope_type":
     "default"}, "sliding_window": 4096, "attention_dropout": 0.0, "layer_types": ["sliding_attention",
     "sliding_attention", "sliding_attention", "sliding_attention"])"},
    {"helium",
     R"("is_encoder_decoder": false, "vocab_size": 48000, "hidden_size": 2560, "intermediate_size": 7040,
     "num_hidden_layers": 24, "num_attention_heads": 20, "num_key_value_heads": 20, "head_dim": 128,
     "hidden_act": "silu", "attention_dropout": 0.0, "max_position_embeddings": 4096,
     "initializer_range": 0.02, "rms_norm_eps": 1e-08, "use_cache": true, "tie_word_embeddings": false,
     "rope_parameters": {"rope_theta": 100000.0, "rope_type": "default"}, "pad_token_id": 3,
     "eos_token_id": 2, "bos_token_id": 1, "attention_bias": false, "mlp_bias": false)"},
    {"nemotron",
     R"("is_encoder_decoder": false, "vocab_size": 256000, "hidden_size": 6144, "intermediate_size":
     24576, "num_hidden_layers": 32, "num_attention_heads": 48, "head_dim": 128, "num_key_value_heads":
     null, "hidden_act": "relu2", "max_position_embeddings": 4096, "initializer_range": 0.0134,
     "norm_eps": 1e-05, "use_cache": true, "pad_token_id": null, "bos_token_id": 2, "eos_token_id": 3,
     "tie_word_embeddings": false, "rope_parameters": {"rope_theta": 10000.0, "partial_rotary_factor":
     0.5, "rope_type": "default"}, "attention_bias": false, "attention_dropout": 0.0, "mlp_bias": false)"},
    {"olmo",
     R"("is_encoder_decoder": false, "vocab_size": 50304, "hidden_size": 4096, "intermediate_size": 11008,
     "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32, "hidden_act":
     "silu", "max_position_embeddings": 2048, "initializer_range": 0.02, "use_cache": true,
     "pad_token_id": 1, "bos_token_id": null, "eos_token_id": 50279, "tie_word_embeddings": false,
     "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"}, "attention_bias": false,
     "attention_dropout": 0.0, "clip_qkv": null)"},
    {"olmo2",
     R"("is_encoder_decoder": false, "vocab_size": 50304, "hidden_size": 4096, "intermediate_size": 11008,
     "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32, "hidden_act":
     "silu", "max_position_embeddings": 2048, "initializer_range": 0.02, "use_cache": true,
     "pad_token_id": 1, "bos_token_id": null, "eos_token_id": 50279, "tie_word_embeddings": false,
     "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"}, "attention_bias": false,
     "attention_dropout": 0.0, "rms_norm_eps": 1e-05)"},
    {"olmo3",
     R"("is_encoder_decoder": false, "vocab_size": 50304, "hidden_size": 4096, "intermediate_size": 11008,
     "num_hidden_layers": 4, "num_attention_heads": 32, "num_key_value_heads": 32, "hidden_act":
     "silu", "max_position_embeddings": 2048, "initializer_range": 0.02, "use_cache": true,
     "pad_token_id": 1, "bos_token_id": null, "eos_token_id": 50279, "tie_word_embeddings": false,
     "rope_parameters": {"sliding_attention": {"rope_type": "default", "rope_theta": 500000.0},
     "full_attention": {"rope_type": "default", "rope_theta": 500000.0}}, "attention_bias": false,
     "attention_dropout": 0.0, "rms_norm_eps": 1e-05, "sliding_window": 4096, "layer_types":
     ["sliding_attention", "sliding_attention", "sliding_attention", "full_attention"])"},
    {"opt",
     R"("is_encoder_decoder": false, "vocab_size": 50272, "hidden_size": 768, "num_hidden_layers": 12,
     "ffn_dim": 3072, "max_position_embeddings": 2048, "do_layer_norm_before": true,
     "_remove_final_layer_norm": false, "word_embed_proj_dim": 768, "dropout": 0.1,
     "attention_dropout": 0.0, "num_attention_heads": 12, "activation_function": "relu", "layerdrop":
     0.0, "init_std": 0.02, "use_cache": true, "pad_token_id": 1, "bos_token_id": 2, "eos_token_id": 2,
     "enable_bias": true, "layer_norm_elementwise_affine": true, "tie_word_embeddings": true)"},
    {"phi",
     R"("is_encoder_decoder": false, "vocab_size": 51200, "hidden_size": 2048, "intermediate_size": 8192,
     "num_hidden_layers": 24, "num_attention_heads": 32, "num_key_value_heads": 32, "resid_pdrop": 0.0,
     "embd_pdrop": 0.0, "attention_dropout": 0.0, "hidden_act": "gelu_new", "max_position_embeddings":
     2048, "initializer_range": 0.02, "layer_norm_eps": 1e-05, "use_cache": true,
     "tie_word_embeddings": false, "rope_parameters": {"rope_theta": 10000.0, "partial_rotary_factor":
     0.5, "rope_type": "default"}, "qk_layernorm": false, "bos_token_id": 1, "eos_token_id": 2,
     "pad_token_id": null)"},
    {"phi3",
     R"("is_encoder_decoder": false, "vocab_size": 32064, "hidden_size": 3072, "intermediate_size": 8192,
     "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32, "resid_pdrop": 0.0,
     "embd_pdrop": 0.0, "attention_dropout": 0.0, "hidden_act": "silu", "max_position_embeddings":
     4096, "original_max_position_embeddings": 4096, "initializer_range": 0.02, "rms_norm_eps": 1e-05,
     "use_cache": true, "tie_word_embeddings": false, "rope_parameters": {"rope_theta": 10000.0,
     "partial_rotary_factor": 1.0, "rope_type": "default"}, "bos_token_id": 1, "eos_token_id": 32000,
     "pad_token_id": 32000, "sliding_window": null)"},
    {"stablelm",
     R"("is_encoder_decoder": false, "vocab_size": 50304, "intermediate_size": 6912, "hidden_size": 2560,
     "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32, "hidden_act":
     "silu", "max_position_embeddings": 4096, "initializer_range": 0.02, "layer_norm_eps": 1e-05,
     "use_cache": true, "tie_word_embeddings": false, "rope_parameters": {"rope_theta": 10000.0,
     "partial_rotary_factor": 0.25, "rope_type": "default"}, "use_qkv_bias": false, "qk_layernorm":
     false, "use_parallel_residual": false, "hidden_dropout": 0.0, "attention_dropout": 0.0,
     "bos_token_id": 0, "eos_token_id": 0, "pad_token_id": null)"},
    {"starcoder2",
     R"("is_encoder_decoder": false, "vocab_size": 49152, "hidden_size": 3072, "intermediate_size": 12288,
     "num_hidden_layers": 30, "num_attention_heads": 24, "num_key_value_heads": 2, "hidden_act":
     "gelu_pytorch_tanh", "max_position_embeddings": 4096, "initializer_range": 0.018042,
     "norm_epsilon": 1e-05, "use_cache": true, "bos_token_id": 50256, "eos_token_id": 50256,
     "pad_token_id": null, "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"},
     "sliding_window": null, "attention_dropout": 0.0, "residual_dropout": 0.0, "embedding_dropout":
     0.0, "use_bias": true, "tie_word_embeddings": true)"},
    {"electra",
     R"("is_encoder_decoder": false, "vocab_size": 30522, "embedding_size": 128, "hidden_size": 256,
     "num_hidden_layers": 12, "num_attention_heads": 4, "intermediate_size": 1024, "hidden_act":
     "gelu", "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1,
     "max_position_embeddings": 512, "type_vocab_size": 2, "initializer_range": 0.02, "layer_norm_eps":
     1e-12, "summary_type": "first", "summary_use_proj": true, "summary_activation": "gelu",
     "summary_last_dropout": 0.1, "pad_token_id": 0, "use_cache": true, "classifier_dropout": null,
     "is_decoder": false, "add_cross_attention": false, "bos_token_id": null, "eos_token_id": null,
     "tie_word_embeddings": true)"},
    {"esm",
     R"("is_encoder_decoder": false, "vocab_size": null, "mask_token_id": null, "pad_token_id": null,
     "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072,
     "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1, "max_position_embeddings": 1026,
     "rope_theta": 10000.0, "initializer_range": 0.02, "layer_norm_eps": 1e-12,
     "position_embedding_type": "rotary", "use_cache": true, "emb_layer_norm_before": null,
     "token_dropout": false, "is_folding_model": false, "esmfold_config": null, "vocab_list": null,
     "is_decoder": false, "add_cross_attention": false, "tie_word_embeddings": true, "bos_token_id":
     null, "eos_token_id": 2)"},
    {"modernbert",
     R"("is_encoder_decoder": false, "vocab_size": 50368, "hidden_size": 768, "intermediate_size": 1152,
     "num_hidden_layers": 3, "num_attention_heads": 12, "hidden_activation": "gelu",
     "max_position_embeddings": 8192, "initializer_range": 0.02, "initializer_cutoff_factor": 2.0,
     "norm_eps": 1e-05, "norm_bias": false, "pad_token_id": 50283, "eos_token_id": 50282,
     "bos_token_id": 50281, "cls_token_id": 50281, "attention_bias": false,
     "attention_dropout": 0.0, "layer_types": ["full_attention", "sliding_attention",
     "sliding_attention"], "rope_parameters": {"sliding_attention": {"rope_type": "default",
     "rope_theta": 10000.0}, "full_attention": {"rope_type": "default", "rope_theta": 160000.0}},
     "local_attention": 128, "embedding_dropout": 0.0, "mlp_bias": false, "mlp_dropout": 0.0,
     "decoder_bias": true, "classifier_pooling": "cls", "classifier_dropout": 0.0, "classifier_bias":
     false, "classifier_activation": "gelu", "deterministic_flash_attn": false, "sparse_prediction":
     false, "sparse_pred_ignore_index": -100, "tie_word_embeddings": true)"},
    {"mpnet",
     R"("is_encoder_decoder": false, "vocab_size": 30527, "hidden_size": 768, "num_hidden_layers": 12,
     "num_attention_heads": 12, "intermediate_size": 3072, "hidden_act": "gelu", "hidden_dropout_prob":
     0.1, "attention_probs_dropout_prob": 0.1, "max_position_embeddings": 512, "initializer_range":
     0.02, "layer_norm_eps": 1e-12, "relative_attention_num_buckets": 32, "pad_token_id": 1,
     "bos_token_id": 0, "eos_token_id": 2, "tie_word_embeddings": true)"},
    {"nomic_bert",
     R"("is_encoder_decoder": false, "vocab_size": 30528, "hidden_size": 768, "num_hidden_layers": 12,
     "num_attention_heads": 12, "intermediate_size": 3072, "hidden_act": "silu", "hidden_dropout_prob":
     0.0, "attention_probs_dropout_prob": 0.0, "max_position_embeddings": 2048, "type_vocab_size": 2,
     "initializer_range": 0.02, "layer_norm_eps": 1e-12, "pad_token_id": 0, "classifier_dropout": null,
     "bos_token_id": null, "eos_token_id": null, "rope_parameters": {"rope_theta": 1000.0, "rope_type":
     "default"}, "head_dim": 64)"},
    {"roformer",
     R"("is_encoder_decoder": false, "vocab_size": 50000, "embedding_size": 768, "hidden_size": 768,
     "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072, "hidden_act":
     "gelu", "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1,
     "max_position_embeddings": 1536, "type_vocab_size": 2, "initializer_range": 0.02,
     "layer_norm_eps": 1e-12, "pad_token_id": 0, "bos_token_id": null, "eos_token_id": null,
     "rotary_value": false, "use_cache": true, "is_decoder": false, "add_cross_attention": false,
     "tie_word_embeddings": true)"},
    {"gpt_oss",
     R"("is_encoder_decoder": false, "num_hidden_layers": 4, "num_local_experts": 128, "vocab_size":
     201088, "hidden_size": 2880, "intermediate_size": 2880, "head_dim": 64, "num_attention_heads": 64,
     "num_key_value_heads": 8, "sliding_window": 128, "tie_word_embeddings": false, "hidden_act":
     "silu", "initializer_range": 0.02, "max_position_embeddings": 131072, "rms_norm_eps": 1e-05,
     "rope_parameters": {"rope_type": "yarn", "factor": 32.0, "beta_fast": 32.0, "beta_slow": 1.0,
     "truncate": false, "original_max_position_embeddings": 4096, "rope_theta": 150000.0},
     "attention_dropout": 0.0, "num_experts_per_tok": 4, "swiglu_alpha": 1.702, "swiglu_limit": 7.0,
     "router_aux_loss_coef": 0.001, "output_router_logits": false, "use_cache": true, "layer_types":
     ["sliding_attention", "full_attention", "sliding_attention", "full_attention"], "pad_token_id":
     null, "bos_token_id": null, "eos_token_id": null, "attention_bias": true)"},
    {"mixtral",
     R"("is_encoder_decoder": false, "vocab_size": 32000, "hidden_size": 4096, "intermediate_size": 14336,
     "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": null,
     "hidden_act": "silu", "max_position_embeddings": 131072, "initializer_range": 0.02,
     "rms_norm_eps": 1e-05, "use_cache": true, "pad_token_id": null, "bos_token_id": 1, "eos_token_id":
     2, "tie_word_embeddings": false, "sliding_window": null, "attention_dropout": 0.0,
     "num_experts_per_tok": 2, "num_local_experts": 8, "output_router_logits": false,
     "router_aux_loss_coef": 0.001, "router_jitter_noise": 0.0, "rope_parameters": {"rope_theta":
     1000000.0, "rope_type": "default"})"},
    {"qwen2_moe",
     R"("is_encoder_decoder": false, "vocab_size": 151936, "hidden_size": 2048, "intermediate_size": 5632,
     "num_hidden_layers": 4, "num_attention_heads": 16, "num_key_value_heads": 16, "hidden_act":
     "silu", "max_position_embeddings": 32768, "initializer_range": 0.02, "rms_norm_eps": 1e-06,
     "use_cache": true, "tie_word_embeddings": false, "rope_parameters": {"rope_theta": 10000.0,
     "rope_type": "default"}, "use_sliding_window": false, "sliding_window": 0, "max_window_layers":
     28, "attention_dropout": 0.0, "decoder_sparse_step": 1, "moe_intermediate_size": 1408,
     "shared_expert_intermediate_size": 5632, "num_experts_per_tok": 4, "num_experts": 60,
     "norm_topk_prob": false, "output_router_logits": false, "router_aux_loss_coef": 0.001,
     "mlp_only_layers": [], "qkv_bias": true, "layer_types": ["full_attention", "full_attention",
     "full_attention", "full_attention"], "pad_token_id": null, "bos_token_id": null, "eos_token_id":
     null)"},
    {"qwen3_moe",
     R"("is_encoder_decoder": false, "vocab_size": 151936, "hidden_size": 2048, "intermediate_size": 6144,
     "num_hidden_layers": 24, "num_attention_heads": 32, "num_key_value_heads": 4, "hidden_act":
     "silu", "max_position_embeddings": 32768, "initializer_range": 0.02, "rms_norm_eps": 1e-06,
     "use_cache": true, "tie_word_embeddings": false, "rope_parameters": {"rope_theta": 10000.0,
     "rope_type": "default"}, "attention_bias": false, "use_sliding_window": false, "sliding_window":
     null, "attention_dropout": 0.0, "decoder_sparse_step": 1, "moe_intermediate_size": 768,
     "num_experts_per_tok": 8, "num_local_experts": 128, "norm_topk_prob": false,
     "output_router_logits": false, "router_aux_loss_coef": 0.001, "mlp_only_layers": [],
     "pad_token_id": null, "bos_token_id": null, "eos_token_id": null)"},
    {"olmoe",
     R"("is_encoder_decoder": false, "vocab_size": 50304, "hidden_size": 2048, "intermediate_size": 2048,
     "num_hidden_layers": 16, "num_attention_heads": 16, "num_key_value_heads": 16, "hidden_act":
     "silu", "max_position_embeddings": 4096, "initializer_range": 0.02, "rms_norm_eps": 1e-05,
     "use_cache": true, "pad_token_id": 1, "bos_token_id": null, "eos_token_id": 50279,
     "tie_word_embeddings": false, "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"},
     "attention_bias": false, "attention_dropout": 0.0, "clip_qkv": null, "num_experts_per_tok": 8,
     "num_experts": 64, "output_router_logits": false, "router_aux_loss_coef": 0.01, "norm_topk_prob":
     false)"},
    {"albert",
     R"("is_encoder_decoder": false, "vocab_size": 30000, "embedding_size": 128, "hidden_size": 4096,
     "num_hidden_layers": 12, "num_hidden_groups": 1, "num_attention_heads": 64, "intermediate_size":
     16384, "inner_group_num": 1, "hidden_act": "gelu_new", "hidden_dropout_prob": 0.0,
     "attention_probs_dropout_prob": 0.0, "max_position_embeddings": 512, "type_vocab_size": 2,
     "initializer_range": 0.02, "layer_norm_eps": 1e-12, "classifier_dropout_prob": 0.1, "pad_token_id":
     0, "bos_token_id": 2, "eos_token_id": 3, "tie_word_embeddings": true)"},
    {"codegen",
     R"("is_encoder_decoder": false, "vocab_size": 50400, "n_positions": 2048, "n_ctx": 2048, "n_embd":
     4096, "n_layer": 28, "n_head": 16, "rotary_dim": 64, "n_inner": null, "activation_function":
     "gelu_new", "resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0, "layer_norm_epsilon": 1e-05,
     "initializer_range": 0.02, "use_cache": true, "bos_token_id": 50256, "eos_token_id": 50256,
     "tie_word_embeddings": false)"},
    {"dinov2",
     R"("is_encoder_decoder": false, "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads":
     12, "mlp_ratio": 4, "hidden_act": "gelu", "hidden_dropout_prob": 0.0,
     "attention_probs_dropout_prob": 0.0, "initializer_range": 0.02, "layer_norm_eps": 1e-06,
     "image_size": 224, "patch_size": 14, "num_channels": 3, "qkv_bias": true, "layerscale_value": 1.0,
     "drop_path_rate": 0.0, "use_swiglu_ffn": false, "apply_layernorm": true, "reshape_hidden_states":
     true, "use_mask_token": true, "stage_names": ["stem", "stage1", "stage2", "stage3", "stage4",
     "stage5", "stage6", "stage7", "stage8", "stage9", "stage10", "stage11", "stage12"], "out_features":
     ["stage12"], "out_indices": [12])"},
    {"eurobert",
     R"("is_encoder_decoder": false, "vocab_size": 128256, "hidden_size": 768, "intermediate_size": 3072,
     "num_hidden_layers": 12, "num_attention_heads": 12, "num_key_value_heads": 12, "hidden_act": "silu",
     "max_position_embeddings": 8192, "initializer_range": 0.02, "rms_norm_eps": 1e-05, "use_cache":
     true, "pad_token_id": 128001, "bos_token_id": 128000, "eos_token_id": 128001, "pretraining_tp": 1,
     "tie_word_embeddings": false, "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"},
     "attention_bias": false, "attention_dropout": 0.0, "mlp_bias": false, "head_dim": 64,
     "mask_token_id": 128002, "classifier_pooling": "late")"},
    {"glm4_moe",
     R"("head_dim": 128, "is_encoder_decoder": false, "vocab_size": 151552, "hidden_size": 4096, "intermediate_size":
     10944, "num_hidden_layers": 46, "num_attention_heads": 96, "num_key_value_heads": 8, "hidden_act":
     "silu", "max_position_embeddings": 131072, "initializer_range": 0.02, "rms_norm_eps": 1e-05,
     "use_cache": true, "tie_word_embeddings": false, "rope_parameters": {"rope_theta": 10000.0,
     "partial_rotary_factor": 0.5, "rope_type": "default"}, "attention_bias": false, "attention_dropout":
     0.0, "moe_intermediate_size": 1408, "num_experts_per_tok": 8, "output_router_logits": false,
     "n_shared_experts": 1, "n_routed_experts": 128, "routed_scaling_factor": 1.0, "n_group": 1,
     "topk_group": 1, "first_k_dense_replace": 1, "norm_topk_prob": true, "use_qk_norm": false,
     "bos_token_id": null, "eos_token_id": null, "pad_token_id": null, "num_nextn_predict_layers": 1)"},
    {"gpt_bigcode",
     R"("is_encoder_decoder": false, "vocab_size": 50257, "n_positions": 1024, "n_embd": 768, "n_layer":
     12, "n_head": 12, "n_inner": null, "activation_function": "gelu_pytorch_tanh", "resid_pdrop": 0.1,
     "embd_pdrop": 0.1, "attn_pdrop": 0.1, "layer_norm_epsilon": 1e-05, "initializer_range": 0.02,
     "scale_attn_weights": true, "use_cache": true, "bos_token_id": 50256, "eos_token_id": 50256,
     "pad_token_id": null, "attention_softmax_in_fp32": true, "scale_attention_softmax_in_fp32": true,
     "multi_query": true, "add_cross_attention": false, "tie_word_embeddings": true,
     "num_key_value_heads": 1)"},
    {"gte",
     R"("is_encoder_decoder": false, "vocab_size": 250048, "hidden_size": 768, "num_hidden_layers": 12,
     "num_attention_heads": 12, "intermediate_size": 3072, "hidden_act": "gelu", "hidden_dropout_prob":
     0.1, "attention_probs_dropout_prob": 0.0, "max_position_embeddings": 8192, "type_vocab_size": 1,
     "initializer_range": 0.02, "layer_norm_eps": 1e-12, "pad_token_id": 1, "classifier_dropout": null,
     "bos_token_id": null, "eos_token_id": null, "tie_word_embeddings": true, "rope_parameters":
     {"rope_theta": 160000.0, "rope_type": "default"})"},
    {"ministral3",
     R"("is_encoder_decoder": false, "vocab_size": 131072, "hidden_size": 4096, "intermediate_size":
     14336, "num_hidden_layers": 34, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim":
     128, "hidden_act": "silu", "max_position_embeddings": 262144, "initializer_range": 0.02,
     "rms_norm_eps": 1e-05, "use_cache": true, "pad_token_id": 11, "bos_token_id": 1, "eos_token_id": 2,
     "tie_word_embeddings": false, "rope_parameters": {"type": "yarn", "rope_theta": 1000000.0, "factor":
     16.0, "original_max_position_embeddings": 16384, "max_position_embeddings": 262144, "beta_fast":
     32.0, "beta_slow": 1.0, "mscale_all_dim": 1.0, "mscale": 1.0, "llama_4_scaling_beta": 0.1,
     "rope_type": "yarn"}, "sliding_window": null, "attention_dropout": 0.0)"},
    {"mt5",
     R"("is_encoder_decoder": true, "vocab_size": 250112, "d_model": 512, "d_kv": 64, "d_ff": 1024,
     "num_layers": 8, "num_decoder_layers": 8, "num_heads": 6, "relative_attention_num_buckets": 32,
     "relative_attention_max_distance": 128, "dropout_rate": 0.1, "layer_norm_epsilon": 1e-06,
     "initializer_factor": 1.0, "feed_forward_proj": "gated-gelu", "use_cache": true,
     "tie_word_embeddings": true, "bos_token_id": null, "pad_token_id": 0, "eos_token_id": 1,
     "classifier_dropout": 0.0, "is_decoder": false, "dense_act_fn":
     "gelu_new", "is_gated_act": true)"},
    {"umt5",
     R"("is_encoder_decoder": true, "vocab_size": 250112, "d_model": 512, "d_kv": 64, "d_ff": 1024,
     "num_layers": 8, "num_decoder_layers": 8, "num_heads": 6, "relative_attention_num_buckets": 32,
     "relative_attention_max_distance": 128, "dropout_rate": 0.1, "layer_norm_epsilon": 1e-06,
     "initializer_factor": 1.0, "feed_forward_proj": "gated-gelu", "use_cache": true, "pad_token_id": 0,
     "eos_token_id": 1, "classifier_dropout": 0.0, "is_decoder": false,
     "dense_act_fn": "gelu_new", "is_gated_act": true, "scale_decoder_outputs": true,
     "tie_word_embeddings": true)"},
    {"qwen2_5_vl_text",
     R"("is_encoder_decoder": false, "vocab_size": 152064, "hidden_size": 8192, "intermediate_size":
     29568, "num_hidden_layers": 1, "num_attention_heads": 64, "num_key_value_heads": 8, "hidden_act":
     "silu", "max_position_embeddings": 32768, "initializer_range": 0.02, "rms_norm_eps": 1e-05,
     "use_cache": true, "use_sliding_window": false, "sliding_window": null, "max_window_layers": 80,
     "layer_types": ["full_attention"], "attention_dropout": 0.0, "rope_parameters": {"rope_theta":
     1000000.0, "rope_type": "default"}, "bos_token_id": 151643, "eos_token_id": 151645, "pad_token_id":
     null)"},
    {"qwen2_vl_text",
     R"("is_encoder_decoder": false, "vocab_size": 152064, "hidden_size": 8192, "intermediate_size":
     29568, "num_hidden_layers": 1, "num_attention_heads": 64, "num_key_value_heads": 8, "hidden_act":
     "silu", "max_position_embeddings": 32768, "initializer_range": 0.02, "rms_norm_eps": 1e-05,
     "use_cache": true, "use_sliding_window": false, "sliding_window": null, "max_window_layers": 80,
     "layer_types": ["full_attention"], "attention_dropout": 0.0, "rope_parameters": {"rope_theta":
     1000000.0, "rope_type": "default"}, "bos_token_id": 151643, "eos_token_id": 151645, "pad_token_id":
     null)"},
    {"qwen3_vl_text",
     R"("is_encoder_decoder": false, "vocab_size": 151936, "hidden_size": 4096, "intermediate_size":
     22016, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32, "head_dim":
     128, "hidden_act": "silu", "max_position_embeddings": 128000, "initializer_range": 0.02,
     "rms_norm_eps": 1e-06, "use_cache": true, "rope_parameters": {"rope_theta": 500000.0, "rope_type":
     "default"}, "attention_bias": false, "attention_dropout": 0.0, "pad_token_id": null)"},
    {"qwen3_vl_moe_text",
     R"("is_encoder_decoder": false, "vocab_size": 151936, "hidden_size": 2048, "intermediate_size":
     5632, "num_hidden_layers": 24, "num_attention_heads": 16, "num_key_value_heads": 16, "hidden_act":
     "silu", "max_position_embeddings": 128000, "initializer_range": 0.02, "rms_norm_eps": 1e-06,
     "use_cache": true, "tie_word_embeddings": true, "rope_parameters": {"rope_theta": 500000.0,
     "rope_type": "default"}, "attention_bias": false, "attention_dropout": 0.0, "decoder_sparse_step":
     1, "moe_intermediate_size": 1408, "num_experts_per_tok": 4, "num_local_experts": 60,
     "output_router_logits": false, "router_aux_loss_coef": 0.001, "mlp_only_layers": [], "pad_token_id":
     null, "bos_token_id": null, "eos_token_id": null, "head_dim": 128, "sliding_window": null)"}};

}  // namespace attnscope::saved_keys
