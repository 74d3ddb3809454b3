// core/readouts/pairs: how much two runs differ, head by head, row by row and layer by layer: runs of two
// texts, two layers, two models or two precisions of one model. Only corresponding tokens are compared.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/models/run_model.hpp"

namespace attnscope {

/// Which tokens of two texts correspond: a number of first ones, and a number of last ones.
struct TokenMatch {
  enum class Kind : std::uint8_t {
    Same,      // the same tokens
    Position,  // different tokens, equal numbers: by position
    Ends,      // the longest common beginning and, of the rest, the longest common end
  };
  Kind kind = Kind::Same;
  std::int64_t rows_a = 0, rows_b = 0;  // tokens of the texts
  std::int64_t first = 0, last = 0;     // how many correspond at the beginning and at the end
  std::int64_t count() const { return first + last; }
  /// The rows of pair i in A and in B, i in [0, count()).
  std::int64_t in_a(std::int64_t i) const { return i < first ? i : rows_a - count() + i; }
  std::int64_t in_b(std::int64_t i) const { return i < first ? i : rows_b - count() + i; }
  /// The corresponding row of the other text; nothing if there is none.
  std::optional<std::int64_t> b_of(std::int64_t row_a) const;
  std::optional<std::int64_t> a_of(std::int64_t row_b) const;
  bool operator==(const TokenMatch&) const = default;
};
/// Both texts as ids of one vocabulary.
TokenMatch match_tokens(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

/// A head of a run. Keeps references.
struct HeadOfRun {
  const Model& model;
  const ModelRun& run;
  AttentionOf of = AttentionOf::Decoder;
  std::size_t block = 0;
  std::int64_t head = 0;
};

struct HeadDifference {
  /// The mean total variation distance ½ Σ |a − b| of the weights, 0 … 1, over rows whose query has a choice
  /// of keys in A or in B and is hidden in neither; NaN if there is no such row.
  double distance = std::numeric_limits<double>::quiet_NaN();
  /// Baseline: the same distance with B replaced by uniform attention under A's mask.
  double uniform = std::numeric_limits<double>::quiet_NaN();
  std::vector<float> rows;  // the distance of each pair of rows of TokenMatch; NaN if the row does not count
  float largest = 0;        // the largest change a − b of a single weight by magnitude, the first of equals
  std::int64_t query = 0, key = 0;  // of that weight, in A
};
/// Weights of keys without a counterpart are left out and nothing is renormalised, so the distance is then a
/// lower bound. `queries`, `keys`: matches of the attention's tokens. Works on a few rows at a time, in
/// double; O(queries·keys) time and O(keys) memory. Equal weights give exactly 0. Throws Cancelled.
HeadDifference head_difference(const HeadOfRun& a, const HeadOfRun& b, const TokenMatch& queries,
                               const TokenMatch& keys, const Work&);

/// ‖a − b‖ / ‖a‖ of each pair of rows, in double; NaN if a is 0. Both must have the same width.
std::vector<double> relative_change(const KeptRows& a, const KeptRows& b, const TokenMatch& rows);

}  // namespace attnscope
