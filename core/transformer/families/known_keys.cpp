#include "core/transformer/families/known_keys.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>

#include <fmt/format.h>

#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

/// Keys that are read for all families, or compared with what is computed.
constexpr auto read_keys = std::to_array<std::string_view>(
    {"model_type", "architectures", "text_config", "vocab_size", "tie_word_embeddings", "attention_bias",
     "mlp_bias", "is_causal", "is_decoder", "id2label", "position_embedding_type", "head_dim",
     "num_key_value_heads", "layer_types", "sliding_window", "use_sliding_window", "quantization_config",
     "compression_config", "quantization"});
/// For families with rotary positions.
constexpr auto rotary_keys =
    std::to_array<std::string_view>({"rope_theta", "rope_scaling", "rope_parameters", "partial_rotary_factor",
                                     "original_max_position_embeddings"});

/// Keys that change no number of a run: where a config is from, how it is trained, how text is generated from
/// it.
constexpr auto harmless_everywhere = std::to_array<std::string_view>({"transformers_version",
                                                                      "transformers.js_config",
                                                                      "torch_dtype",
                                                                      "dtype",
                                                                      "torchscript",
                                                                      "use_bfloat16",
                                                                      "tf_legacy_loss",
                                                                      "return_dict",
                                                                      "use_cache",
                                                                      "cache_implementation",
                                                                      "output_hidden_states",
                                                                      "output_attentions",
                                                                      "output_past",
                                                                      "output_scores",
                                                                      "output_router_logits",
                                                                      "chunk_size_feed_forward",
                                                                      "is_encoder_decoder",
                                                                      "is_composition",
                                                                      "add_cross_attention",
                                                                      "cross_attention_hidden_size",
                                                                      "tie_encoder_decoder",
                                                                      "label2id",
                                                                      "num_labels",
                                                                      "problem_type",
                                                                      "finetuning_task",
                                                                      "loss_type",
                                                                      "task_specific_params",
                                                                      "name",
                                                                      "name_or_path",
                                                                      "base_model_name_or_path",
                                                                      "commit_hash",
                                                                      "tokenizer_class",
                                                                      "auto_map",
                                                                      "custom_pipelines",
                                                                      "attn_implementation",
                                                                      "gradient_checkpointing",
                                                                      "model_parallel",
                                                                      "fp16",
                                                                      "bf16",
                                                                      "xla_device",
                                                                      "keys_to_ignore_at_inference",
                                                                      "initializer",
                                                                      "initializer_range",
                                                                      "initializer_factor",
                                                                      "init_std",
                                                                      "dropout",
                                                                      "layerdrop",
                                                                      "dropout_rate",
                                                                      "neftune_noise_alpha",
                                                                      "router_aux_loss_coef",
                                                                      "max_window_layers",
                                                                      "model_max_length",
                                                                      "max_seq_len",
                                                                      "max_seq_length",
                                                                      "max_sequence_length",
                                                                      "seq_length",
                                                                      "vocab_size_or_config_json_file",
                                                                      "adapters",
                                                                      "language",
                                                                      "time_step_limit",
                                                                      "author",
                                                                      "license",
                                                                      "created_date",
                                                                      "trust_remote_code",
                                                                      "padding_side",
                                                                      "sentence_transformers",
                                                                      "sbert_ce_default_activation_function",
                                                                      "max_length",
                                                                      "min_length",
                                                                      "max_new_tokens",
                                                                      "do_sample",
                                                                      "early_stopping",
                                                                      "num_beams",
                                                                      "num_beam_groups",
                                                                      "diversity_penalty",
                                                                      "temperature",
                                                                      "top_k",
                                                                      "top_p",
                                                                      "min_p",
                                                                      "typical_p",
                                                                      "repetition_penalty",
                                                                      "length_penalty",
                                                                      "no_repeat_ngram_size",
                                                                      "encoder_no_repeat_ngram_size",
                                                                      "bad_words_ids",
                                                                      "num_return_sequences",
                                                                      "return_dict_in_generate",
                                                                      "remove_invalid_values",
                                                                      "exponential_decay_length_penalty",
                                                                      "suppress_tokens",
                                                                      "begin_suppress_tokens",
                                                                      "min_new_tokens",
                                                                      "stop_strings",
                                                                      "max_time",
                                                                      "penalty_alpha",
                                                                      "guidance_scale",
                                                                      "renormalize_logits",
                                                                      "epsilon_cutoff",
                                                                      "eta_cutoff",
                                                                      "encoder_repetition_penalty",
                                                                      "low_memory",
                                                                      "output_logits",
                                                                      "num_assistant_tokens",
                                                                      "num_assistant_tokens_schedule",
                                                                      "assistant_confidence_threshold",
                                                                      "prompt_lookup_num_tokens",
                                                                      "max_matching_ngram_size",
                                                                      "prefix",
                                                                      "use_flash_attention",
                                                                      "use_flash_attn",
                                                                      "use_flash_attention_2",
                                                                      "flash_attn"});
/// The same for keys that begin or end so: ids and texts of single tokens, dropout, which only training has,
/// what a program notes for itself, versions.
constexpr auto harmless_beginnings = std::to_array<std::string_view>({"_", "unsloth_"});
constexpr auto harmless_endings =
    std::to_array<std::string_view>({"_token_id", "_token_ids", "_token_index", "_token", "_dropout",
                                     "_dropout_prob", "_dropout_rate", "_pdrop", "_version"});

/// The value, beside null, false, 0 and empty ones, with which a key changes nothing.
enum class Off : std::uint8_t { One, Nothing };

struct SwitchedKey {
  std::string_view name;
  Off off;
};

/// Keys of other families and programs; any value but those that mean off would change the result.
constexpr auto switched_keys = std::to_array<SwitchedKey>({
    {"use_bidirectional_attention", Off::Nothing},
    {"scale_attn_by_inverse_layer_idx", Off::Nothing},
    {"attn_logit_softcapping", Off::Nothing},
    {"final_logit_softcapping", Off::Nothing},
    {"query_pre_attn_scalar", Off::Nothing},
    {"apply_residual_connection_post_layernorm", Off::Nothing},
    {"clip_qkv", Off::Nothing},
    {"qk_layernorm", Off::Nothing},
    {"use_qk_norm", Off::Nothing},
    {"qk_norm", Off::Nothing},
    {"alibi", Off::Nothing},
    {"multi_query", Off::Nothing},
    {"parallel_attn", Off::Nothing},
    {"no_rope_layers", Off::Nothing},
    {"no_rope_layer_interval", Off::Nothing},
    {"attention_multiplier", Off::One},
    {"embedding_multiplier", Off::One},
    {"residual_multiplier", Off::One},
    {"logits_scaling", Off::One},
    {"logit_scale", Off::One},
    {"attn_scale", Off::One},
    {"attn_temperature_tuning", Off::Nothing},
    {"scale_embedding", Off::Nothing},
    {"num_local_experts", Off::One},
    {"num_experts", Off::One},
    {"n_routed_experts", Off::One},
    {"pruned_heads", Off::Nothing},
    {"use_parallel_residual", Off::Nothing},
});

/// The one such key for which true means that it changes nothing.
constexpr std::string_view on_by_default = "scale_attn_weights";

bool is_off(const json& value) {
  if (value.is_null() || value == false) return true;
  if (value.is_structured() || value.is_string()) return value.empty() || value == "";
  return value.is_number() && !(std::abs(value.get<double>()) > 0);  // NaN too
}

/// An unknown key with such a value is a note of the program that wrote the file: settings of a model are
/// numbers, words and switches. NaN and Infinity come as their names.
bool is_note(const json& value) {
  return value.is_structured() || value == "NaN" || value == "Infinity" || value == "-Infinity";
}

bool is_in(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_read(const Family& family, std::string_view name) {
  const ConfigKeys& keys = family.keys;
  for (const std::string_view own : {keys.width, keys.layers, keys.heads, keys.kv_heads, keys.inner,
                                     keys.positions, keys.epsilon, keys.activation, keys.head_width})
    if (own == name) return true;
  if (std::ranges::find(family.aliases, name, &KeyAlias::first) != family.aliases.end()) return true;
  if (is_rotary(family.positions) && is_in(rotary_keys, name)) return true;
  if (family.rope.by_type && name == family.rope.local_base) return true;
  if (name == family.attention_bias_key || name == family.mlp_bias_key) return true;
  return is_in(read_keys, name) || is_in(family.own_keys, name);
}

bool is_harmless(const Family& family, std::string_view name) {
  const auto begins = [&](std::string_view with) { return name.starts_with(with); };
  const auto ends = [&](std::string_view with) { return name.ends_with(with); };
  return is_in(harmless_everywhere, name) || is_in(family.harmless_keys, name) ||
         std::ranges::any_of(harmless_beginnings, begins) || std::ranges::any_of(harmless_endings, ends);
}

}  // namespace

void refuse_change(const ConfigObject& config, const Family& family, std::string_view name,
                   const json& value) {
  config.refuse(name,
                fmt::format("it is {}, which would change what a model of the family {} computes and is "
                            "not known here.",
                            shown(value), family.name));
}

void need_implied(const ConfigObject& config, const Family& family, std::string_view name, int implied) {
  const json* found = config.find(name);
  if (found != nullptr && *found != implied) refuse_change(config, family, name, *found);
}

void refuse_unknown_keys(const ConfigObject& config, const Family& family) {
  for (const auto& [name, value] : config.value().items()) {
    if (is_off(value) && name != on_by_default) continue;
    if (is_read(family, name) || is_harmless(family, name)) continue;
    if (name == on_by_default && (value.is_null() || value == true)) continue;
    if (name == on_by_default) refuse_change(config, family, name, value);
    const auto at = std::ranges::find(switched_keys, name, &SwitchedKey::name);
    if (at != switched_keys.end()) {
      if (at->off == Off::One && value.is_number() && value == 1) continue;
      refuse_change(config, family, name, value);
    }
    if (is_note(value)) continue;
    config.refuse(
        in_quotes(name, 60),
        fmt::format("it is {}; no such key was expected. A model of the family {} is not known here to "
                    "have it, and it may change what is computed.",
                    shown(value), family.name));
  }
}

}  // namespace attnscope
