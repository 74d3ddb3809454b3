// app/walk: what the cells of a matrix hold after some moves of its stage, including numbers that exist
// only between two moves: shifted scores, exponentials, partial sums.
#pragma once

#include <cstdint>

#include "app/walk/panels.hpp"
#include "core/engine/intermediates.hpp"

namespace attnscope::walk {

enum class Phase {
  Final,        // the stage's own tensor
  Embedding,    // X before positions
  Shifted,      // (x - max) / τ
  Exponential,  // e^ of that
  Share,        // weights before a mask applied after softmax (a mistake) zeroes some
  Product,      // φ(q)·φ(k) for every key
  Seen,         // the same for the keys that the query may see, else 0
  Partial,      // Σ weight · value over the first keys
  OwnPart,      // this head's contribution to the output
};

/// What a matrix shows after some moves.
struct Look {
  enum class Lit { None, Marked, First, All };  // the computed rows
  Phase phase = Phase::Final;
  std::int64_t keys = 0;  // summed in phase Partial
  Lit lit = Lit::All;
  std::int64_t rows = 0;  // computed with Lit::First
  bool operator==(const Look&) const = default;
};
/// `moves`: those made of the panel's stage.
Look look_after(const View&, const Panel&, int moves);

/// Contents of the chosen head's matrices; lives for one frame.
class Contents {
 public:
  explicit Contents(const View& view)
      : numbers(view.result(), view.scene.stats.rule(), view.b, view.h), v_(view) {}

  float at(const Panel&, const Look&, std::int64_t row, std::int64_t column);
  /// The number that a cell's colour shows: products and unbounded exponentials are divided by their row's
  /// sum.
  float tint(const Panel&, const Look&, std::int64_t row, std::int64_t column);
  /// The panel's colour scale.
  ColourScale scale(const Panel&, const Look&) const;

  Intermediates numbers;

 private:
  const View& v_;
};

}  // namespace attnscope::walk
