#include <algorithm>
#include <limits>
#include <span>

#include "core/against_oracle.hpp"
#include "core/attention/run_stage.hpp"
#include "core/compare.hpp"
#include "core/text/function_words.hpp"
#include "core/text/token.hpp"
#include "oracle/readings.hpp"

namespace attnscope::against_oracle {

namespace {

using oracle::Numbers;
constexpr double infinity = std::numeric_limits<double>::infinity();

double largest_of(const Numbers& values) {
  double largest = 0;
  for (const double value : values)
    if (std::isfinite(value) && value > -5e8) largest = std::max(largest, std::abs(value));
  return largest;
}

/// Replaces hidden scores of about -1e9 by -inf, so that the tolerance does not grow with them.
Numbers without_billions(Numbers values) {
  std::replace_if(
      values.begin(), values.end(), [](double x) { return x < -5e8; }, -infinity);
  return values;
}

/// Numbers that the whole batch shares, repeated for each sequence.
Numbers for_each_sequence(const Numbers& values, std::size_t count) {
  Numbers all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(values[i % values.size()]);
  return all;
}

/// Collects the first difference.
template <class T>
class Comparison {
 public:
  explicit Comparison(const TraceOf<T>& trace) : trace_(trace) {}

  void stage(Stage stage, const Numbers& expected, double tolerance) {
    if (!found_.empty()) return;
    const TensorPtrOf<T>& tensor = trace_[stage];
    if (!tensor || expected.empty()) {
      if (static_cast<bool>(tensor) == expected.empty())
        found_ = fmt::format("{} is {}", info(stage).name, tensor ? "there" : "missing");
      return;
    }
    Numbers values = compare::in_double(*tensor), wanted = expected;
    if (stage == Stage::Bias) values = for_each_sequence(values, wanted.size());
    if (stage == Stage::Mask) {
      values = without_billions(std::move(values));
      wanted = without_billions(std::move(wanted));
    }
    const std::string differs = compare::difference(std::span<const double>(values), wanted, tolerance);
    if (!differs.empty()) found_ = fmt::format("{}: {}", info(stage).name, differs);
  }

  const std::string& found() const { return found_; }

 private:
  const TraceOf<T>& trace_;
  std::string found_;
};

/// The factor by which a product with the matrix, or a norm with the weight, enlarges an error.
double growth(const TensorPtr& weight) {
  double largest = 1;
  if (!weight) return largest;
  for (const float w : weight->values()) largest = std::max(largest, 1 + std::abs(static_cast<double>(w)));
  return largest * (weight->shape().rank() == 2 ? static_cast<double>(weight->shape()[0]) : 1);
}

/// `error`: of the attention's output. Norms of random Documents have an epsilon of at least 0.2, so that
/// none divides by less than 0.4.
template <class T>
void compare_block(const Document& document, const oracle::BlockAnswer& a, double error,
                   Comparison<T>& compare) {
  const Weights& w = document.layer().weights;
  compare.stage(Stage::OutputNorm, a.attended, error *= 5 * growth(w[Parameter::OutputNorm]));
  compare.stage(Stage::Residual, a.sum, error);
  compare.stage(Stage::StreamNorm, a.stream, error *= 5 * growth(w[Parameter::OutputNorm]));
  compare.stage(Stage::MlpNorm, a.mlp_input, error *= 5 * growth(w[Parameter::MlpNorm]));
  compare.stage(Stage::Gate, a.gate, error * growth(w[Parameter::WGate]));
  compare.stage(Stage::Up, a.up, error * growth(w[Parameter::WUp]));
  error *= growth(w[Parameter::WGate]) * growth(w[Parameter::WUp]) *
           std::max({1.0, largest_of(a.up), largest_of(a.gate)}) * 3;
  compare.stage(Stage::Activation, a.middle, error);
  compare.stage(Stage::Down, a.down, error *= growth(w[Parameter::WDown]));
  compare.stage(Stage::MlpOutputNorm, a.mlp_output, error *= 5 * growth(w[Parameter::MlpOutputNorm]));
  compare.stage(Stage::MlpResidual, a.mlp_sum, error);
  compare.stage(Stage::BlockOutput, a.output, error * 5 * growth(w[Parameter::MlpOutputNorm]));
}

}  // namespace

template <class T>
std::string difference(const Document& document, const TraceOf<T>& trace, const Expected& e,
                       double precision) {
  Comparison<T> compare(trace);
  const oracle::Answer& a = e.answer;
  if (!document.input.is_given()) compare.stage(Stage::Position, e.x, precision);
  if (!document.input.is_given()) compare.stage(Stage::AttentionNorm, e.normed_x, 4 * precision);
  compare.stage(Stage::Memory, e.memory, precision);
  compare.stage(Stage::QueryLatent, e.query_latent, 4 * precision);
  compare.stage(Stage::Latent, e.latent, 4 * precision);
  compare.stage(Stage::Fuse, e.fused, precision);
  compare.stage(Stage::Query, e.query, precision);
  compare.stage(Stage::Key, e.key, precision);
  compare.stage(Stage::Value, e.value, precision);
  compare.stage(Stage::NormQuery, e.normed_query, precision);
  compare.stage(Stage::NormKey, e.normed_key, precision);
  compare.stage(Stage::RotateQuery, e.problem.q, precision);
  compare.stage(Stage::RotateKey, e.problem.k, precision);
  compare.stage(Stage::Score, a.score, precision);
  compare.stage(Stage::Scale, a.scaled, precision);
  // tanh passes the error of a scaled score on undiminished, and the scaled ones may be larger.
  const double scores = precision * std::max(1.0, largest_of(a.scaled));
  compare.stage(Stage::Cap, a.capped, scores);
  compare.stage(Stage::Bias, e.problem.bias, precision);
  compare.stage(Stage::Mask, a.masked, scores);
  // An error e of x / τ is a relative error e of exp(x / τ), of its sum and so of a weight.
  const double exponent = std::max(largest_of(a.scaled), largest_of(without_billions(a.masked)));
  const double weights = 2 * precision * (1 + exponent / e.problem.temperature);
  compare.stage(Stage::Softmax, a.weights, weights);
  compare.stage(Stage::Linear, document.layer().linear ? a.linear : Numbers{}, 10 * precision);
  compare.stage(Stage::Intervention, a.replaced, std::max(weights, 10 * precision));
  const double grown = e.problem.keep.empty() ? 1 : largest_of(e.problem.keep);
  const double dropped = grown * std::max(weights, 10 * precision);
  compare.stage(Stage::Drop, a.dropped, dropped);
  const double mixed = dropped * std::max(1.0, largest_of(e.value)) * static_cast<double>(e.problem.keys);
  compare.stage(Stage::Mix, a.mixed, mixed);
  compare.stage(Stage::Concat, a.concatenated, mixed);
  if (!document.input.is_given()) {
    const double spread =
        std::max(1.0, largest_of(Numbers(document.layer().weights[Parameter::WOutput]->values().begin(),
                                         document.layer().weights[Parameter::WOutput]->values().end())));
    const double output = mixed * spread * static_cast<double>(e.problem.heads * e.problem.d_v);
    compare.stage(Stage::Output, e.output, output);
    // Where dropout removes everything the token vectors still have their own error.
    compare_block(document, e.block, std::max(output, precision * std::max(1.0, largest_of(e.x))), compare);
  }
  return compare.found();
}

template std::string difference(const Document&, const Trace&, const Expected&, double);
template std::string difference(const Document&, const TraceOf<double>&, const Expected&, double);

namespace {

/// Compares numbers one by one and keeps the first that differs.
class MeasureComparison {
 public:
  void in(std::string place) { place_ = std::move(place); }
  void same(std::string_view name, double found, double wanted, double tolerance) {
    if (!found_.empty()) return;
    const bool close = !std::isfinite(wanted) || std::abs(found - wanted) <= tolerance;
    if (!compare::same_kind(found, wanted) || !close)
      found_ = fmt::format("{} of {}: {:.9g}, expected {:.9g}", name, place_, found, wanted);
  }
  const std::string& found() const { return found_; }

 private:
  std::string place_, found_;
};

std::vector<bool> special_tokens(const Document& document, std::size_t b, std::size_t keys) {
  std::vector<bool> special(keys);
  const Input& input = document.input;
  if (!input.is_text()) return special;
  const Sequence& sequence = (input.memory.empty() ? input.sequences : input.memory)[b];
  for (std::size_t j = 0; j < sequence.tokens.size(); ++j) special[j] = sequence.tokens[j].special;
  return special;
}

/// Applies an intervention to a row's measures: a muted head has weight on no key, and no gradient passes any
/// of them.
void operate(oracle::Replacement kind, oracle::Reading& reading) {
  if (kind == oracle::Replacement::None) return;
  reading.jacobian = 0;
  if (kind != oracle::Replacement::Mute) return;
  reading.effective = 0;
  reading.entropy = std::numeric_limits<double>::quiet_NaN();
}

/// With a sink: the entropy of the weights as shares of what goes to keys.
void as_shares(const Numbers& weights, double to_keys, oracle::Reading& reading) {
  reading.entropy = 0;
  for (const double w : weights)
    if (w > 0) reading.entropy -= w / to_keys * std::log(w / to_keys);
  reading.effective = reading.entropy == 0 && reading.largest == 0 ? 0 : std::exp(reading.entropy);
}

/// The keys of a pattern for the query at position p, one by one.
bool counts(HeadPattern pattern, const Document& document, std::size_t b, std::ptrdiff_t p,
            std::ptrdiff_t j) {
  const Input& input = document.input;
  const bool text = input.is_text();
  const bool cross = !input.memory.empty() || input.vectors().key;
  const auto word = [&](std::ptrdiff_t at, bool key) -> std::string {
    const auto& tokens = (key && !input.memory.empty() ? input.memory : input.sequences)[b].tokens;
    return at < std::ssize(tokens) ? tokens[static_cast<std::size_t>(at)].text : "";
  };
  const auto is = [&](bool function) {
    return text && !word(j, true).empty() && is_function_word(word(j, true)) == function;
  };
  switch (pattern) {
    case HeadPattern::Previous: return !cross && j == p - 1;
    case HeadPattern::Next: return !cross && j == p + 1;
    case HeadPattern::First: return j == 0;
    case HeadPattern::SkipAndFirst: return !cross && (j == p - 2 || j == 0);
    case HeadPattern::Local: return !cross && std::abs(j - p) <= 2;
    case HeadPattern::SameToken:
      return text && !word(j, true).empty() && folded(word(p, false)) == folded(word(j, true));
    case HeadPattern::Content: return is(false);
    case HeadPattern::FunctionWord: return is(true);
    case HeadPattern::Even: break;
  }
  return false;
}

/// The sums whose means are a head's measures, row by row from the definitions.
class HeadSums {
 public:
  void add(const oracle::Reading& found, const oracle::Reading& uniform, bool cross) {
    ++rows_;
    add(wanted_, found, cross);
    add(uniform_, uniform, cross);
  }
  void add_pattern(HeadPattern pattern, double mass, double share) {
    PatternScore& sum = patterns_[static_cast<std::size_t>(pattern)];
    sum.score += mass;
    sum.uniform += share;
    ++sum.rows;
  }
  void compare(const HeadMeasures& head, MeasureComparison& compare) const {
    for (const auto& [name, member] : members) {
      compare.same(name, head.*member, wanted_.*member / rows_, 1e-4);  // n/a without rows: 0 / 0
      compare.same(std::string(name) + " of uniform", head.uniform.*member, uniform_.*member / rows_, 1e-9);
    }
    for (std::size_t i = 0; i < pattern_count; ++i) {
      if (static_cast<HeadPattern>(i) == HeadPattern::Even) continue;
      const std::string name(name_of(static_cast<HeadPattern>(i)));
      const PatternScore &found = head.patterns[i], &wanted = patterns_[i];
      const auto rows = static_cast<double>(wanted.rows);
      compare.same("rows of " + name, static_cast<double>(found.rows), rows, 0);
      compare.same("score of " + name, found.score, wanted.score / rows, 1e-9);
      compare.same("uniform of " + name, found.uniform, wanted.uniform / rows, 1e-9);
    }
  }

 private:
  static constexpr std::pair<std::string_view, double RowMeans::*> members[]{
      {"entropy", &RowMeans::entropy},      {"effective", &RowMeans::effective},
      {"largest", &RowMeans::mean_largest}, {"self", &RowMeans::self},
      {"previous", &RowMeans::previous},    {"next", &RowMeans::next},
      {"first", &RowMeans::first},          {"special", &RowMeans::special},
      {"extra", &RowMeans::extra},          {"distance", &RowMeans::distance}};
  static void add(RowMeans& sums, const oracle::Reading& r, bool cross) {
    sums.entropy += r.entropy;
    sums.effective += r.effective;
    sums.mean_largest += r.largest;
    sums.first += r.first;
    sums.special += r.special;
    sums.extra += r.extra;
    sums.distance += r.distance;
    if (cross) return;
    sums.self += r.self;
    sums.previous += r.previous;
    sums.next += r.next;
  }
  double rows_ = 0;
  RowMeans wanted_, uniform_;
  PatternScores patterns_;
};

void compare_row(const RowMeasures& found, const oracle::Reading& wanted, bool cross, std::size_t allowed,
                 MeasureComparison& compare) {
  const double zero_or = cross ? 0 : 1;
  constexpr double exact = 1e-12;  // sums of the same few numbers in double
  compare.same("largest", found.largest, wanted.not_finite > 0 ? found.largest : wanted.largest, 0);
  compare.same("strongest", static_cast<double>(found.strongest),
               allowed == 0 || wanted.not_finite > 0 ? -1 : static_cast<double>(wanted.strongest), 0);
  compare.same("self", found.self, cross ? 0 : zero_or * wanted.self, exact);
  compare.same("previous", found.previous, cross ? 0 : wanted.previous, exact);
  compare.same("next", found.next, cross ? 0 : wanted.next, exact);
  compare.same("first", found.first, wanted.first, exact);
  compare.same("extra", found.extra, wanted.extra, exact);
  if (wanted.not_finite > 0) return;  // NaN where it is looked at
  compare.same("special", found.special, wanted.special, exact);
  compare.same("distance", found.distance, wanted.distance, 1e-9 * (1 + std::abs(wanted.distance)));
  // In ‖J‖² terms nearly cancel when one weight is nearly 1; weights are floats.
  compare.same("jacobian", found.jacobian, wanted.jacobian, 4e-6 * (1 + wanted.jacobian));
  compare.same("entropy", found.entropy, wanted.entropy, 1e-5);
  compare.same("effective", found.effective, wanted.effective, 1e-4);
}

}  // namespace

std::string measures_difference(const Document& document, const Trace& trace, const Measures& measures,
                                const Expected& e) {
  const oracle::Problem& p = e.problem;
  const Tensor& weights = *trace[weights_stage(document)];
  const bool cross = !document.input.memory.empty() || document.input.vectors().key;
  const Numbers dropped = oracle::dropped_mass(p);
  const bool sparse = document.layer().masking.window != Window{} ||
                      document.layer().masking.sparsity.kind != Sparsity::Kind::None;
  MeasureComparison compare;
  for (std::size_t b = 0; b < p.batch; ++b) {
    const std::vector<bool> special = special_tokens(document, b, p.keys);
    for (std::size_t h = 0; h < p.heads; ++h) {
      std::ptrdiff_t not_finite = 0, dead = 0;
      Numbers received(p.keys);
      HeadSums sums;
      Numbers received_uniform(p.keys);
      for (std::size_t i = 0; i < p.queries; ++i) {
        const std::size_t at = (b * p.heads + h) * p.queries + i;
        const float* row = weights.data() + at * p.keys;
        const Numbers w(row, row + p.keys);
        const std::ptrdiff_t position = p.mask.offsets[b] + static_cast<std::ptrdiff_t>(i);
        const std::size_t allowed = e.answer.allowed[at];
        const auto first = e.answer.seen.begin() + static_cast<std::ptrdiff_t>(at * p.keys);
        const std::vector<bool> seen(first, first + static_cast<std::ptrdiff_t>(p.keys));
        oracle::Reading wanted = oracle::read_row(w, position, p.extra, special);
        const oracle::Reading uniform = oracle::read_uniform(seen, position, p.extra, special);
        wanted.jacobian /= uniform.jacobian;
        const bool own = !p.linear && (p.replaced.empty() || p.replaced[h] == oracle::Replacement::None);
        const double sink =
            p.sinks.empty() || !own ? 0 : std::exp(p.sinks[h] / p.temperature - e.answer.log_sum_exp[at]);
        if (sink > 0 && wanted.not_finite == 0 && wanted.largest > 0) as_shares(w, 1 - sink, wanted);
        if (!p.replaced.empty()) operate(p.replaced[h], wanted);
        if (allowed < 2) wanted.jacobian = std::numeric_limits<double>::quiet_NaN();
        const RowMeasures& found = measures.rows[at];
        compare.in(fmt::format("row {} {} {}", b, h, i));
        compare_row(found, wanted, cross, allowed, compare);
        compare.same("allowed", static_cast<double>(found.allowed), static_cast<double>(e.answer.allowed[at]),
                     0);
        compare.same("log-sum-exp", found.log_sum_exp, e.answer.log_sum_exp[at],
                     1e-5 * (1 + std::abs(e.answer.log_sum_exp[at])));
        compare.same("sink", found.sink, sink, 1e-4);
        compare.same("dropped", found.dropped, sparse ? dropped[at] : 0,
                     2e-5 * (1 + largest_of(e.answer.scaled) / p.temperature));
        not_finite += wanted.not_finite;
        if (e.answer.allowed[at] == 0) ++dead;
        if (found.padding) continue;
        for (std::size_t j = 0; j < p.keys; ++j) {
          received[j] += w[j];
          if (seen[j]) received_uniform[j] += 1 / static_cast<double>(allowed);
        }
        if (allowed < 2) continue;
        sums.add(wanted, uniform, cross);
        for (std::size_t pattern = 0; pattern < pattern_count; ++pattern) {
          const auto kind = static_cast<HeadPattern>(pattern);
          double mass = 0, count = 0;
          for (std::size_t j = 0; j + p.extra < p.keys; ++j) {
            if (!seen[j] || !counts(kind, document, b, position, static_cast<std::ptrdiff_t>(j))) continue;
            mass += w[j];
            ++count;
          }
          const auto all = static_cast<double>(allowed);
          if (count > 0 && count < all) sums.add_pattern(kind, mass, count / all);
        }
      }
      const HeadMeasures& head = measures.head(static_cast<std::int64_t>(b), static_cast<std::int64_t>(h));
      compare.in(fmt::format("head {} {}", b, h));
      compare.same("not finite", static_cast<double>(head.not_finite), static_cast<double>(not_finite), 0);
      compare.same("without key", static_cast<double>(head.rows_without_key), static_cast<double>(dead), 0);
      if (not_finite == 0) sums.compare(head, compare);
      for (std::size_t j = 0; j < p.keys; ++j) {
        compare.same("received", head.received[j], received[j], 1e-9);
        compare.same("received of uniform", head.received_uniform[j], received_uniform[j], 1e-9);
      }
    }
  }
  return compare.found();
}

}  // namespace attnscope::against_oracle
