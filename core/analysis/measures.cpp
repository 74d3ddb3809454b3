#include "core/analysis/measures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/analysis/mask_facts.hpp"
#include "core/analysis/output_change.hpp"
#include "core/analysis/row_measures.hpp"
#include "core/analysis/sum_row.hpp"
#include "core/attention/row_math.hpp"
#include "core/attention/run_stage.hpp"
#include "core/attention/scores.hpp"
#include "core/attention/softmax.hpp"
#include "core/base/error.hpp"
#include "core/document/mask.hpp"

namespace attnscope {

namespace {

using FloatRow = Eigen::Map<const Eigen::ArrayXf>;

bool has_choice(const RowMeasures& row) { return !row.padding && row.allowed >= 2; }

/// Mean, least and largest of some rows.
struct RowsSpread {
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

/// Measures of a row whose plain mean over the rows is a measure of the head.
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

RowsSpread spread_of(std::span<const RowMeasures> rows, double RowMeasures::*member) {
  RowsSpread spread;
  for (const RowMeasures& row : rows)
    if (has_choice(row)) spread.add(row.*member);
  return spread;
}

void summarise(std::span<const RowMeasures> rows, HeadMeasures& head) {
  const RowsSpread entropy = spread_of(rows, &RowMeasures::entropy);
  const RowsSpread normalised = spread_of(rows, &RowMeasures::normalised);
  head.entropy_min = entropy.least;
  head.entropy_max = entropy.largest;
  head.normalised = normalised.mean();
  head.normalised_min = normalised.least;
  head.normalised_max = normalised.largest;
  head.jacobian = spread_of(rows, &RowMeasures::jacobian).mean();
  head.one_key = head.normalised < 0.05;
  head.is_uniform = head.normalised > 0.98;
  for (const MeanOf& mean : means) head.*mean.head = spread_of(rows, mean.row).mean();
  RowsSpread dropped;
  for (const RowMeasures& row : rows)
    if (!row.padding) dropped.add(row.dropped);
  head.dropped = dropped.mean();
}

/// Whether hidden keys have weight 0 for any numbers.
bool hides_all_weight(const Document& document) {
  const LayerSpec& layer = document.layer();
  return layer.masking.mistake == MaskMistake::None &&
         layer.masking.hidden == Masking::Hidden::MinusInfinity && !layer.linear &&
         layer.softmax == SoftmaxKind::Stable && !has_intervention(document);
}

/// What all rows of a Document are measured with.
struct Shared {
  Shared(const Document& of, const Trace& made, const Dimensions& sizes)
      : document(of), trace(made), size(sizes), rule(of, made), full(rule.without_sparsity()) {
    cross = has_other_keys(of);
    is_hiding = hides_all_weight(of);
  }
  const Document& document;
  const Trace& trace;
  Dimensions size;
  MaskRule rule, full;  // the Document's, and that of full attention
  bool cross = false;   // the keys come from another sequence than the queries
  bool is_hiding = false;
};

/// Measures the rows of one head of one sequence in turn, from their numbers or from their sums.
class HeadMeasurer {
 public:
  HeadMeasurer(const Shared& shared, std::int64_t b, std::int64_t h)
      : shared_(shared),
        document_(shared.document),
        trace_(shared.trace),
        size_(shared.size),
        rule_(shared.rule),
        rules_(row_rules(shared.document, h)),
        b_(b),
        h_(h),
        t_(static_cast<std::size_t>(size_.keys)),
        e_(t_.size()),
        seen_(t_.size()),
        full_seen_(t_.size()) {}

  RowMeasures row(std::int64_t query, const MaskFacts& facts, HeadMeasures& head) {
    const RowFacts& of = facts.row(b_, h_, query);
    const TokenClasses& tokens = facts.tokens[static_cast<std::size_t>(b_)];
    const bool sees = rule_.is_sparse() || !shared_.is_hiding;
    if (sees) rule_.see(b_, h_, query, seen_);
    const RowNumbers numbers = kept(query);
    const RowMeasures row = row_alone(query, of, tokens, numbers, head);
    if (of.has_choice())
      add_patterns(
          pattern_masses(place_of(query), of, tokens, numbers.weights,
                         sees ? std::span<const std::uint8_t>(seen_) : std::span<const std::uint8_t>()),
          of, row);
    return row;
  }
  RowMeasures row(std::int64_t query, const MaskFacts& facts, const SumsOfRow& sums, HeadMeasures& head) {
    const RowFacts& of = facts.row(b_, h_, query);
    RowMeasures row = measures_of_row(of, sums, rules_, {}, head);
    row.dropped = sums.dropped;
    if (of.has_choice()) add_patterns(masses_of(query, sums), of, row);
    return row;
  }

  /// Measures a row without adding to the head's patterns. seen_ must hold the row's marks.
  RowMeasures row_alone(std::int64_t query, const RowFacts& facts, const TokenClasses& tokens,
                        const RowNumbers& numbers, HeadMeasures& head) {
    const SumsOfRow sums = sum_row(numbers, document_.layer().temperature, place_of(query), tokens, {t_, e_});
    RowMeasures row = measures_of_row(facts, sums, rules_, numbers.weights, head);
    if (rule_.is_sparse()) row.dropped = dropped_mass(query, numbers);
    return row;
  }
  RowFacts see(std::int64_t query) {
    rule_.see(b_, h_, query, seen_);
    return row_facts(document_, size_, b_, query, seen_);
  }

  void finish(const HeadFacts& facts, HeadMeasures& head) const {
    head.uniform = facts.uniform;
    head.received_uniform = facts.received_uniform;
    head.rows_without_key = facts.rows_without_key;
    for (std::size_t i = 0; i < pattern_count; ++i) {
      const std::int64_t rows = facts.patterns[i].rows;
      const double count = rows == 0 ? not_a_number : static_cast<double>(rows);
      head.patterns[i] = {pattern_sums_[i] / count, facts.patterns[i].uniform / count, rows};
    }
  }

  FloatRow row_of(Stage stage, std::int64_t query) const {
    return {trace_[stage]->data() + ((b_ * size_.heads + h_) * size_.queries + query) * size_.keys,
            size_.keys};
  }

 private:
  MeasuredRow place_of(std::int64_t query) const {
    return {query, rule_.position(b_, query), size_.token_keys(), shared_.cross};
  }

  /// The row in the Trace's planes.
  RowNumbers kept(std::int64_t query) const {
    const auto numbers = [&](Stage stage) { return std::span(row_of(stage, query).data(), seen_.size()); };
    RowNumbers row{numbers(Stage::Mask), numbers(weights_stage(document_)), {}, {}};
    if (!rule_.is_sparse()) return row;
    row.capped = numbers(Stage::Cap);
    if (const TensorPtr& bias = trace_[Stage::Bias])
      row.bias = std::span(bias->matrix(bias->shape()[0] > 1 ? b_ : 0, h_).row(query).data(), seen_.size());
    return row;
  }

  PatternMasses masses_of(std::int64_t query, const SumsOfRow& sums) const {
    PatternMasses masses{};
    const auto set = [&](HeadPattern pattern, double mass) {
      masses[static_cast<std::size_t>(pattern)] = mass;
    };
    const auto near = [&](int i) { return static_cast<double>(sums.near[i]); };
    set(HeadPattern::First, static_cast<double>(sums.first));
    set(HeadPattern::Previous, near(1));
    set(HeadPattern::Next, near(3));
    set(HeadPattern::SkipAndFirst,
        near(0) + (rule_.position(b_, query) == 2 ? 0 : static_cast<double>(sums.first)));
    set(HeadPattern::Local, near(0) + near(1) + near(2) + near(3) + near(4));
    set(HeadPattern::SameToken, sums.same);
    set(HeadPattern::Content, sums.content);
    set(HeadPattern::FunctionWord, sums.function_words);
    return masses;
  }
  void add_patterns(const PatternMasses& masses, const RowFacts& facts, const RowMeasures& row) {
    for (std::size_t i = 0; i < pattern_count; ++i) {
      const auto pattern = static_cast<HeadPattern>(i);
      if (!facts.counts_for(pattern)) continue;
      pattern_sums_[i] += pattern == HeadPattern::Even ? row.normalised : masses[i];
    }
  }

  /// The weight that full attention's softmax over the row's capped scores puts on keys that the sparsity
  /// hides.
  double dropped_mass(std::int64_t query, const RowNumbers& numbers) {
    const auto row = MaskRule::additive_row<float>(document_.layer().masking.additive, b_, h_, query);
    std::vector<float>& masked = t_;
    std::vector<float>& weights = e_;
    const MaskedRow<float> parts{b_, h_, query, numbers.capped, numbers.bias, row};
    mask_row<float>(shared_.full, parts, full_seen_, masked);
    softmax_row<float>(SoftmaxKind::Stable, masked, document_.layer().temperature, weights,
                       sink_logit(document_.layer(), h_));
    return sum_of(seen_.size(), [&](std::size_t key) {
      return seen_[key] != 0 || full_seen_[key] == 0 ? 0 : static_cast<double>(weights[key]);
    });
  }

  const Shared& shared_;
  const Document& document_;
  const Trace& trace_;
  const Dimensions& size_;
  const MaskRule& rule_;
  RowRules rules_;
  std::int64_t b_, h_;
  std::vector<float> t_, e_;  // room for a row
  std::vector<std::uint8_t> seen_, full_seen_;
  PatternMasses pattern_sums_{};
};

/// Room for the measures of a Document with these facts.
Measures empty_measures(const Dimensions& size, MaskFactsPtr facts) {
  Measures measures;
  measures.batch = size.batch;
  measures.heads = size.heads;
  measures.queries = size.queries;
  measures.keys = size.keys;
  measures.rows.resize(static_cast<std::size_t>(size.batch * size.heads * size.queries));
  measures.head_means.resize(static_cast<std::size_t>(size.batch * size.heads));
  measures.facts = std::move(facts);
  return measures;
}

/// The rows of head `block` of [batch][heads], each made by measure_row(measurer, query, head).
template <class MeasureRow>
void measure_head(const Shared& shared, const Work& work, std::int64_t block, Measures& measures,
                  const MeasureRow& measure_row) {
  const Dimensions& size = shared.size;
  HeadMeasurer measurer(shared, block / size.heads, block % size.heads);
  HeadMeasures& head = measures.head_means[static_cast<std::size_t>(block)];
  const auto rows =
      std::span(measures.rows)
          .subspan(static_cast<std::size_t>(block * size.queries), static_cast<std::size_t>(size.queries));
  for (std::int64_t query = 0; query < size.queries; ++query) {
    if (query % 64 == 0 && work.stop.stop_requested()) throw Cancelled();
    rows[static_cast<std::size_t>(query)] = measure_row(measurer, query, head);
  }
  summarise(rows, head);
  measurer.finish(measures.facts->head_facts[static_cast<std::size_t>(block)], head);
}

}  // namespace

Stages measured_stages(const Document& document) {
  // Cap and Mask are read, too, but every change of them changes the weights.
  constexpr Stages read{Stage::Softmax, Stage::Linear, Stage::Intervention};
  if (!has_intervention(document)) return read;
  return read | Stages{Stage::Value, Stage::Drop, Stage::Concat, Stage::Output};
}

RowMeasures measure_row(const Document& document, const Trace& trace, std::int64_t b, std::int64_t h,
                        std::int64_t query, const RowNumbers& numbers) {
  const Dimensions size = check_any_length(document);
  const Shared shared(document, trace, size);
  HeadMeasures head;
  HeadMeasurer measurer(shared, b, h);
  const RowFacts facts = measurer.see(query);
  return measurer.row_alone(query, facts, TokenClasses(document, size, b), numbers, head);
}

Measures measure(const Work& work, const Document& document, const Trace& trace, MaskFactsPtr facts) {
  if (!facts) facts = mask_facts(work, document, trace);
  const Shared shared(document, trace, check(document));
  const Dimensions& size = shared.size;
  Measures measures = empty_measures(size, std::move(facts));
  const double head_ns = static_cast<double>(size.queries * size.keys) * 8;
  work.for_each(size.batch * size.heads, head_ns, [&](std::int64_t block) {
    Eigen::ArrayXd received = Eigen::ArrayXd::Zero(size.keys);
    measure_head(shared, work, block, measures,
                 [&](HeadMeasurer& measurer, std::int64_t query, HeadMeasures& head) {
                   const RowMeasures row = measurer.row(query, *measures.facts, head);
                   if (!row.padding)
                     received += measurer.row_of(weights_stage(document), query).cast<double>();
                   return row;
                 });
    measures.head_means[static_cast<std::size_t>(block)].received.assign(received.begin(), received.end());
  });
  if (has_intervention(document)) measures.output_change = output_change(work, document, trace);
  return measures;
}

bool sums_suffice(const Document& document) {
  const MaskRule rule(document);
  const LayerSpec& layer = document.layer();
  return hides_all_weight(document) &&
         (!rule.is_sparse() || (rule.intervals() && !layer.masking.additive && !has_sinks(layer)));
}

Measures measure(const Work& work, const Document& document, MaskFactsPtr facts, const SummedRows& summed) {
  const Trace nothing;
  const Shared shared(document, nothing, check(document));
  const Dimensions& size = shared.size;
  Measures measures = empty_measures(size, std::move(facts));
  const double head_ns = static_cast<double>(size.queries) * 200;
  work.for_each(size.batch * size.heads, head_ns, [&](std::int64_t block) {
    const SumsOfRow* const rows = summed.rows.data() + block * size.queries;
    measure_head(shared, work, block, measures,
                 [&](HeadMeasurer& measurer, std::int64_t query, HeadMeasures& head) {
                   return measurer.row(query, *measures.facts, rows[query], head);
                 });
    const double* const received = summed.received.data() + block * size.keys;
    measures.head_means[static_cast<std::size_t>(block)].received.assign(received, received + size.keys);
  });
  return measures;
}

}  // namespace attnscope
