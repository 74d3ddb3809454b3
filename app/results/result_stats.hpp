// app/results: what pictures need to know of a Result and the engine has no use for: ranges of colour bars,
// histograms, differences to the held state. Computed on first use, once per Result, so that a frame in which
// nothing changed costs nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "app/results/background_errors.hpp"
#include "app/results/histogram.hpp"
#include "app/results/kept_weights.hpp"
#include "app/results/weight_spread.hpp"
#include "app/state/plane.hpp"
#include "core/analysis/reference.hpp"
#include "core/document/mask.hpp"
#include "core/engine/result.hpp"

namespace attnscope {

/// Ends of a plane's finite values over one head of one sequence; from the mask on, of the cells it allows.
struct ValueRange {
  float low = 0, high = 0;
};

/// How much weight of one head lies on other keys than in the held result: ½ Σ|A − B|, see
/// core/analysis/total_variation.hpp.
struct TotalVariation {
  std::vector<double> rows;  // [queries]
  double mean = 0;           // over the rows that are padding in neither
};

/// Belongs to the interface's thread.
class ResultStats {
 public:
  /// `errors` computes what float32 costs, outlives this and may be null: then no such plane is there.
  explicit ResultStats(ResultPtr result, BackgroundErrors* errors = nullptr)
      : result_(std::move(result)), rule_(result_->document, result_->layer().trace), errors_(errors) {}
  ~ResultStats();
  ResultStats(const ResultStats&) = delete;
  ResultStats& operator=(const ResultStats&) = delete;

  /// From now on differences are taken to this result; null: there are none.
  void compare_with(ResultPtr held);
  /// Whether the shown and the held result have the same tokens' shape, so that they can be subtracted.
  bool can_compare() const;
  /// Differences of head `now` are taken to head `held` of the held result; -1: every head to itself.
  void pair_heads(std::int64_t now, std::int64_t held);
  /// The planes that can be looked at; differences and errors last.
  std::vector<Plane> planes() const;
  /// The tensor of any plane; null where there is none. Asking for an error begins to compute all of them:
  /// null until they are there.
  TensorPtr tensor(Plane);
  /// The task that computes the errors; null before one was asked for.
  const ErrorTask* error_task() const { return error_task_.get(); }
  /// Whether something that was asked for is still being computed: draw again soon.
  bool is_computing() const { return error_task_ && !error_task_->is_done(); }
  /// One head of one sequence: [queries][keys]; zeros where the plane is not there.
  ConstMatrixMap<float> matrix(Plane, std::int64_t b, std::int64_t h);
  /// Tells a plane's tensors apart for the picture cache.
  std::uint64_t made_in(Plane) const;
  /// Marks the keys of a row whose cells have a number in this plane (1) or are hidden by the mask (0): in a
  /// difference those that A or B sees. Every key where the plane knows no mask.
  void see(Plane, std::int64_t b, std::int64_t h, std::int64_t query, std::span<std::uint8_t> seen) const;

  /// Which cells the result's mask leaves, and which full attention would have.
  const MaskRule& rule() const { return rule_; }
  const MaskRule& full_rule();

  ValueRange range(Plane, std::int64_t b, std::int64_t h);
  /// The largest magnitude among the finite values of a stage of vectors, over all heads and sequences; 1
  /// when there is none above 0.
  float largest(Stage);
  /// The same of one head's columns of a block of the document's weights.
  float largest(Projection, std::int64_t first_column, std::int64_t columns);
  /// Numbers of a stage of vectors that are NaN or infinite, over all heads and sequences; 0 where there is
  /// no such stage.
  std::int64_t not_finite(Stage);
  /// Of the weights, whichever plane is looked at; can_compare() must hold.
  const TotalVariation& moved(std::int64_t b, std::int64_t h);
  /// Of one head's allowed cells, see HistogramCount.
  const Histogram& histogram(Plane, std::int64_t b, std::int64_t h, float low, float high, int bins,
                             bool log = false);
  /// Of the picture of one head that a long result has, of means or of largest weights, or of its difference
  /// to that of the held one. Cells without any weight, hidden ones above all, are left out.
  struct OfPicture {
    std::int64_t b = 0, h = 0;
    bool mean = false, difference = false;
    float low = 0, high = 1;
    int bins = 1;
    bool log = false;
    auto operator<=>(const OfPicture&) const = default;
  };
  const Histogram& picture_histogram(const OfPicture&);
  /// The smallest value above 0 of one head's allowed cells; 1 when there is none.
  float smallest_positive(Plane, std::int64_t b, std::int64_t h);
  /// How the weights that mix the values (before dropout) are spread over one head's allowed cells.
  const WeightSpread& weights(std::int64_t b, std::int64_t h);
  /// The strongest weights of rows; the plane must be one of weights.
  const KeptWeights& kept(Plane, std::int64_t b, std::int64_t h, const KeptWish&);
  /// The float64 value of a cell; null while it would take too long to compute it for every hovered one
  /// (`patient` says that this cell was chosen, not only hovered).
  const CellReference* reference(std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key,
                                 bool patient);

 private:
  ResultPtr result_;
  MaskRule rule_;
  /// The head of the held result that stands beside this one.
  std::int64_t held_head(std::int64_t h) const { return h == paired_now_ ? paired_held_ : h; }
  void forget_differences();

  ResultPtr held_;
  std::optional<MaskRule> held_rule_;
  std::int64_t paired_now_ = -1, paired_held_ = -1;
  std::map<Plane, TensorPtr> differences_;
  std::map<std::pair<std::int64_t, std::int64_t>, TotalVariation> moved_;
  std::optional<MaskRule> full_rule_;
  PerStage<std::optional<float>> largest_;
  PerStage<std::optional<std::int64_t>> not_finite_;
  std::map<std::tuple<Projection, std::int64_t, std::int64_t>, float> largest_weights_;
  BackgroundErrors* errors_;
  std::shared_ptr<ErrorTask> error_task_;
  TensorPtr nothing_;  // [queries][keys] zeros
  Histogram empty_{std::vector<std::int64_t>(1, 0)};
  std::map<std::tuple<Plane, std::int64_t, std::int64_t>, ValueRange> ranges_;
  std::map<std::tuple<Plane, std::int64_t, std::int64_t>, float> smallest_;
  std::map<std::tuple<Plane, std::int64_t, std::int64_t, float, float, int, bool>, Histogram> histograms_;
  std::map<OfPicture, Histogram> picture_histograms_;
  std::map<std::tuple<std::int64_t, std::int64_t>, WeightSpread> weights_;
  std::map<std::tuple<Plane, std::int64_t, std::int64_t>, std::pair<KeptWish, KeptWeights>> kept_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>, CellReference> references_;
};

}  // namespace attnscope
