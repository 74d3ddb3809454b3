// core/readouts/over_texts: running mean and deviation of a number over many texts.
#pragma once

#include <cstdint>
#include <limits>

namespace attnscope {

/// Accumulates finite numbers one by one, in double, without storing them: Welford's method (Technometrics 4,
/// 1962; Knuth, TAOCP 2, 4.2.2), which stays accurate if the deviation is small beside the mean.
class Spread {
 public:
  /// `value` must be finite.
  void add(double value);

  std::int64_t count() const { return count_; }
  /// NaN without any number, like least() and largest().
  double mean() const { return count_ > 0 ? mean_ : none; }
  /// The sample deviation (divides by n − 1). NaN for fewer than two numbers.
  double deviation() const;
  double least() const { return least_; }
  double largest() const { return largest_; }

 private:
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();
  std::int64_t count_ = 0;
  double mean_ = 0, squares_ = 0;  // squares_: Σ (x − mean)²
  double least_ = none, largest_ = none;
};

/// One measure over many texts or pairs. Each counts once: in `values`, in `without` or in `not_finite`.
struct MeasureSpread {
  Spread values;
  Spread uniform;               // the value of uniform attention on the same texts; empty for effects
  std::int64_t without = 0;     // texts without a value: no row has a choice of keys
  std::int64_t not_finite = 0;  // texts whose value is NaN or infinite
};

}  // namespace attnscope
