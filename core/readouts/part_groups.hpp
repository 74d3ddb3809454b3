// core/readouts: the parts of a sum for the eye: the largest one by one, the rest together by kind. None is
// dropped, so that what is shown adds up to the whole.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/readouts/score_split.hpp"
#include "core/readouts/stream.hpp"

namespace attnscope {

struct PartGroup {
  enum class Kind : std::uint8_t { Single, Heads, Mlps, Rest };  // the rest: positions, biases, centring
  Kind kind = Kind::Single;
  std::vector<std::size_t> members = {};  // places in the list of parts, never none
  double sum = 0;                         // of their values
};

/// At most `most` groups (4 at least): the embedding, then the parts with the largest |value| in the order of
/// the stream, heads before MLPs; then the other heads, the other MLPs, the rest. Biases
/// and norms that add exactly 0, since the model has none, are in no group.
std::vector<PartGroup> group_parts(std::span<const StreamPart>, std::span<const double> values,
                                   std::size_t most);

/// What each part of the query adds to the score over all of the key, and the other way round.
std::vector<double> query_sums(const ScoreSplit&);
std::vector<double> key_sums(const ScoreSplit&);
/// [query groups][key groups]; their sum is that of all cells.
TensorOf<double> grouped_cells(const ScoreSplit&, std::span<const PartGroup> queries,
                               std::span<const PartGroup> keys);

}  // namespace attnscope
