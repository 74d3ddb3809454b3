#include "core/models/config/config_rope.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

constexpr int longest_context = 1 << 24;
/// "attn_factor" is a key of GGUF files, which transformers does not read in a config.
constexpr auto rope_keys = std::to_array<std::string_view>(
    {"rope_theta", "rope_type", "type", "factor", "original_max_position_embeddings", "low_freq_factor",
     "high_freq_factor", "beta_fast", "beta_slow", "truncate", "attention_factor", "mscale", "mscale_all_dim",
     "partial_rotary_factor", "finetuned", "attn_factor"});

bool is_object(const json* found) { return found != nullptr && !(found->is_object() && found->empty()); }

/// The name of the object with the settings; empty if there is none.
std::string_view object_name(const ConfigObject& config) {
  const bool older = is_object(config.find("rope_scaling")),
             newer = is_object(config.find("rope_parameters"));
  if (older && newer && config.find("rope_theta") == nullptr) {
    // transformers then ignores the rope_theta in rope_parameters, which no author intends.
    const double base = config.object("rope_parameters").number("rope_theta", 10'000);
    if (config.object("rope_scaling").number("rope_theta", 10'000) != base)
      config.refuse("rope_scaling",
                    fmt::format("it stands beside rope_parameters, whose rope_theta {} it would replace; put "
                                "rope_theta into rope_scaling.",
                                base));
  }
  return older ? "rope_scaling" : newer ? "rope_parameters" : "";
}

RopeScaling kind_of(const ConfigObject& scaling) {
  const std::string_view key = scaling.find("rope_type") != nullptr ? "rope_type" : "type";
  const std::string type = scaling.text(key, "default");
  const std::optional<RopeScaling> kind = rope_scaling_from(type);
  if (!kind)
    scaling.refuse(key, fmt::format("{} is no scaling of rotary positions that is known here: default, "
                                    "linear, dynamic, yarn, llama3.",
                                    in_quotes(type, 60)));
  return *kind;
}

double factor_of(const ConfigObject& scaling, const RopeSettings& rope, int positions) {
  if (rope.scaling == RopeScaling::None) return 1;
  if (scaling.find("factor") != nullptr) return scaling.number("factor", 1);
  if (rope.scaling != RopeScaling::Yarn || scaling.find("original_max_position_embeddings") == nullptr)
    scaling.refuse("factor", "it is missing; a number above 0 was expected.");
  return static_cast<double>(positions) / static_cast<double>(rope.trained_positions);
}

/// The factor of cosine and sine; nothing: 0.1·ln(factor) + 1.
std::optional<double> magnitude_of(const ConfigObject& scaling, double factor) {
  if (scaling.find("attention_factor") != nullptr) return scaling.number("attention_factor", 1);
  if (scaling.find("mscale") == nullptr || scaling.find("mscale_all_dim") == nullptr) return std::nullopt;
  const double all = scaling.number("mscale_all_dim", 1, false), one = scaling.number("mscale", 1, false);
  if (all == 0 || one == 0) return std::nullopt;
  const auto grown = [&](double scale) { return factor > 1 ? 0.1 * scale * std::log(factor) + 1 : 1.0; };
  return grown(one) / grown(all);
}

void read_scaling(const ConfigObject& config, const ConfigObject& scaling, int positions,
                  RopeSettings& rope) {
  for (const auto& [key, value] : scaling.value().items())
    if (!value.is_null() && std::ranges::find(rope_keys, key) == rope_keys.end())
      scaling.refuse(in_quotes(key, 60), "it is no key of rotary positions that is known here.");
  rope.scaling = kind_of(scaling);
  const int trained = scaling.whole("original_max_position_embeddings", positions, 1, longest_context);
  rope.trained_positions = config.whole("original_max_position_embeddings", trained, 1, longest_context);
  // Dynamic scaling starts beyond the model's own number of positions.
  if (rope.scaling == RopeScaling::Dynamic) rope.trained_positions = positions;
  rope.low_frequency = scaling.number("low_freq_factor", 1);
  rope.high_frequency = scaling.number("high_freq_factor", 4);
  if (rope.scaling == RopeScaling::Llama3 && rope.high_frequency <= rope.low_frequency)
    scaling.refuse("high_freq_factor", "it must be above low_freq_factor.");
  rope.factor = factor_of(scaling, rope, positions);
  rope.fast = scaling.number("beta_fast", 32);
  rope.slow = scaling.number("beta_slow", 1);
  rope.truncate = scaling.boolean("truncate", true);
  rope.magnitude = magnitude_of(scaling, rope.factor);
}

}  // namespace

RopeSettings rope_of(const ConfigObject& config, const Family& family, int d_k, int positions) {
  const std::string_view share_key = family.rope.share;
  RopeSettings rope;
  rope.base = config.number(family.rope.base, family.rope.default_base);
  double share = config.number(share_key, family.rope.default_share);
  if (const std::string_view name = object_name(config); !name.empty()) {
    const ConfigObject scaling = config.object(name);
    rope.base = scaling.number("rope_theta", rope.base);
    share = scaling.number("partial_rotary_factor", share);
    read_scaling(config, scaling, positions, rope);
  }
  if (share > 1) config.refuse(share_key, "it must not be above 1.");
  // For an odd number transformers rotates one more dimension, with the frequencies of the odd number.
  if (const auto turning = static_cast<std::int64_t>(static_cast<double>(d_k) * share);
      share < 1 && turning % 2 != 0)
    config.refuse(share_key, fmt::format("{} of {} dimensions of a head would turn; an even number of them "
                                         "was expected.",
                                         turning, d_k));
  rope.rotated = static_cast<std::int64_t>(static_cast<double>(d_k) * share) / 2 * 2;
  if (rope.rotated < 2) config.refuse(share_key, "it leaves no dimension of a head to turn.");
  if (rope.scaling == RopeScaling::Dynamic && rope.rotated < 4)
    config.refuse("rope_type", "dynamic scaling needs at least four dimensions that turn.");
  return rope;
}

}  // namespace attnscope
