// app/views/walk: what the cells of a matrix hold after so many moves of its stage, also the numbers that
// exist only between two moves: shifted scores, exponentials, sums that are not complete yet.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "app/views/walk/panels.hpp"
#include "core/attention/linear.hpp"
#include "core/attention/softmax.hpp"

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

/// The numbers of the chosen head; belongs to one frame.
class Contents {
 public:
  explicit Contents(const View& view) : v_(view) {}

  float at(const Panel&, const Look&, std::int64_t row, std::int64_t column);
  /// What its colour stands for: products and exponentials without bound are coloured by their share.
  float tint(const Panel&, const Look&, std::int64_t row, std::int64_t column);
  /// Colours of what the panel shows.
  ColourScale scale(const Panel&, const Look&) const;
  /// Largest value and sum of a row's softmax.
  const RowSum& softmax_of(std::int64_t query);
  /// Σ φ(q)·φ(k) over the keys that the query may see.
  double linear_sum(std::int64_t query);
  float product(std::int64_t query,
                std::int64_t key);  // of the numerator: φ(q)·φ(k), turned where positions are rotary
  float share_of_sum(std::int64_t query, std::int64_t key);  // of the denominator: never turned
  /// φ of the query's or the key's vector as the numerator has it: [d_k].
  std::span<const float> feature(Stage, std::int64_t row);
  float partial_mix(std::int64_t query, std::int64_t column, std::int64_t keys) const;
  /// This head's part of an output.
  float own_part(std::int64_t query, std::int64_t column) const;
  bool sees(std::int64_t query, std::int64_t key) const;

 private:
  ConstMatrixMap<float> plane(Stage stage) const { return matrix_of(v_.result(), stage, v_.b, v_.h); }

  const View& v_;
  std::map<std::int64_t, RowSum> softmax_;
  std::map<std::int64_t, double> linear_;
  PerStage<std::map<std::int64_t, std::vector<float>>> features_;
};

}  // namespace attnscope::walk
