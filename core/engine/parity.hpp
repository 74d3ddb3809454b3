// core/engine: whether two backends compute the same: the largest difference of every stage of a Document,
// and of what is swept of a long one. Each backend reads only its own stages, so that differences add up
// along the way as they do on screen.
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

/// Two tensors that should hold the same numbers. Places are row-major numbers of a value in `shape`.
struct Difference {
  Shape shape;
  bool comparable = true;        // false: one is not there, or of another shape; nothing below is set then
  double absolute = 0;           // the largest |second − first| of two finite numbers
  double magnitude = 0;          // the largest |finite number| of the first
  std::int64_t at = -1;          // of the largest difference; -1 = all finite numbers are equal
  double first = 0, second = 0;  // the numbers there
  std::int64_t misfits = 0;      // places with an infinity or NaN that the other does not have as well
  std::int64_t misfit_at = -1;   // the first of them

  /// Of the largest magnitude; infinite where that is 0.
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
  std::vector<ParityRow> rows;  // in data-flow order; a stage that is the one before on both is left out
  WholeTimes times;             // of the second
  bool is_complete = true;      // of a long Document: every row is compared, else every step-th
};

/// How far a comparison is, readable from any thread.
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

/// Computes the Document of a result again on another backend and compares: all stages, the entropy and
/// log-sum-exp of the rows, gradients; of a long Document the stages that are kept and what was swept, to the
/// step that is known of it. Throws Error (what the backend throws) or Cancelled. `progress` may be null.
Parity compare_backends(const Result& first, const std::shared_ptr<Backend>& second,
                        const std::stop_token& stop, ParityProgress* progress = nullptr);

/// Memory that it holds at most at a time: the stages once more.
std::int64_t parity_bytes(const LayerResult&);

}  // namespace attnscope
