// app: what pictures need to know of a Result and the engine has no use for: ranges of colour bars and
// histograms. Computed on first use, once per Result, so that a frame in which nothing changed costs nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "app/plane.hpp"
#include "core/mask.hpp"
#include "core/pipeline.hpp"
#include "core/reference.hpp"

namespace attnscope {

/// Ends of a plane's finite values over one head of one sequence; from the mask on, of the cells it allows.
struct ValueRange {
  float low = 0, high = 0;
};

/// How the values of the allowed cells of one head are spread.
struct Histogram {
  std::vector<std::int64_t> bins;                // from low to high, equal width
  std::int64_t below = 0, above = 0, cells = 0;  // outside the ends; all finite allowed cells
  double mean = 0, deviation = 0;                // of the finite ones
  std::int64_t largest_bin() const;
};

/// Belongs to the interface's thread.
class ResultStats {
 public:
  explicit ResultStats(ResultPtr result)
      : result_(std::move(result)), rule_(result_->document, result_->trace) {}

  /// Which cells the result's mask leaves, and which full attention would have.
  const MaskRule& rule() const { return rule_; }
  const MaskRule& full_rule();

  ValueRange range(Plane, std::int64_t b, std::int64_t h);
  /// The largest magnitude among the finite values of a stage of vectors, over all heads and sequences; 1
  /// when there is none above 0.
  float largest(Stage);
  const Histogram& histogram(Plane, std::int64_t b, std::int64_t h, float low, float high, int bins);
  /// The float64 value of a cell; null while it would take too long to compute it for every hovered one
  /// (`patient` says that this cell was chosen, not only hovered).
  const CellReference* reference(std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key,
                                 bool patient);

 private:
  ResultPtr result_;
  MaskRule rule_;
  std::optional<MaskRule> full_rule_;
  std::map<Stage, float> largest_;
  std::map<std::tuple<Plane, std::int64_t, std::int64_t>, ValueRange> ranges_;
  std::map<std::tuple<Plane, std::int64_t, std::int64_t, float, float, int>, Histogram> histograms_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>, CellReference> references_;
};

}  // namespace attnscope
