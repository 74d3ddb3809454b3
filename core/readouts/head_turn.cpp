#include "core/readouts/head_turn.hpp"

#include <algorithm>
#include <numeric>

#include "core/models/run_heads.hpp"
#include "core/models/run_stack.hpp"
#include "core/models/staged_attention.hpp"
#include "core/transformer/positions/rotate_in_place.hpp"
#include "core/transformer/positions/rotate_pairs.hpp"

namespace attnscope {
namespace {

/// The positions that the pass rotated the block's rows by.
std::vector<std::int64_t> turned_by(const Model& model, const ModelRun& run, AttentionOf of,
                                    std::size_t block) {
  const StackView stack = stack_of(model, run, of);
  const std::int64_t rows = stack.run.hidden[0].rows();
  std::vector<std::int64_t> positions;
  if (of == AttentionOf::Decoder && model.spec.encoder) {
    positions.resize(static_cast<std::size_t>(rows));
    std::iota(positions.begin(), positions.end(), 0);
  } else {
    positions = token_positions(model.spec, run.input);
  }
  if (!stack.run.attention[block].layer) return positions;
  const BlockChange change = change_of(run.changes, of, block);
  return rotary_positions({stack.spec, stack.weights, block, change}, positions, {0, rows});
}

}  // namespace

HeadTurn::HeadTurn(const Model& model, const ModelRun& run, AttentionOf of, std::size_t block,
                   std::int64_t begin, std::int64_t end, RotationOf side, const Work& work)
    : begin_(begin) {
  const StackView stack = stack_of(model, run, of);
  const LayerSpec& spec = layer_of(stack.spec, stack.run.attention[block], block);
  if (!is_rotary(spec.positions) || end <= begin) return;
  const std::vector<std::int64_t> all = turned_by(model, run, of, block);
  const RopeFrequencies frequencies = rope_frequencies(rope_of(spec), std::ranges::max(all) + 1);
  pairs_ = std::ssize(frequencies.frequency);
  interleaved_ = spec.positions == Positions::RopeInterleaved;
  const std::int64_t step = interleaved_ ? 2 : 1, apart = interleaved_ ? 1 : pairs_;
  // Rotating pairs (1, 0) gives the model's own cosines and sines.
  const std::int64_t rows = end - begin;
  Tensor probe(Shape{rows, 2 * pairs_});
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t i = 0; i < pairs_; ++i) probe.matrix()(r, i * step) = 1;
  const std::span<const std::int64_t> positions(all.data() + begin, static_cast<std::size_t>(rows));
  rotate_in_place(work, spec.positions, frequencies, positions,
                  {probe.data(), rows, 1, 2 * pairs_, 2 * pairs_});
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t i = 0; i < pairs_; ++i) {
      const double factor = side == RotationOf::Queries
                                ? query_factor(rope_of(spec), positions[static_cast<std::size_t>(r)])
                                : 1;
      cosine_.push_back(factor * static_cast<double>(probe.matrix()(r, i * step)));
      sine_.push_back(factor * static_cast<double>(probe.matrix()(r, i * step + apart)));
    }
}

void HeadTurn::turn(std::int64_t row, std::span<double> x) const {
  const std::int64_t at = (row - begin_) * pairs_;
  rotate_pairs(x.data(), pairs_, interleaved_, cosine_.data() + at, sine_.data() + at);
}

}  // namespace attnscope
