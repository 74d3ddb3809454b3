// core/analysis: measures of the attention weights, computed once per Trace on the worker thread. Entropies
// are in nats.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/analysis/head_patterns.hpp"
#include "core/base/parallel.hpp"
#include "core/document/document.hpp"
#include "core/document/trace.hpp"

namespace attnscope {

struct MaskFacts;  // mask_facts.hpp
using MaskFactsPtr = std::shared_ptr<const MaskFacts>;
struct SumsOfRow;  // row_sums.hpp

/// One row of weights w: one query of one head. w are the weights that mix the values, before dropout: those
/// of the softmax, those that linear attention implies, or those of an intervention (log_sum_exp and dropped
/// are always the head's own). Masses are sums of weights.
struct RowMeasures {
  std::int64_t allowed = 0;  // keys the mask lets the query see
  double entropy = 0;        // H = -sum w ln w, in the centred form ln l - u/l; 0 when all weights are 0, NaN
                             // ("n/a") when the head is muted or a weight is negative; with a sink, that of
                             // w / (1 - sink), the shares of the keys
  double normalised = 0;   // H / ln(allowed) in 0..1; NaN ("n/a") when fewer than two keys are allowed or the
                           // head is muted
  double effective = 0;    // e^H: as many equal weights would have the same entropy; 0 when all weights are 0
  double log_sum_exp = 0;  // ln sum exp(masked / temperature), a sink included; -inf when no key is allowed
  double sink = 0;         // the share of the head's sink: 1 - Σw
  double largest = 0;      // largest weight
  std::int64_t strongest = -1;  // its key; -1 when no key is allowed or no weight is above 0
  // Mass on the query's own token, the one before, the one after, the first one, on tokens like [CLS] or </s>
  // (see core/text/token.hpp; 0 without a text) and on keys that belong to no token. Self, previous
  // and next are 0 for cross-attention.
  double self = 0, previous = 0, next = 0, first = 0, special = 0, extra = 0;
  double distance = 0;  // mean |query's position - key|, in tokens, weighted by w; keys of no token left out;
                        // NaN when a weight is
  double dropped = 0;   // masked mass: full attention's weight on keys that the window or pattern hides
  /// Frobenius norm of the softmax's Jacobian, ‖diag(w) - w wᵀ‖ / temperature with ‖·‖² = Σw² - 2Σw³ +
  /// (Σw²)², divided by what uniform attention over the n allowed keys has, √(n-1) / n / temperature: 1 = as
  /// in uniform attention, near 0 = saturated: no gradient passes; above 1 where few of many keys share the
  /// weight. NaN with fewer than two allowed keys, else 0 where intervention replaced the pattern.
  double jacobian = 0;
  bool padding = false;  // the query itself is padding: left out of the head's means
};

/// Means over the rows that have a choice: not padding, at least two allowed keys. NaN ("n/a") when there is
/// no such row. A row with one allowed key gives it all weight whatever the head does.
struct RowMeans {
  double entropy = 0, effective = 0, mean_largest = 0;
  double self = 0, previous = 0, next = 0, first = 0, special = 0, extra = 0, distance = 0, sink = 0;
};

/// One head of one sequence of the batch.
struct HeadMeasures : RowMeans {
  RowMeans uniform;  // those of uniform attention under the same mask, over the same rows
  double entropy_min = 0, entropy_max = 0;
  double normalised = 0, normalised_min = 0, normalised_max = 0;  // same rows; uniform attention has 1
  double jacobian = 0;                                            // mean over the same rows
  double dropped = 0;                                             // mean over all rows that are not padding
  double largest = 0;                                             // largest weight anywhere
  bool one_key = false;     // normalised < 0.05: nearly all weight of most rows lies on one key
  bool is_uniform = false;  // normalised > 0.98: queries attend to all keys nearly equally
  PatternScores patterns;   // by HeadPattern
  std::int64_t rows_without_key = 0;
  std::int64_t not_finite = 0;   // weights that are NaN or infinite
  std::vector<double> received;  // [keys] column sums over rows that are not padding: attention received
  std::vector<double> received_uniform;  // the same for uniform attention
};

/// The effect of interventions on one row of the output: Y, or the concatenated heads C where given Q, K and
/// V have no W_O.
struct OutputChange {
  double change = 0;   // ‖Y - Y₀‖₂, Y₀ being the output without intervention
  double without = 0;  // ‖Y₀‖₂
};

struct Measures {
  std::int64_t batch = 0, heads = 0, queries = 0, keys = 0;
  std::vector<RowMeasures> rows;         // [batch][heads][queries]
  std::vector<HeadMeasures> head_means;  // [batch][heads]
  /// [batch][queries], empty without intervention. Computed in double from the stored numbers, so Y₀ equals
  /// the output of a run without intervention up to rounding.
  std::vector<OutputChange> output_change;
  MaskFactsPtr facts;  // the facts that the measures were made with

  const RowMeasures& row(std::int64_t b, std::int64_t h, std::int64_t query) const {
    return rows[static_cast<std::size_t>((b * heads + h) * queries + query)];
  }
  const HeadMeasures& head(std::int64_t b, std::int64_t h) const {
    return head_means[static_cast<std::size_t>(b * heads + h)];
  }
};

/// A query's row of cells in the stages that measures read.
struct RowNumbers {
  std::span<const float> masked, weights;  // [keys]
  std::span<const float> capped, bias;     // [keys]; if a window or pattern hides keys. bias: may be empty
};
/// The measures of one row, of a Document of any length. `document` passed check_any_length() and `trace` was
/// computed from it; `trace` need not hold planes of scores. O(keys).
RowMeasures measure_row(const Document&, const Trace&, std::int64_t b, std::int64_t h, std::int64_t query,
                        const RowNumbers&);

/// Stages whose change invalidates the measures.
Stages measured_stages(const Document&);

/// Fields of a Document that its MaskFacts depend on, besides the buckets of LSH attention.
inline constexpr Fields mask_fact_fields{Field::Tokens, Field::Memory,  Field::Given,    Field::Vectors,
                                         Field::Heads,  Field::Masking, Field::AddedKeys};

/// `document` passed check() and `trace` was computed from it. `facts`: those of the same mask and tokens, or
/// null. Throws Cancelled when the work is stopped.
Measures measure(const Work&, const Document&, const Trace&, MaskFactsPtr facts = nullptr);

/// The sums of a caller that has summed the rows itself.
struct SummedRows {
  std::span<const SumsOfRow> rows;   // [batch][heads][queries]
  std::span<const double> received;  // [batch][heads][keys], over rows that are not padding
};
/// Whether the sums of the rows are enough to measure the Document.
bool sums_suffice(const Document&);
/// The same measures from sums. sums_suffice() must hold.
Measures measure(const Work&, const Document&, MaskFactsPtr facts, const SummedRows&);

}  // namespace attnscope
