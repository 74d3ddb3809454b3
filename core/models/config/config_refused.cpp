#include "core/models/config/config_refused.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

/// The value of an unread key that changes nothing.
enum class Neutral : std::uint8_t { False, One, Nothing };

struct UnreadKey {
  std::string_view name;
  Neutral neutral;
  std::string_view read_by = {};  // the one family that reads it
};

/// Keys of other families and programs; any value but the neutral one would change the result.
constexpr auto unread_keys = std::to_array<UnreadKey>({
    {"use_bidirectional_attention", Neutral::False},
    {"scale_attn_by_inverse_layer_idx", Neutral::False, "GPT-2"},
    {"attn_logit_softcapping", Neutral::Nothing, "Gemma 2"},
    {"final_logit_softcapping", Neutral::Nothing, "Gemma 2"},
    {"query_pre_attn_scalar", Neutral::Nothing, "Gemma 2"},
    {"apply_residual_connection_post_layernorm", Neutral::False, "BLOOM"},
    {"clip_qkv", Neutral::Nothing},
    {"qk_layernorm", Neutral::False},
    {"use_qk_norm", Neutral::False},
    {"qk_norm", Neutral::False},
    {"alibi", Neutral::False},
    {"multi_query", Neutral::False},
    {"parallel_attn", Neutral::False},
    {"no_rope_layers", Neutral::Nothing},
    {"no_rope_layer_interval", Neutral::Nothing},
    {"attention_multiplier", Neutral::One},
    {"embedding_multiplier", Neutral::One},
    {"residual_multiplier", Neutral::One},
    {"logits_scaling", Neutral::One},
    {"logit_scale", Neutral::One},
    {"attn_scale", Neutral::One},
    {"attn_temperature_tuning", Neutral::False},
    {"scale_embedding", Neutral::False},
    {"num_local_experts", Neutral::One},
    {"num_experts", Neutral::One},
    {"n_routed_experts", Neutral::One},
    {"pruned_heads", Neutral::Nothing},
});

bool is_neutral(const json& value, Neutral neutral) {
  if (value.is_null() || value == false) return true;
  if (value.is_structured() && value.empty()) return true;
  if (value.is_number() && value.get<double>() == 0) return true;
  return neutral == Neutral::One && value.is_number() && value.get<double>() == 1;
}

[[noreturn]] void refuse(const ConfigObject& config, std::string_view name, const json& value,
                         const FamilyRow& family) {
  config.refuse(name,
                fmt::format("it is {}, which would change what a model of the family {} computes and is "
                            "not known here.",
                            shown(value), family.name));
}

/// Throws FieldError unless the key is missing or has the value that another setting implies.
void need(const ConfigObject& config, const FamilyRow& family, std::string_view name, int implied) {
  const json* found = config.find(name);
  if (found != nullptr && *found != implied) refuse(config, name, *found, family);
}

/// Throws FieldError for windows or kinds of layers that the family does not have, or that differ between
/// layers.
void check_layers(const ConfigObject& config, const FamilyRow& family, const StackSpec& stack) {
  if (family.name.starts_with("Qwen") || family.name == "Gemma 2") return;
  if (const json* types = config.find("layer_types"); types != nullptr && types->is_array()) {
    for (std::size_t i = 0; i < types->size(); ++i) {
      const bool slides = i < stack.blocks.size() && stack.blocks[i].window > 0;
      if ((*types)[i] != (slides ? "sliding_attention" : "full_attention"))
        refuse(config, "layer_types", *types, family);
    }
  }
  const json* window = config.find("sliding_window");
  if (family.name == "Mistral" || window == nullptr || !window->is_number_integer()) return;
  const bool is_used = config.boolean("use_sliding_window", true);
  const int positions = config.whole(family.keys.positions, family.keys.default_positions, 1, 1 << 24);
  if (is_used && window->get<std::int64_t>() < positions) refuse(config, "sliding_window", *window, family);
}

void check_positions(const ConfigObject& config, const FamilyRow& family) {
  const json* type = config.find("position_embedding_type");
  if (type == nullptr) return;
  const std::string_view own = is_rotary(family.positions)            ? "rope"
                               : family.positions == Positions::Alibi ? "alibi"
                                                                      : "absolute";
  if (*type != own && *type != "absolute") refuse(config, "position_embedding_type", *type, family);
}

}  // namespace

void refuse_unread(const ConfigObject& config, const FamilyRow& family, const ModelSpec& spec) {
  const StackSpec& stack = spec.decoder ? *spec.decoder : *spec.encoder;
  const AttentionSpec& attention = stack.blocks[0];
  for (const UnreadKey& key : unread_keys)
    if (const json* found = config.find(key.name);
        found != nullptr && key.read_by != family.name && !is_neutral(*found, key.neutral))
      refuse(config, key.name, *found, family);
  if (const json* scaled = config.find("scale_attn_weights");
      scaled != nullptr && *scaled != true && family.name != "GPT-2")
    refuse(config, "scale_attn_weights", *scaled, family);
  if (family.keys.head_width.empty()) need(config, family, "head_dim", attention.d_k);
  if (family.keys.kv_heads.empty()) need(config, family, "num_key_value_heads", attention.heads);
  if (!(family.name == "BERT" || family.name == "RoBERTa") && !spec.decoder)
    if (const json* decodes = config.find("is_decoder"); decodes != nullptr && *decodes != false)
      refuse(config, "is_decoder", *decodes, family);
  if (family.arrangement != Arrangement::Parallel)
    if (const json* parallel = config.find("use_parallel_residual");
        parallel != nullptr && *parallel != false)
      refuse(config, "use_parallel_residual", *parallel, family);
  if (spec.image) {
    if (const json* act = config.find("pooler_act"); act != nullptr && *act != "tanh")
      refuse(config, "pooler_act", *act, family);
    need(config, family, "pooler_output_size", spec.d_model);
  }
  if (is_rotary(stack.positions) && family.arrangement != Arrangement::Parallel &&
      stack.rope.rotated != attention.d_k / 2 * 2)
    config.refuse("partial_rotary_factor",
                  fmt::format("{} of {} dimensions of a head would turn; a model of the family {} turns all.",
                              stack.rope.rotated, attention.d_k, family.name));
  // With both keys, transformers multiplies in slices and leaves out two biases of each block.
  if (const json* pieces = config.find("pretraining_tp");
      family.name == "BLOOM" && config.boolean("slow_but_exact", false) && pieces != nullptr && *pieces != 1)
    refuse(config, "slow_but_exact", true, family);
  check_layers(config, family, stack);
  check_positions(config, family);
}

void refuse_quantised(const ConfigObject& config) {
  for (const std::string_view name : {"quantization_config", "compression_config", "quantization"}) {
    const json* found = config.find(name);
    if (found == nullptr || !found->is_object() || found->empty()) continue;
    const auto text = [&](const char* key) {
      const auto at = found->find(key);
      return at == found->end() || !at->is_string() ? std::string() : at->get<std::string>();
    };
    const std::string method = text("quant_method"), format = text("format");
    const bool eight_bits = found->value("load_in_8bit", json(false)) == true ||
                            found->value("_load_in_8bit", json(false)) == true;
    if (method == "bitsandbytes" && eight_bits) continue;
    if (method == "compressed-tensors" && (format == "int-quantized" || format == "naive-quantized"))
      continue;
    config.refuse(name,
                  fmt::format("the weights are quantised{}, which is not read here; whole numbers of 8 bits "
                              "with a scale for each row are (bitsandbytes, compressed-tensors), and GGUF "
                              "files.",
                              method.empty() ? "" : " by " + in_quotes(method, 40)));
  }
}

}  // namespace attnscope
