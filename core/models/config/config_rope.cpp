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

double factor_of(const ConfigObject& scaling, const PositionSettings& rope, int positions) {
  if (scaling.find("factor") != nullptr) return scaling.number("factor", 1);
  if (rope.rope_scaling != RopeScaling::Yarn || scaling.find("original_max_position_embeddings") == nullptr)
    scaling.refuse("factor", "it is missing; a number above 0 was expected.");
  return static_cast<double>(positions) / rope.rope_trained;
}

/// The factor of cosine and sine; 0: 0.1·ln(factor) + 1.
double magnitude_of(const ConfigObject& scaling, double factor) {
  if (scaling.find("attention_factor") != nullptr) return scaling.number("attention_factor", 1);
  if (scaling.find("mscale") == nullptr || scaling.find("mscale_all_dim") == nullptr) return 0;
  const double all = scaling.number("mscale_all_dim", 1, false), one = scaling.number("mscale", 1, false);
  if (all == 0 || one == 0) return 0;
  const auto grown = [&](double scale) { return factor > 1 ? 0.1 * scale * std::log(factor) + 1 : 1.0; };
  return grown(one) / grown(all);
}

void read_scaling(const ConfigObject& config, const ConfigObject& scaling, int positions,
                  PositionSettings& rope) {
  for (const auto& [key, value] : scaling.value().items())
    if (!value.is_null() && std::ranges::find(rope_keys, key) == rope_keys.end())
      scaling.refuse(in_quotes(key, 60), "it is no key of rotary positions that is known here.");
  const auto number = [&](std::string_view key, double usual) {
    return static_cast<float>(scaling.number(key, usual));
  };
  rope.rope_scaling = kind_of(scaling);
  const int trained = scaling.whole("original_max_position_embeddings", positions, 1, longest_context);
  const int of_model = config.whole("original_max_position_embeddings", trained, 1, longest_context);
  const float low = number("low_freq_factor", 1), high = number("high_freq_factor", 4),
              fast = number("beta_fast", 32), slow = number("beta_slow", 1);
  const bool truncate = scaling.boolean("truncate", true);
  if (rope.rope_scaling == RopeScaling::Llama3 && high <= low)
    scaling.refuse("high_freq_factor", "it must be above low_freq_factor.");
  if (rope.rope_scaling == RopeScaling::None) {
    magnitude_of(scaling, 1);
    return;
  }
  // Dynamic scaling starts beyond the model's own number of positions.
  rope.rope_trained = rope.rope_scaling == RopeScaling::Dynamic ? positions : of_model;
  const double factor = factor_of(scaling, rope, positions), magnitude = magnitude_of(scaling, factor);
  rope.rope_factor = static_cast<float>(factor);
  if (rope.rope_scaling == RopeScaling::Llama3) {
    rope.rope_low_turns = low;
    rope.rope_high_turns = high;
  }
  if (rope.rope_scaling != RopeScaling::Yarn) return;
  rope.rope_slow_turns = slow;
  rope.rope_fast_turns = fast;
  rope.rope_truncate = truncate;
  rope.rope_magnitude = static_cast<float>(magnitude);
}

}  // namespace

PositionSettings rope_of(const ConfigObject& config, const Family& family, int d_k, int positions) {
  const std::string_view share_key = family.rope.share;
  PositionSettings rope;
  double base = config.number(family.rope.base, family.rope.default_base);
  double share = config.number(share_key, family.rope.default_share);
  if (const std::string_view name = object_name(config); !name.empty()) {
    const ConfigObject scaling = config.object(name);
    base = scaling.number("rope_theta", base);
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
  rope.rope_base = static_cast<float>(base);
  const int rotated = static_cast<int>(static_cast<double>(d_k) * share) / 2 * 2;
  if (rotated < 2) config.refuse(share_key, "it leaves no dimension of a head to turn.");
  if (rope.rope_scaling == RopeScaling::Dynamic && rotated < 4)
    config.refuse("rope_type", "dynamic scaling needs at least four dimensions that turn.");
  if (rotated != d_k) rope.rope_dims = rotated;
  return rope;
}

}  // namespace attnscope
