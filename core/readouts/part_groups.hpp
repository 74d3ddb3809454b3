// core/readouts: groups the parts of a sum for display: the largest ones alone, the rest by kind. No part is
// dropped, so that the groups add up to the whole.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/readouts/score_split.hpp"
#include "core/readouts/stream.hpp"

namespace attnscope {

struct PartGroup {
  enum class Kind : std::uint8_t { Single, Heads, Mlps, Rest };  // Rest: positions, biases, centring
  Kind kind = Kind::Single;
  std::vector<std::size_t> members = {};  // indices into the list of parts, at least one
  double sum = 0;                         // of the members' values
};

/// At most `most` groups (at least 4): the embedding, then the parts with the largest |value| in the order of
/// the stream, heads before MLPs; then the other heads, the other MLPs, and the rest. Biases and norms that
/// the model lacks, which add exactly 0, are in no group.
std::vector<PartGroup> group_parts(std::span<const StreamPart>, std::span<const double> values,
                                   std::size_t most);

/// The sum over all key parts for each query part, and over all query parts for each key part.
std::vector<double> query_sums(const ScoreSplit&);
std::vector<double> key_sums(const ScoreSplit&);
/// [query groups][key groups]; the sum equals that of all cells.
TensorOf<double> grouped_cells(const ScoreSplit&, std::span<const PartGroup> queries,
                               std::span<const PartGroup> keys);

}  // namespace attnscope
