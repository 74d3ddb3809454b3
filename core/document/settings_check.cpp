#include "core/document/settings_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/number_checks.hpp"
#include "core/document/layer_sizes.hpp"
#include "core/document/setting_table.hpp"
#include "core/transformer/positions/schemes.hpp"

namespace attnscope {

namespace {

/// Checks each setting against its limits in the table.
void check_limits(const Document& document) {
  for_each_setting([&](const auto& row) {
    const auto& value = row.of(document);
    using T = std::remove_cvref_t<decltype(value)>;
    const Limits& limits = row.limits;
    if constexpr (std::is_same_v<T, int>) {
      if (!limits.called.empty())
        check_range(limits.called, value, static_cast<std::int64_t>(limits.least),
                    static_cast<std::int64_t>(limits.most));
    } else if constexpr (std::is_same_v<T, float>) {
      if (!limits.allow(value)) throw Error(fmt::format(fmt::runtime(limits.refusal), value));
    }
  });
}

void check_gain(std::string_view what, float gain) {
  if (!(gain > 0) || !std::isfinite(gain))
    throw Error(fmt::format("The gain of {} is {}; it must be a finite number above 0.", what, gain));
}

void check_gains(const Document& document) {
  constexpr std::array<std::string_view, 4> names{"W_Q", "W_K", "W_V", "W_O"};
  for (std::size_t i = 0; i < names.size(); ++i)
    check_gain(names[i], document.layer().weights.blocks[i].gain);
}

void check_vectors(std::string_view what, const TensorPtr& edited, const Shape& expected) {
  if (!edited || edited->shape() == expected) return;
  throw Error(
      fmt::format("The edited vectors of {} have shape {}; they must be [sequences, tokens, d_model] "
                  "= {}.",
                  what, to_string(edited->shape()), to_string(expected)));
}

}  // namespace

void check_edited(const Document& document) {
  const LayerSpec& layer = document.layer();
  const Input& input = document.input;
  const std::int64_t batch = std::ssize(input.sequences), width = layer.d_model;
  check_vectors("the text", input.from_text().edited, {batch, padded_tokens(input), width});
  check_vectors("the second text", input.from_text().edited_memory, {batch, longest_of(input.memory), width});
  const std::int64_t largest = std::max(width, std::int64_t{layer.heads} * value_width(document));
  if (layer.weights.recipe != Recipe::Given && wants_orthogonal(layer.weights) &&
      largest > max_orthogonal_size) {
    throw Error(fmt::format("Orthogonal weights are made for sizes up to {}; these are {} wide.",
                            max_orthogonal_size, largest));
  }
}

void check_settings(const Document& document) {
  const LayerSpec& layer = document.layer();
  check_limits(document);
  check_gains(document);
  const Scaling& scaling = layer.scaling;
  if (scaling.kind == Scaling::Kind::Factor && !std::isfinite(scaling.factor))
    throw Error(fmt::format("The scale factor is {}; it must be a finite number.", scaling.factor));
  const Sparsity& sparsity = layer.masking.sparsity;
  check_scheme(layer.positions, layer.position_settings, image_of(sparsity));
  check_even("The number of LSH buckets", sparsity.lsh_buckets, "");
  if (sparsity.kind == Sparsity::Kind::Windows && sparsity.shift >= sparsity.side)
    throw Error(fmt::format("The shift of the windows is {}; it must be less than their side, {}.",
                            sparsity.shift, sparsity.side));
}

void check_interventions(const std::vector<Intervention>& intervention, const Dimensions& size) {
  const std::int64_t listed = std::ssize(intervention);
  if (listed != 0 && listed != size.heads) {
    throw Error(fmt::format("Interventions are listed for {} head{}; there are {}.", listed,
                            listed == 1 ? "" : "s", size.heads));
  }
  const Shape wanted{size.batch, size.queries, size.keys};
  for (std::size_t h = 0; h < intervention.size(); ++h) {
    const TensorPtr& frozen = intervention[h].frozen;
    if (intervention[h].kind != Intervention::Kind::Frozen || (frozen && frozen->shape() == wanted)) continue;
    throw Error(fmt::format("The frozen pattern of head {} {}; it must be [batch, queries, keys] = {}.", h,
                            frozen ? "has shape " + to_string(frozen->shape()) : std::string("is missing"),
                            to_string(wanted)));
  }
}

void check_pattern(std::int64_t head, const Tensor& pattern) {
  std::int64_t wrong = 0;
  for (const float weight : pattern.values()) wrong += !(weight >= 0 && weight <= 1.0001f);
  if (wrong == 0) return;
  throw Error(fmt::format(
      "The pattern of head {} holds {} number{} that {} no weight{}: NaN, infinite or outside 0 to "
      "1; it cannot be frozen.",
      head, wrong, wrong == 1 ? "" : "s", wrong == 1 ? "is" : "are", wrong == 1 ? "" : "s"));
}

}  // namespace attnscope
