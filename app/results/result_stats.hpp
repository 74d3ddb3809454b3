// app/results: statistics of a Result for pictures: ranges of colour bars, histograms, differences to the
// held state. Computed on first use, once per Result, so that a frame in which nothing changed costs nothing;
// for many cells by a thread of its own, so that no frame waits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "app/results/background_errors.hpp"
#include "app/results/picture_numbers.hpp"
#include "app/state/plane.hpp"
#include "core/analysis/histogram.hpp"
#include "core/analysis/kept_weights.hpp"
#include "core/analysis/reference.hpp"
#include "core/analysis/total_variation.hpp"
#include "core/analysis/value_range.hpp"
#include "core/analysis/weight_spread.hpp"
#include "core/base/worker.hpp"
#include "core/document/mask.hpp"
#include "core/engine/result.hpp"

namespace attnscope {

using HistogramPtr = std::shared_ptr<const Histogram>;
using WeightSpreadPtr = std::shared_ptr<const WeightSpread>;
using KeptWeightsPtr = std::shared_ptr<const KeptWeights>;
using KeptLinesPtr = std::shared_ptr<const KeptLines>;
using TotalVariationPtr = std::shared_ptr<const TotalVariation>;

/// Belongs to the interface's thread. Statistics of results with few cells are available at once. For larger
/// ones a worker goes through a head's cells; until begin_frame() takes its result over, the newest value of
/// the same kind is returned, perhaps that of the previous result, or nothing.
class ResultStats {
 public:
  /// The most cells of all heads that are counted while a frame waits: a fifth of a millisecond.
  static constexpr std::int64_t most_at_once = 1 << 17;

  /// `errors` computes the float32 errors, must outlive this object and may be null: then there are no such
  /// planes. `before`: the statistics of the result shown until now; null: none.
  explicit ResultStats(ResultPtr result, BackgroundErrors* errors = nullptr,
                       const ResultStats* before = nullptr);
  ~ResultStats();
  ResultStats(const ResultStats&) = delete;
  ResultStats& operator=(const ResultStats&) = delete;

  /// Makes the worker's finished numbers available; until the next call they do not change.
  void begin_frame();
  /// Blocks until the worker has made everything requested, and takes it over; false if there was nothing to
  /// wait for.
  bool finish();

  /// Sets the result that differences are taken to; null: there are no differences.
  void compare_with(ResultPtr held);
  /// Whether the shown and the held result have the same shape of tokens, so that they can be subtracted.
  bool can_compare() const;
  /// Differences of head `now` are taken to head `held` of the held result; -1: every head to itself.
  void pair_heads(std::int64_t now, std::int64_t held);
  /// The available planes; differences and errors come last.
  std::vector<Plane> planes() const;
  /// The tensor of any plane; null if there is none, and while a difference is being computed. The first
  /// request for an error starts computing all of them: null until they are there.
  TensorPtr tensor(Plane);
  /// The task that computes the errors; null before one was asked for.
  const ErrorTask* error_task() const { return error_task_.get(); }
  /// Whether a requested number is still being computed: draw another frame soon.
  bool is_computing() const;
  /// One head of one sequence: [queries][keys]; zeros if the plane is not there.
  ConstMatrixMap<float> matrix(Plane, std::int64_t b, std::int64_t h);
  /// Identifies a plane's tensor in the picture cache.
  std::uint64_t made_in(Plane) const;
  /// Sets `seen` for each key of a row: 1 if the cell has a number in this plane, 0 if the mask hides it; a
  /// difference has a number if A or B sees the key. 1 for every key if the plane knows no mask.
  void see(Plane, std::int64_t b, std::int64_t h, std::int64_t query, std::span<std::uint8_t> seen) const;

  /// The cells that the result's mask allows, and those that full attention would allow.
  const MaskRule& rule() const { return *rule_; }
  const MaskRule& full_rule();

  /// Of the plane's values over one head of one sequence; from the mask on, of the allowed cells. While no
  /// range is there, that of some of its rows is returned.
  ValueRange range(Plane, std::int64_t b, std::int64_t h);
  /// The largest magnitude among the finite values of a stage of vectors, over all heads and sequences; 1 if
  /// none is above 0. Of more than four million numbers only an even sample is read.
  float largest(Stage);
  /// The same for columns of a matrix of the document's weights, and for the values' own input of a sequence;
  /// 1 if there is none.
  float largest(Parameter, std::int64_t first_column, std::int64_t columns);
  float largest_value_input(std::int64_t b);
  /// What a plot of all rows' entropies goes up to: the largest entropy of a row with a choice, or ln of the
  /// most keys that a row sees.
  double largest_entropy(std::int64_t b);
  /// The largest change of a row's entropy, or normalised entropy, to the held result; 0 if they cannot be
  /// compared.
  double largest_entropy_change(std::int64_t b, bool normalised);
  /// A token of a head: a key, or a query.
  struct OfToken {
    std::int64_t b = 0, h = 0, token = 0;
    bool is_key = false;
    auto operator<=>(const OfToken&) const = default;
  };
  /// The largest weight that a query with a choice of keys gives to this key, or that this query gives to any
  /// key; 0 without a choice.
  float most_given(const OfToken&);
  /// The count of NaN and infinite numbers of a stage of vectors, over all heads and sequences; 0 if there is
  /// no such stage.
  std::int64_t not_finite(Stage);
  /// The total variation distance of one head's weights to the held result; the mean is over the rows that
  /// are padding in neither. It is that of the weights, for any plane on screen; can_compare() must hold.
  /// Null until it is there.
  TotalVariationPtr moved(std::int64_t b, std::int64_t h);
  /// Over one head's allowed cells. Never null; empty until it is there, as are the next three.
  HistogramPtr histogram(Plane, std::int64_t b, std::int64_t h, const HistogramRequest&);
  using OfPicture = PictureOfHead;
  HistogramPtr picture_histogram(const OfPicture&, const HistogramRequest&);
  /// The largest magnitude of a cell; 0 until it is there, and while the two pictures have cells of different
  /// sizes.
  float picture_largest(const OfPicture&);
  /// The mean of every column of the picture of means of a long result. Computed at once: a frame's pixels
  /// ask for all of them.
  const std::vector<float>& picture_columns(std::int64_t b, std::int64_t h);
  /// The distribution, over one head's allowed cells, of the weights that mix the values (before dropout).
  WeightSpreadPtr weights(std::int64_t b, std::int64_t h);
  /// The strongest weights of rows; the plane must be one of weights.
  KeptWeightsPtr kept(Plane, std::int64_t b, std::int64_t h, const KeptRequest&);
  /// The lines of several heads, chosen among their kept weights. Those of a single query or key are few, and
  /// always of exactly this request.
  KeptLinesPtr lines(Plane, std::int64_t b, const LineRequest::Indices& heads, const KeptRequest&,
                     const LineRequest&);
  /// The float64 value of a cell; null while a worker computes it, and if that would take too long for every
  /// hovered cell. `patient`: this cell was chosen, not only hovered.
  const CellReference* reference(std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key,
                                 bool patient);
  /// Whether reference() computes it.
  bool computes_reference(bool patient) const;

 private:
  using Stamp = std::uint64_t;  // identifies the inputs of numbers of different results
  struct Kept;                  // app/results/stats_kept.hpp

  /// The head of the held result that this head is compared with.
  std::int64_t held_head(std::int64_t h) const { return h == paired_now_ ? paired_held_ : h; }
  bool is_small() const;
  /// In multiplications.
  std::int64_t cost_of_reference() const;
  /// The worker that goes through cells; null: the caller does.
  Worker* who_counts();
  Stamp difference_stamp(Plane) const;
  Stamp picture_stamp(const OfPicture&) const;
  Stamp stamp(Plane) const;
  TensorPtr difference(Plane);
  ValueRange sampled_range(Plane, std::int64_t b, std::int64_t h);
  /// The cells of a plane that have a number, for any thread; throws Cancelled after a stop.
  class VisibleCells;
  VisibleCells visible(Plane, std::int64_t b) const;

  ResultPtr result_;
  std::shared_ptr<const MaskRule> rule_;
  ResultPtr held_;
  std::shared_ptr<const MaskRule> held_rule_;
  std::int64_t paired_now_ = -1, paired_held_ = -1;
  std::optional<MaskRule> full_rule_;
  PerStage<std::optional<float>> largest_;
  PerStage<std::optional<std::int64_t>> not_finite_;
  BackgroundErrors* errors_;
  std::shared_ptr<ErrorTask> error_task_;
  TensorPtr nothing_;  // [queries][keys] zeros
  std::unique_ptr<Kept> kept_;
  Worker worker_;  // last: it stops before the other members are destroyed
};

}  // namespace attnscope
