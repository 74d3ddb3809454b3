#include "core/engine/model/usual_contribution.hpp"

#include <algorithm>

#include "core/models/keys_seen.hpp"

namespace attnscope {
namespace {

float largest_product(const ConstMatrixMap<float>& weights, const std::vector<float>& norms) {
  float most = 0;
  for (std::int64_t row = 0; row < weights.rows(); ++row)
    for (std::int64_t column = 0; column < weights.cols(); ++column)
      most = std::max(most, weights(row, column) * norms[static_cast<std::size_t>(column)]);
  return most;
}

}  // namespace

void take_column_norms(const ValueNorms& of_all, AttentionOf of, std::size_t block, std::size_t head,
                       const PooledCells& cells, std::int64_t columns, std::vector<float>& norms) {
  norms.assign(static_cast<std::size_t>(columns), 1);
  const auto& blocks = of_all[static_cast<std::size_t>(of)];
  if (block >= blocks.size() || head >= blocks[block].size()) return;
  const std::vector<float>& keys = blocks[block][head];
  for (std::int64_t column = 0; column < columns; ++column) {
    const std::int64_t begin = column * cells.keys_per_cell;
    const std::int64_t end = std::min<std::int64_t>(std::ssize(keys), begin + cells.keys_per_cell);
    float sum = 0;
    for (std::int64_t j = begin; j < end; ++j) sum += keys[static_cast<std::size_t>(j)];
    norms[static_cast<std::size_t>(column)] = end > begin ? sum / static_cast<float>(end - begin) : 0;
  }
}

float usual_contribution(const ModelRun& run, const ValueNorms& norms) {
  std::vector<float> largest, factors;
  for (const AttentionOf of : {AttentionOf::Encoder, AttentionOf::Decoder, AttentionOf::Cross}) {
    const std::vector<AttentionRun>& blocks = attention_of(run, of);
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      const HeadPictures& pictures = blocks[block].pictures;
      if (pictures.mean.size() == 0) continue;
      for (std::int64_t head = 0; head < pictures.mean.shape()[0]; ++head) {
        const ConstMatrixMap<float> weights = pictures.mean.matrix(head);
        take_column_norms(norms, of, block, static_cast<std::size_t>(head), pictures.cells, weights.cols(),
                          factors);
        largest.push_back(largest_product(weights, factors));
      }
    }
  }
  if (largest.empty()) return 1;
  const auto at = largest.begin() + std::ssize(largest) * 3 / 4;
  std::nth_element(largest.begin(), at, largest.end());
  return *at > 0 ? *at : 1;
}

}  // namespace attnscope
