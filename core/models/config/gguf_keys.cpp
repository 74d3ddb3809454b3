#include "core/models/config/gguf_keys.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <type_traits>
#include <variant>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace gguf_header {
namespace {

/// Keys that are read for all families, or compared with what is computed
/// (core/models/reading/gguf_model.cpp).
constexpr auto read_keys = std::to_array<std::string_view>(
    {"block_count", "embedding_length", "feed_forward_length", "context_length", "expert_count",
     "expert_used_count", "attention.head_count", "attention.head_count_kv", "attention.key_length",
     "attention.value_length", "attention.scale", "attention.causal", "attention.sliding_window",
     "attention.sliding_window_pattern"});
/// For families with rotary positions. The last one is a note.
constexpr auto rotary_keys = std::to_array<std::string_view>(
    {"rope.freq_base", "rope.freq_base_swa", "rope.dimension_count", "rope.scale_linear", "rope.scaling.type",
     "rope.scaling.factor", "rope.scaling.attn_factor", "rope.scaling.original_context_length",
     "rope.scaling.yarn_attn_factor", "rope.scaling.yarn_ext_factor", "rope.scaling.yarn_beta_fast",
     "rope.scaling.yarn_beta_slow", "rope.scaling.finetuned"});
/// For families with soft caps.
constexpr auto cap_keys =
    std::to_array<std::string_view>({"attn_logit_softcapping", "final_logit_softcapping"});

/// For families with experts.
constexpr auto expert_keys = std::to_array<std::string_view>(
    {"expert_feed_forward_length", "expert_weights_norm", "expert_weights_scale"});
/// For families with multipliers.
constexpr auto scale_keys =
    std::to_array<std::string_view>({"embedding_scale", "residual_scale", "logit_scale"});

/// Keys that change no number of a run: the size of the vocabulary, which is the table's; how llama.cpp joins
/// the rows of a text into one vector; the names of classes; how the file came about.
constexpr auto harmless_keys = std::to_array<std::string_view>(
    {"vocab_size", "pooling_type", "classifier.output_labels", "tensor_data_layout"});

/// Factors, and counts of blocks and ranks, for which 1 is as neutral as 0.
constexpr auto neutral_at_one = std::to_array<std::string_view>(
    {"embedding_scale", "residual_scale", "logit_scale", "attention.output_scale", "attention.value_scale",
     "attention.kv_lora_rank", "attention.q_lora_rank", "leading_dense_block_count"});

constexpr std::string_view epsilon_of_layer_norm = "attention.layer_norm_epsilon",
                           epsilon_of_rms_norm = "attention.layer_norm_rms_epsilon";

bool is_in(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_neutral(const GgufValue& value, bool at_one) {
  return std::visit(
      [&]<class T>(const T& found) {
        if constexpr (std::is_same_v<T, bool>)
          return !found;
        else if constexpr (std::is_same_v<T, std::string_view>)
          return found.empty();
        else if constexpr (std::is_same_v<T, GgufArray>)
          return std::ranges::all_of(found.bytes, [](char byte) { return byte == 0; });
        else
          return found == T{0} || (at_one && found == T{1});
      },
      value);
}

std::string shown(const GgufValue& value) {
  return std::visit(
      []<class T>(const T& found) {
        if constexpr (std::is_same_v<T, std::string_view>)
          return in_quotes(found, 60);
        else if constexpr (std::is_same_v<T, GgufArray>)
          return fmt::format("a list of {} values", found.count);
        else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
          return fmt::format("{}", +found);  // of a byte the number
        else
          return fmt::format("{}", found);
      },
      value);
}

void refuse_unknown(const GgufFile& file, std::string_view architecture, const Family& family) {
  const GgufMetadata& metadata = file.metadata();
  const std::string prefix = fmt::format("{}.", architecture);
  const bool layer = family.norm == NormKind::LayerNorm;
  const std::string_view epsilon = layer ? epsilon_of_layer_norm : epsilon_of_rms_norm,
                         other_epsilon = layer ? epsilon_of_rms_norm : epsilon_of_layer_norm;
  const auto is_known = [&](std::string_view name) {
    // llama.cpp does not read the epsilon of the other norm; alone it would stand in for the one that is
    // missing.
    if (name == other_epsilon) return metadata.has(fmt::format("{}{}", prefix, epsilon));
    return name == epsilon || is_in(read_keys, name) || is_in(harmless_keys, name) ||
           (is_rotary(family.positions) && is_in(rotary_keys, name)) ||
           (family.gguf->grows_queries &&
            (name == "attention.temperature_scale" || name == "rope.scaling.yarn_log_multiplier")) ||
           (family.gguf->experts && is_in(expert_keys, name)) ||
           (family.gguf->scales != GgufScales::None && is_in(scale_keys, name)) ||
           (family.gguf->score_cap > 0 && is_in(cap_keys, name));
  };
  for (std::size_t i = 0; i < metadata.size(); ++i) {
    const std::string_view key = metadata.key(i);
    if (!key.starts_with(prefix)) continue;
    const std::string_view name = key.substr(prefix.size());
    if (is_known(name)) continue;
    const GgufValue value = metadata.value(i);
    if (is_neutral(value, is_in(neutral_at_one, name))) continue;
    throw Error(fmt::format("{}: {} is {}, which changes what is computed and is not known here.",
                            in_quotes(file.path().native()), in_quotes(key, 100), shown(value)));
  }
}

}  // namespace
}  // namespace gguf_header

void refuse_unknown_gguf_keys(const GgufFile& file, std::string_view architecture, const Family& family) {
  gguf_header::refuse_unknown(file, architecture, family);
}

}  // namespace attnscope
