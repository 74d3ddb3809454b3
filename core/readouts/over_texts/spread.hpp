// core/readouts/over_texts: mean and spread of a number that many texts give, one after the other.
#pragma once

#include <cstdint>
#include <limits>

namespace attnscope {

/// Takes finite numbers one by one, in double, without keeping them: Welford's method (Technometrics 4, 1962;
/// Knuth, TAOCP 2, 4.2.2), which does not lose digits where the spread is small beside the mean.
class Spread {
 public:
  /// `value` must be finite.
  void add(double value);

  std::int64_t count() const { return count_; }
  /// NaN of no numbers, like least() and largest().
  double mean() const { return count_ > 0 ? mean_ : none; }
  /// Of a sample: divides by n − 1. NaN of fewer than two numbers.
  double deviation() const;
  double least() const { return least_; }
  double largest() const { return largest_; }

 private:
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();
  std::int64_t count_ = 0;
  double mean_ = 0, squares_ = 0;  // squares_: Σ (x − mean)²
  double least_ = none, largest_ = none;
};

/// One measure over many texts, or pairs of them. Each counts once: in `values`, in `without` or in
/// `not_finite`.
struct MeasureSpread {
  Spread values;
  Spread uniform;               // of the same texts: what uniform attention has; of effects nothing
  std::int64_t without = 0;     // texts in which it does not exist: no row has the choice
  std::int64_t not_finite = 0;  // texts in which it is NaN or infinite
};

}  // namespace attnscope
