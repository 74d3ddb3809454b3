#include "core/models/opened/model_cost.hpp"

#include <algorithm>
#include <optional>

namespace attnscope {
namespace {

std::int64_t numbers_in(const LinearMap& map) { return map.weight.shape().count(); }

std::int64_t numbers_in(const ExpertWeights& expert) {
  return (expert.gate ? numbers_in(*expert.gate) : 0) + numbers_in(expert.up) + numbers_in(expert.down);
}

/// The number of weights that each row is multiplied by: of a mixture, those of the experts that it takes.
std::int64_t numbers_in(const BlockWeights& block, const std::optional<ExpertSettings>& experts) {
  std::int64_t numbers = numbers_in(block.attention.output) + numbers_in(block.up) + numbers_in(block.down);
  for (const LinearMap& map : block.attention.maps) numbers += numbers_in(map);
  if (block.gate) numbers += numbers_in(*block.gate);
  if (!block.mixture || !experts) return numbers;
  numbers += numbers_in(block.mixture->router) + experts->chosen * numbers_in(block.mixture->experts.front());
  if (block.mixture->shared) numbers += numbers_in(*block.mixture->shared);
  return numbers;
}

}  // namespace

std::int64_t keys_of_row(const StackSpec& stack, const LayerSpec& block, std::int64_t row,
                         std::int64_t rows) {
  const std::int64_t seen = stack.causal() ? row + 1 : rows, window = window_of(block);
  if (window == 0) return seen;
  if (stack.causal()) return std::min(window, seen);
  return std::min(row + window, rows) - std::max<std::int64_t>(row - window + 1, 0);  // on both sides
}

double multiply_adds(const StackSpec& stack, const StackWeights& weights, const CountedRows& counted) {
  double all = 0;
  const auto rows = static_cast<double>(counted.last - counted.first);
  for (std::size_t i = 0; i < stack.blocks.size(); ++i) {
    const LayerSpec& block = stack.blocks[i];
    std::int64_t numbers = numbers_in(weights.blocks[i], stack.experts);
    double seen = 0;
    for (std::int64_t row = counted.first; row < counted.last; ++row)
      seen += static_cast<double>(keys_of_row(stack, block, row, counted.last));
    if (stack.cross) {
      numbers += numbers_in(weights.blocks[i].cross_query) + numbers_in(weights.blocks[i].cross.output);
      seen += rows * static_cast<double>(counted.encoder_rows);
    }
    all += rows * static_cast<double>(numbers) + 2 * seen * block.d_k * block.heads;
  }
  return all;
}

std::int64_t cached_numbers(const StackSpec& stack) {
  std::int64_t numbers = 0;
  for (const LayerSpec& block : stack.blocks) numbers += std::int64_t{2} * block.kv_heads * block.d_k;
  return numbers;
}

std::int64_t cached_cross_numbers(const StackSpec& stack) { return stack.cross ? cached_numbers(stack) : 0; }

}  // namespace attnscope
