#include "core/models/config/config_rope.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

constexpr int longest_context = 1 << 24;
/// "attn_factor" is a key of GGUF files, which transformers does not read in a config.
constexpr auto rope_keys = std::to_array<std::string_view>({"rope_theta",
                                                            "rope_type",
                                                            "type",
                                                            "factor",
                                                            "original_max_position_embeddings",
                                                            "low_freq_factor",
                                                            "high_freq_factor",
                                                            "beta_fast",
                                                            "beta_slow",
                                                            "truncate",
                                                            "attention_factor",
                                                            "mscale",
                                                            "mscale_all_dim",
                                                            "partial_rotary_factor",
                                                            "finetuned",
                                                            "attn_factor",
                                                            "short_factor",
                                                            "long_factor",
                                                            "llama_4_scaling_beta",
                                                            "max_position_embeddings"});
/// Of positions in pictures, which a text model of a family with them need not know.
constexpr auto section_keys = std::to_array<std::string_view>({"mrope_section", "mrope_interleaved"});

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

RopeScaling kind_of(const ConfigObject& scaling, const RopeKeys& rules) {
  const std::string_view key = scaling.find("rope_type") != nullptr ? "rope_type" : "type";
  const std::string type = scaling.text(key, "default");
  if (rules.sections && type == "mrope") return RopeScaling::None;                // with text alone
  if (rules.default_trained > 0 && type == "yarn") return RopeScaling::LongRope;  // as Phi-3's files mean it
  const std::optional<RopeScaling> kind = rope_scaling_from(type);
  if (!kind)
    scaling.refuse(key, fmt::format("{} is no scaling of rotary positions that is known here: default, "
                                    "linear, dynamic, yarn, llama3, longrope.",
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

/// A list of finite numbers above 0.
TensorPtr divisors_of(const ConfigObject& scaling, std::string_view key) {
  const json* found = scaling.find(key);
  if (found == nullptr) scaling.refuse(key, "it is missing; a list of numbers above 0 was expected.");
  std::vector<float> numbers;
  for (const json& one : found->is_array() ? *found : json::array({nullptr})) {
    const float number = one.is_number() ? one.get<float>() : 0;
    if (!(number > 0) || !std::isfinite(number)) scaling.fail(key, "a list of numbers above 0", *found);
    numbers.push_back(number);
  }
  return std::make_shared<const Tensor>(Shape{std::ssize(numbers)}, numbers);
}

/// Without a "factor" it is that of the positions.
void read_long_rope(const ConfigObject& scaling, int positions, PositionSettings& rope) {
  rope.rope_divisors = divisors_of(scaling, "long_factor");
  rope.rope_short_divisors = divisors_of(scaling, "short_factor");
  const double grown = static_cast<double>(positions) / rope.rope_trained;
  rope.rope_factor = static_cast<float>(std::max(1.0, scaling.number("factor", grown)));
  rope.rope_magnitude = static_cast<float>(magnitude_of(scaling, 1));
}

void read_scaling(const ConfigObject& config, const ConfigObject& scaling, const RopeKeys& rules,
                  int positions, PositionSettings& rope) {
  for (const auto& [key, value] : scaling.value().items())
    if (!value.is_null() && std::ranges::find(rope_keys, key) == rope_keys.end() &&
        !(rules.sections && std::ranges::find(section_keys, key) != section_keys.end()))
      scaling.refuse(in_quotes(key, 60), "it is no key of rotary positions that is known here.");
  // Ministral 3 says once more what stands outside.
  if (const json* most = scaling.find("max_position_embeddings"); most != nullptr && *most != positions)
    scaling.fail("max_position_embeddings", fmt::format("{} as outside", positions), *most);
  const auto number = [&](std::string_view key, double usual) {
    return static_cast<float>(scaling.number(key, usual));
  };
  rope.rope_scaling = kind_of(scaling, rules);
  const int usual = rules.default_trained > 0 ? rules.default_trained : positions;
  const int trained = scaling.whole("original_max_position_embeddings", usual, 1, longest_context);
  const int of_model = config.whole("original_max_position_embeddings", trained, 1, longest_context);
  const float low = number("low_freq_factor", 1), high = number("high_freq_factor", 4),
              fast = number("beta_fast", 32), slow = number("beta_slow", 1);
  const bool truncate = scaling.boolean("truncate", true);
  if (rope.rope_scaling == RopeScaling::Llama3 && high <= low)
    scaling.refuse("high_freq_factor", "it must be above low_freq_factor.");
  // Ministral 3's queries grow with their positions.
  if (const double growth = scaling.number("llama_4_scaling_beta", 0, false); growth > 0) {
    rope.query_growth = static_cast<float>(growth);
    rope.query_growth_length = of_model;
  }
  if (rope.rope_scaling == RopeScaling::None) {
    magnitude_of(scaling, 1);
    return;
  }
  // Dynamic scaling starts beyond the model's own number of positions.
  rope.rope_trained = rope.rope_scaling == RopeScaling::Dynamic ? positions : of_model;
  if (rope.rope_scaling == RopeScaling::LongRope) return read_long_rope(scaling, positions, rope);
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

namespace {

/// The object of a kind of blocks within "rope_parameters"; null if the config has none for it.
const json* of_type(const ConfigObject& config, std::string_view type) {
  const json* all = config.find("rope_parameters");
  if (all == nullptr || !all->is_object()) return nullptr;
  const auto at = all->find(type);
  return at == all->end() || !at->is_object() ? nullptr : &*at;
}

struct Rotation {
  double base, share;
};

/// Reads base, share and scaling of `scaling` if it is there; what it lacks stays as it is.
void read_rotation(const ConfigObject& config, const ConfigObject& scaling, const RopeKeys& rules,
                   int positions, Rotation& rotation, PositionSettings& rope) {
  rotation.base = scaling.number("rope_theta", rotation.base);
  rotation.share = scaling.number("partial_rotary_factor", rotation.share);
  read_scaling(config, scaling, rules, positions, rope);
}

PositionSettings finished(const ConfigObject& config, const Family& family, int d_k, const Rotation& rotation,
                          PositionSettings rope) {
  const std::string_view share_key = family.rope.share;
  const auto [base, share] = rotation;
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
  for (const TensorPtr& divisors : {rope.rope_divisors, rope.rope_short_divisors})
    if (divisors && divisors->size() != rotated / 2)
      config.refuse("long_factor", fmt::format("lists of {} numbers were found; {}, one for each pair that "
                                               "turns, were expected.",
                                               divisors->size(), rotated / 2));
  if (rotated != d_k) rope.rope_dims = rotated;
  return rope;
}

}  // namespace

PositionSettings rope_of(const ConfigObject& config, const Family& family, int d_k, int positions) {
  PositionSettings rope;
  Rotation rotation{config.number(family.rope.base, family.rope.default_base),
                    config.number(family.rope.share, family.rope.default_share)};
  constexpr std::string_view full = "full_attention";
  if (const json* own = family.rope.by_type ? of_type(config, full) : nullptr) {
    const ConfigObject all = config.object("rope_parameters");
    read_rotation(config, ConfigObject(*own, all.key(full), config.where()), family.rope, positions, rotation,
                  rope);
  } else if (const std::string_view name = object_name(config); !name.empty()) {
    read_rotation(config, config.object(name), family.rope, positions, rotation, rope);
  }
  return finished(config, family, d_k, rotation, std::move(rope));
}

PositionSettings local_rope_of(const ConfigObject& config, const Family& family, int d_k, int positions) {
  PositionSettings rope;
  constexpr std::string_view local = "sliding_attention";
  Rotation rotation{family.rope.default_base, config.number(family.rope.share, family.rope.default_share)};
  if (!family.rope.local_base.empty())
    rotation.base = config.number(family.rope.local_base, family.rope.default_local_base);
  else
    rotation.base = config.number(family.rope.base, family.rope.default_base);
  if (const json* own = of_type(config, local)) {
    const ConfigObject all = config.object("rope_parameters");
    read_rotation(config, ConfigObject(*own, all.key(local), config.where()), family.rope, positions,
                  rotation, rope);
  }
  return finished(config, family, d_k, rotation, std::move(rope));
}

}  // namespace attnscope
