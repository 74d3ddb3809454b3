// app/pages/walk: what the cells of a matrix hold after so many moves of its stage, also the numbers that
// exist only between two moves: shifted scores, exponentials, sums that are not complete yet.
#pragma once

#include <cstdint>

#include "app/pages/walk/panels.hpp"
#include "core/engine/intermediates.hpp"

namespace attnscope::walk {

enum class Phase {
  Final,        // the stage's own tensor
  Embedding,    // X before positions
  Shifted,      // (x - max) / τ
  Exponential,  // e^ of that
  Share,        // weights before the mistake hides some
  Product,      // φ(q)·φ(k), of every key
  Seen,         // of those that the query may see
  Partial,      // Σ weight · value over the first keys
  OwnPart,      // what this head gives to the output
};

/// What a matrix shows after some moves.
struct Look {
  enum class Lit { None, Marked, First, All };  // which rows are there already
  Phase phase = Phase::Final;
  std::int64_t keys = 0;  // of Partial
  Lit lit = Lit::All;
  std::int64_t rows = 0;  // of First
  bool operator==(const Look&) const = default;
};
/// `moves`: of the panel's stage that are made.
Look look_after(const View&, const Panel&, int moves);

/// What is seen of the chosen head; belongs to one frame.
class Contents {
 public:
  explicit Contents(const View& view)
      : numbers(view.result(), view.scene.stats.rule(), view.b, view.h), v_(view) {}

  float at(const Panel&, const Look&, std::int64_t row, std::int64_t column);
  /// What its colour stands for: products and exponentials without bound are coloured by their share.
  float tint(const Panel&, const Look&, std::int64_t row, std::int64_t column);
  /// Colours of what the panel shows.
  ColourScale scale(const Panel&, const Look&) const;

  Intermediates numbers;

 private:
  const View& v_;
};

}  // namespace attnscope::walk
