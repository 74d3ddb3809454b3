// app/results: what pictures need to know of a Result and the engine has no use for: ranges of colour bars,
// histograms, differences to the held state. Computed on first use, once per Result, so that a frame in which
// nothing changed costs nothing; where there are many cells, by a thread of its own, so that no frame waits.
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
using TotalVariationPtr = std::shared_ptr<const TotalVariation>;

/// Belongs to the interface's thread. Of results with few cells everything is there when it is asked for. Of
/// larger ones a worker makes what goes through all of a head's cells: until begin_frame() finds it there,
/// the newest of its kind stands in, which may be that of the result before, or else nothing.
class ResultStats {
 public:
  /// So many cells of all heads are counted while a frame waits for them: a fifth of a millisecond.
  static constexpr std::int64_t most_at_once = 1 << 17;

  /// `errors` computes what float32 costs, outlives this and may be null: then no such plane is there.
  /// `before`: of the result that was shown until now; null: none.
  explicit ResultStats(ResultPtr result, BackgroundErrors* errors = nullptr,
                       const ResultStats* before = nullptr);
  ~ResultStats();
  ResultStats(const ResultStats&) = delete;
  ResultStats& operator=(const ResultStats&) = delete;

  /// What the worker has finished is there from now on; in between nothing that is there changes.
  void begin_frame();
  /// Blocks until the worker has made all that was asked of it, and takes that over; false when there was
  /// nothing to wait for.
  bool finish();

  /// From now on differences are taken to this result; null: there are none.
  void compare_with(ResultPtr held);
  /// Whether the shown and the held result have the same tokens' shape, so that they can be subtracted.
  bool can_compare() const;
  /// Differences of head `now` are taken to head `held` of the held result; -1: every head to itself.
  void pair_heads(std::int64_t now, std::int64_t held);
  /// The planes that can be looked at; differences and errors last.
  std::vector<Plane> planes() const;
  /// The tensor of any plane; null where there is none, and while a difference is not there yet. Asking for
  /// an error begins to compute all of them: null until they are there.
  TensorPtr tensor(Plane);
  /// The task that computes the errors; null before one was asked for.
  const ErrorTask* error_task() const { return error_task_.get(); }
  /// Whether something that was asked for is still being computed: draw again soon.
  bool is_computing() const;
  /// One head of one sequence: [queries][keys]; zeros where the plane is not there.
  ConstMatrixMap<float> matrix(Plane, std::int64_t b, std::int64_t h);
  /// Tells a plane's tensors apart for the picture cache.
  std::uint64_t made_in(Plane) const;
  /// Marks the keys of a row whose cells have a number in this plane (1) or are hidden by the mask (0): in a
  /// difference those that A or B sees. Every key where the plane knows no mask.
  void see(Plane, std::int64_t b, std::int64_t h, std::int64_t query, std::span<std::uint8_t> seen) const;

  /// Which cells the result's mask leaves, and which full attention would have.
  const MaskRule& rule() const { return *rule_; }
  const MaskRule& full_rule();

  /// Of the plane's values over one head of one sequence; from the mask on, of the cells it allows. What
  /// stands in where nothing is there yet is that of a few of its rows.
  ValueRange range(Plane, std::int64_t b, std::int64_t h);
  /// The largest magnitude among the finite values of a stage of vectors, over all heads and sequences; 1
  /// when there is none above 0. Of more than four million numbers that of an even sample.
  float largest(Stage);
  /// The same of one head's columns of a block of the document's weights.
  float largest(Projection, std::int64_t first_column, std::int64_t columns);
  /// Numbers of a stage of vectors that are NaN or infinite, over all heads and sequences; 0 where there is
  /// no such stage.
  std::int64_t not_finite(Stage);
  /// How much weight of one head lies on other keys than in the held result; the mean is over the rows that
  /// are padding in neither. Of the weights, whichever plane is looked at; can_compare() must hold. Null
  /// until it is there.
  TotalVariationPtr moved(std::int64_t b, std::int64_t h);
  /// Of one head's allowed cells. Never null; empty until it is there, as the next three.
  HistogramPtr histogram(Plane, std::int64_t b, std::int64_t h, const HistogramRequest&);
  using OfPicture = PictureOfHead;
  HistogramPtr picture_histogram(const OfPicture&, const HistogramRequest&);
  /// The largest magnitude of a cell of it; 0 until it is there, and while the two pictures have cells of
  /// other sizes.
  float picture_largest(const OfPicture&);
  /// How the weights that mix the values (before dropout) are spread over one head's allowed cells.
  WeightSpreadPtr weights(std::int64_t b, std::int64_t h);
  /// The strongest weights of rows; the plane must be one of weights.
  KeptWeightsPtr kept(Plane, std::int64_t b, std::int64_t h, const KeptRequest&);
  /// The float64 value of a cell; null while it would take too long to compute it for every hovered one
  /// (`patient` says that this cell was chosen, not only hovered).
  const CellReference* reference(std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key,
                                 bool patient);

 private:
  using Stamp = std::uint64_t;  // tells apart what numbers of different results are made of
  struct Kept;                  // app/results/stats_kept.hpp

  /// The head of the held result that stands beside this one.
  std::int64_t held_head(std::int64_t h) const { return h == paired_now_ ? paired_held_ : h; }
  bool is_small() const;
  /// The threads that go through cells; null: the caller.
  Worker* who_counts();
  Stamp difference_stamp(Plane) const;
  Stamp picture_stamp(const OfPicture&) const;
  Stamp stamp(Plane) const;
  TensorPtr difference(Plane);
  ValueRange sampled_range(Plane, std::int64_t b, std::int64_t h);
  /// Which cells of a plane have a number, for any thread; throws Cancelled after a stop.
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
  Worker worker_;  // last: it stops before the rest goes
};

}  // namespace attnscope
