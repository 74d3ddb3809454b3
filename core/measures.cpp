#include "core/measures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/error.hpp"
#include "core/mask.hpp"
#include "core/stages/row_math.hpp"

namespace attnscope {

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
using FloatRow = Eigen::Map<const Eigen::ArrayXf>;

/// What one pass over a row of masked scores gives.
struct RowSums {
  double largest, sum, centred;  // max x, l = Σ e^t, u = Σ t e^t with t = (x - max) / temperature
};

/// t and e: room for a row each.
RowSums sum_row(FloatRow masked, float temperature, std::vector<float>& t, std::vector<float>& e) {
  const float largest = masked.maxCoeff<Eigen::PropagateNaN>();
  // At t = -106 the exponential is already 0; the clamp keeps 0 · -inf out of u. NaN passes it.
  for (std::size_t key = 0; key < t.size(); ++key) {
    const float x = (masked.data()[key] - largest) / temperature;
    t[key] = x < -106.0f ? -106.0f : x;
    e[key] = exp_nonpositive(x);
  }
  return {static_cast<double>(largest), sum_in_double<float>(e), dot_in_double<float>(e, t)};
}

/// Entropy in the centred form H = ln l - u / l, which loses nothing when all scores share a large offset.
void measure_entropy(const RowSums& sums, double temperature, RowMeasures& row) {
  if (sums.largest == -std::numeric_limits<double>::infinity()) {
    row.entropy = 0;
    row.log_sum_exp = sums.largest;
  } else {
    const double entropy = std::log(sums.sum) - sums.centred / sums.sum;
    row.entropy = entropy < 0 ? 0 : entropy;  // NaN stays
    row.log_sum_exp = sums.largest / temperature + std::log(sums.sum);
  }
  if (row.allowed >= 2) {
    const double share = row.entropy / std::log(static_cast<double>(row.allowed));
    row.normalised = share > 1 ? 1 : share;
  } else {
    row.normalised = not_a_number;
  }
}

void measure_weights(FloatRow weights, RowMeasures& row, HeadMeasures& head) {
  const float largest = weights.maxCoeff<Eigen::PropagateNaN>();
  row.largest = static_cast<double>(largest);
  if (row.allowed > 0 && largest > 0) {
    row.strongest = std::find(weights.data(), weights.data() + weights.size(), largest) - weights.data();
  }
  if (!std::isfinite(largest)) head.not_finite += weights.size() - weights.isFinite().count();
  if (largest > head.largest) head.largest = static_cast<double>(largest);
}

/// Mean, least and largest of some rows.
struct Spread {
  double sum = 0, least = not_a_number, largest = not_a_number;
  std::int64_t count = 0;
  void add(double value) {
    sum += value;
    least = std::fmin(least, value);
    largest = std::fmax(largest, value);
    ++count;
  }
  double mean() const { return count == 0 ? not_a_number : sum / static_cast<double>(count); }
};

void summarise(std::span<const RowMeasures> rows, HeadMeasures& head) {
  Spread entropy, normalised;
  for (const RowMeasures& row : rows) {
    if (row.padding) continue;
    entropy.add(row.entropy);
    if (row.allowed >= 2) normalised.add(row.normalised);
  }
  head.entropy = entropy.mean();
  head.entropy_min = entropy.least;
  head.entropy_max = entropy.largest;
  head.normalised = normalised.mean();
  head.normalised_min = normalised.least;
  head.normalised_max = normalised.largest;
}

}  // namespace

Measures measure(const Document& document, const Trace& trace, std::stop_token stop) {
  const Tensor& masked = *trace[Stage::Mask];
  const Tensor& weights = *trace[Stage::Softmax];
  const Shape& shape = weights.shape();
  const MaskRule rule(document);

  Measures measures;
  measures.batch = shape[0];
  measures.heads = shape[1];
  measures.queries = shape[2];
  measures.keys = shape[3];
  measures.rows.resize(static_cast<std::size_t>(shape[0] * shape[1] * shape[2]));
  measures.head_means.resize(static_cast<std::size_t>(shape[0] * shape[1]));
  std::vector<float> t(static_cast<std::size_t>(shape[3])), e(t.size());
  for (std::int64_t block = 0; block < shape[0] * shape[1]; ++block) {
    const std::int64_t b = block / shape[1], h = block % shape[1];
    HeadMeasures& head = measures.head_means[static_cast<std::size_t>(block)];
    const auto rows =
        std::span(measures.rows)
            .subspan(static_cast<std::size_t>(block * shape[2]), static_cast<std::size_t>(shape[2]));
    Eigen::ArrayXd received = Eigen::ArrayXd::Zero(shape[3]);
    for (std::int64_t query = 0; query < shape[2]; ++query) {
      if (query % 64 == 0 && stop.stop_requested()) throw Cancelled();
      const std::int64_t start = (block * shape[2] + query) * shape[3];
      const FloatRow row_weights(weights.data() + start, shape[3]);
      RowMeasures& row = rows[static_cast<std::size_t>(query)];
      row.allowed = rule.allowed_keys(b, h, query);
      row.padding = !document.input.given && query >= sequence_length(document, b);
      measure_entropy(sum_row(FloatRow(masked.data() + start, shape[3]), document.temperature, t, e),
                      static_cast<double>(document.temperature), row);
      measure_weights(row_weights, row, head);
      if (row.allowed == 0) ++head.rows_without_key;
      if (!row.padding) received += row_weights.cast<double>();
    }
    head.received.assign(received.begin(), received.end());
    summarise(rows, head);
  }
  return measures;
}

}  // namespace attnscope
