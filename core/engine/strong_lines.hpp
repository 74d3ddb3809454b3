// core/engine: the strongest structures of one head of a long sequence, found from what its survey has: keys
// that draw attention from everywhere, and distances at which queries look. Made to be listed: few, ranked,
// each with its exact number.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/engine/survey.hpp"

namespace attnscope {

/// With w the weights, R the known queries that see a key (none of them padding), p = offset + i the place of
/// query i among the keys and u_i = 1 / keys that causal mask, window and padding leave to it:
///
/// * Column, key j: share = (1/R) Σ_i w_ij, the attention received. Listed from 1 % on, and from 4 times what
///   weights spread evenly would give it, (1/R) Σ_i u_i over the queries that see it.
/// * Diagonal, distance d, queries [first, last): share = (1/R) Σ_i w_{i, p−d} over them. Looked for in the
///   survey's mean picture: at least 8 cells and 32 queries on end along a diagonal of cells (gaps of one
///   cell are bridged), each at least 4 times as bright as evenly spread weights and twice the fourth
///   brightest of the six cells two to four beside it in its row. In such a strip exact rows tell the
///   distance, exact cells the number. It goes on as long as four more cells of queries have half its mean
///   weight; rows at its ends with less are cut off. Listed from a share of 0.02 % and 4 times the mean of
///   u_i on.
struct StrongLine {
  enum class Kind : std::uint8_t { Column, Diagonal };
  Kind kind = Kind::Column;
  std::int64_t at = 0;                           // the key, or the distance d; below 0: ahead
  std::int64_t first_query = 0, last_query = 0;  // [first, last): those that see the key, or the line's
  double share = 0;                              // of all attention of the head, 0 … 1
  double mean = 0;                               // weight that these queries put there
  bool operator==(const StrongLine&) const = default;
};

inline constexpr std::size_t most_strong_lines = 8;

/// Those of head h, by their share, the largest first. Of a survey that is not complete: over the queries
/// that are known; none before the first refinement. Throws Cancelled.
/// Diagonals of one distance never overlap. Where products were rounded, numbers are good to a hundredth.
std::vector<StrongLine> strong_lines(const Survey&, std::int64_t h, const Work&);

}  // namespace attnscope
