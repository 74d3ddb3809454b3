#include "core/models/config/config_refused.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "core/transformer/families/known_keys.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

/// Throws FieldError for windows or kinds of layers that the family does not have, or that differ between
/// layers.
void check_layers(const ConfigObject& config, const Family& family, const StackSpec& stack) {
  if (family.reads_layer_types) return;
  if (const json* types = config.find("layer_types"); types != nullptr && types->is_array()) {
    for (std::size_t i = 0; i < types->size(); ++i) {
      const bool slides = i < stack.blocks.size() && window_of(stack.blocks[i]) > 0;
      if ((*types)[i] != (slides ? "sliding_attention" : "full_attention"))
        refuse_change(config, family, "layer_types", *types);
    }
  }
  const json* window = config.find("sliding_window");
  if (family.windows != nullptr || window == nullptr || !window->is_number_integer()) return;
  const bool is_used = config.boolean("use_sliding_window", true);
  const int positions = config.whole(family.keys.positions, family.keys.default_positions, 1, 1 << 24);
  if (is_used && window->get<std::int64_t>() < positions)
    refuse_change(config, family, "sliding_window", *window);
}

void check_positions(const ConfigObject& config, const Family& family) {
  constexpr std::string_view key = "position_embedding_type";
  const json* type = config.find(key);
  if (type == nullptr || std::ranges::find(family.own_keys, key) != family.own_keys.end()) return;
  const std::string_view own = is_rotary(family.positions)            ? "rope"
                               : family.positions == Positions::Alibi ? "alibi"
                                                                      : "absolute";
  if (*type != own && *type != "absolute") refuse_change(config, family, "position_embedding_type", *type);
}

}  // namespace

void refuse_unread(const ConfigObject& config, const Family& family, const ModelSpec& spec) {
  const StackSpec& stack = spec.output_stack();
  const LayerSpec& attention = stack.blocks[0];
  if (family.keys.head_width.empty()) need_implied(config, family, "head_dim", attention.d_k);
  constexpr std::string_view kv_heads = "num_key_value_heads";  // a family that reads it itself checks it
  if (family.keys.kv_heads.empty() &&
      std::ranges::find(family.own_keys, kv_heads) == std::end(family.own_keys))
    need_implied(config, family, kv_heads, attention.heads);
  if (!family.may_decode && !spec.decoder)
    if (const json* decodes = config.find("is_decoder"); decodes != nullptr && *decodes != false)
      refuse_change(config, family, "is_decoder", *decodes);
  if (spec.encoder)
    if (const json* causal = config.find("is_causal");
        causal != nullptr && *causal != spec.decoder.has_value())
      refuse_change(config, family, "is_causal", *causal);
  std::int64_t rotated = rope_of(attention).rotated;
  for (const LayerSpec& block : stack.blocks) rotated = std::min(rotated, rope_of(block).rotated);
  if (is_rotary(stack.positions()) && !family.rope.partial && rotated != attention.d_k / 2 * 2)
    config.refuse("partial_rotary_factor",
                  fmt::format("{} of {} dimensions of a head would turn; a model of the family {} turns all.",
                              rotated, attention.d_k, family.name));
  check_layers(config, family, stack);
  check_positions(config, family);
  refuse_unknown_keys(config, family);
}

}  // namespace attnscope
