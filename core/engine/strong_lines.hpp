// core/engine: vertical and diagonal lines of one head of a long sequence, found from its survey: keys that
// receive attention from most queries, and distances at which queries attend. A short ranked list, each line
// with its exact share.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/engine/survey.hpp"

namespace attnscope {

/// With w the weights, R the known queries that see a key (none of them padding), p = offset + i the position
/// of query i among the keys and u_i = 1 / the number of keys that causal mask, window and padding allow it:
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
  std::int64_t at = 0;                           // the key, or the distance d; below 0: later keys
  std::int64_t first_query = 0, last_query = 0;  // [first, last): queries that see the key, or of the line
  double share = 0;                              // of the head's total attention, 0 … 1
  double mean = 0;                               // mean weight of these queries on the line
  bool operator==(const StrongLine&) const = default;
};

inline constexpr std::size_t most_strong_lines = 8;

/// The lines of head h, the largest share first. For an incomplete survey over the known queries; none before
/// the first refinement. Throws Cancelled. Diagonals of one distance never overlap. If products were rounded,
/// numbers are accurate to a hundredth.
std::vector<StrongLine> strong_lines(const Survey&, std::int64_t h, const Work&);

}  // namespace attnscope
