#include "core/analysis/measures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/analysis/measure_patterns.hpp"
#include "core/analysis/output_change.hpp"
#include "core/attention/row_math.hpp"
#include "core/attention/run_stage.hpp"
#include "core/attention/scores.hpp"
#include "core/attention/softmax.hpp"
#include "core/base/error.hpp"
#include "core/document/mask.hpp"

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
}

/// A sink joins the log-sum-exp and takes its share. Returns the share of the keys.
double measure_sink(double logit, double temperature, RowMeasures& row) {
  const double sink = logit / temperature, keys = row.log_sum_exp, top = std::fmax(sink, keys);
  row.log_sum_exp = std::isnan(keys) ? keys : top + std::log(std::exp(sink - top) + std::exp(keys - top));
  row.sink = std::exp(sink - row.log_sum_exp);
  return std::exp(keys - row.log_sum_exp);
}

/// H = -Σ w ln w of weights that are not the softmax of the masked scores, as shares of `whole`: what goes to
/// keys.
double entropy_of(FloatRow weights, double whole) {
  const float* w = weights.data();
  return sum_of(static_cast<std::size_t>(weights.size()), [&](std::size_t key) {
    const double weight = static_cast<double>(w[key]) / whole;
    return w[key] == 0 ? 0 : -weight * std::log(weight);
  });
}

void measure_spread(RowMeasures& row) {
  row.effective = row.entropy == 0 && row.largest == 0 ? 0 : std::exp(row.entropy);
  if (row.allowed >= 2) {
    const double share = row.entropy / std::log(static_cast<double>(row.allowed));
    row.normalised = share > 1 ? 1 : share;
  } else {
    row.normalised = not_a_number;
  }
}

/// A muted head spreads over no key and looks at none.
void measure_silence(RowMeasures& row) {
  row.effective = 0;
  row.entropy = row.normalised = not_a_number;
}

void measure_weights(FloatRow weights, RowMeasures& row, HeadMeasures& head) {
  const float largest = weights.maxCoeff<Eigen::PropagateNaN>();
  row.largest = static_cast<double>(largest);
  if (row.allowed > 0 && largest > 0) {
    row.strongest = std::find(weights.data(), weights.data() + weights.size(), largest) - weights.data();
  }
  if (!std::isfinite(largest)) head.not_finite += weights.size() - weights.isFinite().count();
  head.largest = std::fmax(head.largest, row.largest);
  const float* w = weights.data();
  double squares = 0, cubes = 0;
  for (Eigen::Index key = 0; key < weights.size(); ++key) {
    const double weight = static_cast<double>(w[key]), square = weight * weight;
    squares += square;
    cubes += square * weight;
  }
  const double norm = squares - 2 * cubes + squares * squares;
  if (row.allowed < 2) {
    row.jacobian = not_a_number;
  } else {
    const auto n = static_cast<double>(row.allowed);
    row.jacobian = norm < 0 ? 0 : std::sqrt(norm) * n / std::sqrt(n - 1);  // NaN stays
  }
}

bool has_choice(const RowMeasures& row) { return !row.padding && row.allowed >= 2; }

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

/// The members of which a head shows the plain mean of its rows.
struct MeanOf {
  double RowMeasures::*row;
  double RowMeans::*head;
};
constexpr MeanOf means[]{
    {&RowMeasures::entropy, &RowMeans::entropy},
    {&RowMeasures::effective, &RowMeans::effective},
    {&RowMeasures::largest, &RowMeans::mean_largest},
    {&RowMeasures::self, &RowMeans::self},
    {&RowMeasures::previous, &RowMeans::previous},
    {&RowMeasures::next, &RowMeans::next},
    {&RowMeasures::first, &RowMeans::first},
    {&RowMeasures::special, &RowMeans::special},
    {&RowMeasures::extra, &RowMeans::extra},
    {&RowMeasures::distance, &RowMeans::distance},
    {&RowMeasures::sink, &RowMeans::sink},
};

Spread spread_of(std::span<const RowMeasures> rows, double RowMeasures::*member) {
  Spread spread;
  for (const RowMeasures& row : rows)
    if (has_choice(row)) spread.add(row.*member);
  return spread;
}

void summarise(std::span<const RowMeasures> rows, HeadMeasures& head) {
  const Spread entropy = spread_of(rows, &RowMeasures::entropy);
  const Spread normalised = spread_of(rows, &RowMeasures::normalised);
  head.entropy_min = entropy.least;
  head.entropy_max = entropy.largest;
  head.normalised = normalised.mean();
  head.normalised_min = normalised.least;
  head.normalised_max = normalised.largest;
  head.jacobian = spread_of(rows, &RowMeasures::jacobian).mean();
  head.one_key = head.normalised < 0.05;
  head.is_uniform = head.normalised > 0.98;
  for (const MeanOf& mean : means) head.*mean.head = spread_of(rows, mean.row).mean();
  Spread dropped;
  for (const RowMeasures& row : rows)
    if (!row.padding) dropped.add(row.dropped);
  head.dropped = dropped.mean();
}

/// What the rows of a Trace are measured with, the same for all of them.
struct Shared {
  Shared(const Document& of, const Trace& made, const Dimensions& sizes)
      : document(of), trace(made), size(sizes), rule(of, made), full(rule.without_sparsity()) {
    cross = !of.input.memory.empty() || static_cast<bool>(of.input.vectors().key);
    own_entropy = of.layer().linear || of.layer().masking.mistake == MaskMistake::AfterSoftmax ||
                  of.layer().softmax == SoftmaxKind::Naive;
    for (std::int64_t b = 0; b < size.batch; ++b) tokens.emplace_back(of, size, b);
  }
  const Document& document;
  const Trace& trace;
  Dimensions size;
  MaskRule rule, full;               // as it is, and that of full attention
  bool cross = false;                // keys belong to another text than queries
  std::vector<TokenClasses> tokens;  // [batch]
  bool own_entropy = false;          // the weights are not the softmax of the masked scores
};

/// Measures the rows of one head of one sequence, one after the other.
class HeadMeasurer {
 public:
  HeadMeasurer(const Shared& shared, std::int64_t b, std::int64_t h)
      : document_(shared.document),
        trace_(shared.trace),
        size_(shared.size),
        rule_(shared.rule),
        full_(shared.full),
        cross_(shared.cross),
        kind_(has_intervention(shared.document, h)
                  ? shared.document.layer().interventions[static_cast<std::size_t>(h)].kind
                  : Intervention::Kind::None),
        own_entropy_(shared.own_entropy || kind_ != Intervention::Kind::None),
        b_(b),
        h_(h),
        t_(static_cast<std::size_t>(size_.keys)),
        e_(t_.size()),
        seen_(t_.size()),
        full_seen_(t_.size()),
        tokens_(shared.tokens[static_cast<std::size_t>(b)]),
        uniform_(size_.keys) {}

  RowMeasures row(std::int64_t query, HeadMeasures& head) {
    const FloatRow weights = row_of(weights_stage(document_), query);
    const RowMeasures row = row_alone(query, kept(query), head);
    if (row.padding) return row;
    const PatternRow pattern{
        {weights.data(), seen_.size()}, seen_, query, position_of(query), size_.token_keys(), cross_, row};
    uniform_.add(pattern, tokens_);
    if (has_choice(row)) patterns_.add(pattern, tokens_);
    return row;
  }

  /// Without what it adds to the head's patterns.
  RowMeasures row_alone(std::int64_t query, const RowNumbers& numbers, HeadMeasures& head) {
    const FloatRow masked(numbers.masked.data(), size_.keys), weights(numbers.weights.data(), size_.keys);
    RowMeasures row;
    rule_.see(b_, h_, query, seen_);
    row.allowed = std::count(seen_.begin(), seen_.end(), std::uint8_t{1});
    row.padding = query_is_padding(query);
    if (row.allowed == 0) ++head.rows_without_key;
    const auto temperature = static_cast<double>(document_.layer().temperature);
    const RowSums sums = sum_row(masked, document_.layer().temperature, t_, e_);
    measure_entropy(sums, temperature, row);
    double to_keys = 1;
    if (has_sinks(document_.layer()))
      to_keys = measure_sink(static_cast<double>(sink_logit(document_.layer(), h_)), temperature, row);
    if (kind_ != Intervention::Kind::None || document_.layer().linear) {  // weights without a sink
      row.sink = 0;
      to_keys = 1;
    }
    if (own_entropy_ || sums.largest == -std::numeric_limits<double>::infinity())
      row.entropy = entropy_of(weights, to_keys);
    measure_weights(weights, row, head);
    if (row.sink > 0 && row.largest == 0) row.entropy = 0;  // the sink has taken all there is
    measure_spread(row);
    if (kind_ == Intervention::Kind::Mute) measure_silence(row);
    if (kind_ != Intervention::Kind::None && row.allowed >= 2) row.jacobian = 0;
    measure_places(weights, position_of(query), row);
    if (rule_.is_sparse()) row.dropped = dropped_mass(query, numbers);
    return row;
  }

  void finish(HeadMeasures& head) const {
    uniform_.finish(head);
    head.patterns = patterns_.scores();
  }

  FloatRow row_of(Stage stage, std::int64_t query) const {
    return {trace_[stage]->data() + ((b_ * size_.heads + h_) * size_.queries + query) * size_.keys,
            size_.keys};
  }

 private:
  std::int64_t position_of(std::int64_t query) const { return query_offset(document_, size_, b_) + query; }

  /// The row in the Trace's planes.
  RowNumbers kept(std::int64_t query) const {
    const auto numbers = [&](Stage stage) { return std::span(row_of(stage, query).data(), seen_.size()); };
    const TensorPtr& bias = trace_[Stage::Bias];
    const std::int64_t block = bias && bias->shape()[0] > 1 ? b_ : 0;
    return {
        numbers(Stage::Mask), numbers(weights_stage(document_)), numbers(Stage::Cap),
        bias ? std::span(bias->matrix(block, h_).row(query).data(), seen_.size()) : std::span<const float>{}};
  }

  bool query_is_padding(std::int64_t query) const {
    if (!document_.input.is_text()) return false;
    return size_.past + query >= sequence_length(document_, b_);
  }

  void measure_places(FloatRow weights, std::int64_t position, RowMeasures& row) const {
    const std::int64_t tokens = size_.token_keys();
    const auto mass = [&](std::int64_t key) {
      return key >= 0 && key < tokens ? static_cast<double>(weights[key]) : 0;
    };
    row.first = mass(0);
    if (!cross_) {
      row.self = mass(position);
      row.previous = mass(position - 1);
      row.next = mass(position + 1);
    }
    const float* w = weights.data();
    const auto count = static_cast<std::size_t>(tokens);
    const std::vector<std::uint8_t>& special = tokens_.special();
    row.special =
        sum_of(count, [&](std::size_t key) { return special[key] != 0 ? static_cast<double>(w[key]) : 0; });
    const double distances = sum_of(count, [&](std::size_t key) {
      return static_cast<double>(w[key]) *
             static_cast<double>(std::abs(position - static_cast<std::int64_t>(key)));
    });
    const double on_tokens = sum_in_double<float>({w, count});
    row.extra = sum_in_double<float>({w + tokens, static_cast<std::size_t>(size_.extra)});
    row.distance = on_tokens > 0 ? distances / on_tokens : 0;
  }

  /// Full attention's softmax over the capped scores of the row, and what of it lies on keys that are not
  /// seen now.
  double dropped_mass(std::int64_t query, const RowNumbers& numbers) {
    const auto row = MaskRule::additive_row<float>(document_.layer().masking.additive, b_, h_, query);
    std::vector<float>& masked = t_;
    std::vector<float>& weights = e_;
    const MaskedRow<float> parts{b_, h_, query, numbers.capped, numbers.bias, row};
    mask_row<float>(full_, parts, full_seen_, masked);
    softmax_row<float>(SoftmaxKind::Stable, masked, document_.layer().temperature, weights,
                       sink_logit(document_.layer(), h_));
    return sum_of(seen_.size(), [&](std::size_t key) {
      return seen_[key] != 0 || full_seen_[key] == 0 ? 0 : static_cast<double>(weights[key]);
    });
  }

  const Document& document_;
  const Trace& trace_;
  const Dimensions& size_;
  const MaskRule &rule_, &full_;
  bool cross_;
  Intervention::Kind kind_;
  bool own_entropy_;
  std::int64_t b_, h_;
  std::vector<float> t_, e_;  // room for a row
  std::vector<std::uint8_t> seen_, full_seen_;
  const TokenClasses& tokens_;
  UniformSums uniform_;
  PatternSums patterns_;
};

void measure_head(const Shared& shared, const Work& work, std::int64_t block, Measures& measures) {
  const Dimensions& size = shared.size;
  HeadMeasurer measurer(shared, block / size.heads, block % size.heads);
  HeadMeasures& head = measures.head_means[static_cast<std::size_t>(block)];
  const auto rows =
      std::span(measures.rows)
          .subspan(static_cast<std::size_t>(block * size.queries), static_cast<std::size_t>(size.queries));
  Eigen::ArrayXd received = Eigen::ArrayXd::Zero(size.keys);
  for (std::int64_t query = 0; query < size.queries; ++query) {
    if (query % 64 == 0 && work.stop.stop_requested()) throw Cancelled();
    RowMeasures& row = rows[static_cast<std::size_t>(query)];
    row = measurer.row(query, head);
    if (!row.padding) received += measurer.row_of(weights_stage(shared.document), query).cast<double>();
  }
  head.received.assign(received.begin(), received.end());
  summarise(rows, head);
  measurer.finish(head);
}

}  // namespace

Stages measured_stages(const Document& document) {
  // Whatever changes Cap or Mask, which are read as well, changes the weights.
  constexpr Stages read{Stage::Softmax, Stage::Linear, Stage::Intervention};
  if (!has_intervention(document)) return read;
  return read | Stages{Stage::Value, Stage::Drop, Stage::Concat, Stage::Output};
}

RowMeasures measure_row(const Document& document, const Trace& trace, std::int64_t b, std::int64_t h,
                        std::int64_t query, const RowNumbers& numbers) {
  const Shared shared(document, trace, check_any_length(document));
  HeadMeasures head;
  return HeadMeasurer(shared, b, h).row_alone(query, numbers, head);
}

Measures measure(const Work& work, const Document& document, const Trace& trace) {
  const Shared shared(document, trace, check(document));
  const Dimensions& size = shared.size;
  Measures measures;
  measures.batch = size.batch;
  measures.heads = size.heads;
  measures.queries = size.queries;
  measures.keys = size.keys;
  measures.rows.resize(static_cast<std::size_t>(size.batch * size.heads * size.queries));
  measures.head_means.resize(static_cast<std::size_t>(size.batch * size.heads));
  const double head_ns = static_cast<double>(size.queries * size.keys) * 8;
  work.for_each(size.batch * size.heads, head_ns,
                [&](std::int64_t block) { measure_head(shared, work, block, measures); });
  if (has_intervention(document)) measures.output_change = output_change(work, document, trace);
  return measures;
}

}  // namespace attnscope
