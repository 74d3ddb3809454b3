#include "core/analysis/sum_row.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Core>

#include "core/attention/row_math.hpp"

namespace attnscope {
namespace {

using FloatRow = Eigen::Map<const Eigen::ArrayXf>;

void sum_scores(FloatRow masked, float temperature, const RowRoom& room, SumsOfRow& sums) {
  const float largest = masked.maxCoeff<Eigen::PropagateNaN>();
  // At t = -106 the exponential is already 0; the clamp keeps 0 · -inf out of u. NaN passes it.
  for (std::size_t key = 0; key < room.t.size(); ++key) {
    const float x = (masked.data()[key] - largest) / temperature;
    room.t[key] = x < -106.0f ? -106.0f : x;
    room.e[key] = exp_nonpositive(x);
  }
  sums.largest_score = static_cast<double>(largest);
  sums.sum = sum_in_double<float>(room.e);
  sums.centred = dot_in_double<float>(room.e, room.t);
}

void sum_weights(FloatRow weights, SumsOfRow& sums) {
  const float largest = sums.largest = weights.maxCoeff<Eigen::PropagateNaN>();
  sums.strongest = -1;
  if (largest == largest)
    sums.strongest = static_cast<std::int32_t>(
        std::find(weights.data(), weights.data() + weights.size(), largest) - weights.data());
  if (!std::isfinite(largest))
    sums.not_finite = static_cast<std::int32_t>(weights.size() - weights.isFinite().count());
  const float* w = weights.data();
  for (Eigen::Index key = 0; key < weights.size(); ++key) {
    const double weight = static_cast<double>(w[key]), square = weight * weight;
    sums.squares += square;
    sums.cubes += square * weight;
  }
}

/// Sums over special tokens, positions and distances; the token patterns are left to pattern_masses().
void sum_places(FloatRow weights, const MeasuredRow& place, const TokenClasses& tokens, SumsOfRow& sums) {
  const float* w = weights.data();
  const auto count = static_cast<std::size_t>(place.token_keys);
  const auto of = [&](std::int64_t key) { return key >= 0 && key < place.token_keys ? w[key] : 0; };
  sums.first = of(0);
  for (std::int64_t i = 0; i < 5 && !place.cross; ++i) sums.near[i] = of(place.position + i - 2);
  const std::vector<std::uint8_t>& special = tokens.special();
  sums.special =
      sum_of(count, [&](std::size_t key) { return special[key] != 0 ? static_cast<double>(w[key]) : 0; });
  sums.distances = sum_of(count, [&](std::size_t key) {
    return static_cast<double>(w[key]) *
           static_cast<double>(std::abs(place.position - static_cast<std::int64_t>(key)));
  });
  sums.on_tokens = sum_in_double<float>({w, count});
  sums.extra = sum_in_double<float>({w + count, static_cast<std::size_t>(weights.size()) - count});
}

}  // namespace

SumsOfRow sum_row(const RowNumbers& numbers, float temperature, const MeasuredRow& place,
                  const TokenClasses& tokens, RowRoom room) {
  const auto row = [](std::span<const float> of) {
    return FloatRow(of.data(), static_cast<Eigen::Index>(of.size()));
  };
  SumsOfRow sums{};
  sum_scores(row(numbers.masked), temperature, room, sums);
  sum_weights(row(numbers.weights), sums);
  sum_places(row(numbers.weights), place, tokens, sums);
  return sums;
}

}  // namespace attnscope
