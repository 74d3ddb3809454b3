#include "core/models/token_positions.hpp"

#include <numeric>

namespace attnscope {

std::vector<std::int64_t> token_positions(const ModelSpec& spec, const ModelInput& input,
                                          std::int64_t first) {
  if (!input.positions.empty()) return {input.positions.begin() + first, input.positions.end()};
  std::vector<std::int64_t> positions(input.ids.size());
  if (spec.padding_id) {
    std::int64_t seen = 0;
    for (std::size_t i = 0; i < positions.size(); ++i)
      positions[i] = input.ids[i] == *spec.padding_id ? *spec.padding_id : *spec.padding_id + ++seen;
  } else {
    std::iota(positions.begin(), positions.end(), spec.first_position);
  }
  return {positions.begin() + first, positions.end()};
}

}  // namespace attnscope
