// core/engine: the comparison of two backends: the largest difference of every stage of a Document, or of the
// sweeps of a long one. Each backend reads only its own stages, so differences accumulate as they do on
// screen.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/engine/backend.hpp"
#include "core/engine/pipeline.hpp"

namespace attnscope {

/// The difference of two tensors that should be equal. Places are row-major indices into `shape`.
struct Difference {
  Shape shape;
  bool comparable = true;        // false: one is missing or has another shape; nothing below is set then
  double absolute = 0;           // the largest |second − first| of two finite numbers
  double magnitude = 0;          // the largest |finite number| of the first
  std::int64_t at = -1;          // of the largest difference; -1 = all finite numbers are equal
  double first = 0, second = 0;  // the numbers there
  std::int64_t misfits = 0;      // places where only one has an infinity or NaN
  std::int64_t misfit_at = -1;   // the first of them

  /// absolute / magnitude; infinite if the magnitude is 0.
  double relative() const;
  bool is_equal() const { return comparable && absolute == 0 && misfits == 0; }
};

/// Signs of zeros count as equal, as do all NaN.
template <class T>
Difference difference_of(std::span<const T> first, std::span<const T> second, const Shape& shape);
template <class T>
Difference difference_of(const TensorOf<T>& first, const TensorOf<T>& second);

/// "[0, 3, 4, 2]": the indices of a place.
std::string place_in(const Shape&, std::int64_t at);

struct ParityRow {
  std::string name;  // of the stage, "entropy", "∂S"
  Difference difference;
};

struct Parity {
  std::string first, second;    // the backends' names
  std::vector<ParityRow> rows;  // in data-flow order, without stages that share an earlier tensor on both
  WholeTimes times;             // of the second backend
  bool is_complete = true;      // long Documents: every row is compared, not every step-th
};

/// The progress of a comparison, readable from any thread.
class ParityProgress {
 public:
  /// From 0 to 1.
  double share() const;

 private:
  friend Parity compare_backends(const Result&, const std::shared_ptr<Backend>&, const std::stop_token&,
                                 ParityProgress*);
  Progress run_;
  std::atomic<double> known_{0};  // of a long Document: the share of its rows
};

/// Computes the Document of a result again on another backend and compares all stages, the entropy and
/// log-sum-exp of the rows, and the gradients; for a long Document the kept stages and the sweeps, at the
/// step of the result. Throws Error (from the backend) or Cancelled. `progress` may be null.
Parity compare_backends(const Result& first, const std::shared_ptr<Backend>& second,
                        const std::stop_token& stop, ParityProgress* progress = nullptr);

/// Its peak memory in bytes: a second copy of the stages.
std::int64_t parity_bytes(const LayerResult&);

}  // namespace attnscope
