#include "core/readouts/head_turn.hpp"

#include <algorithm>

#include "core/models/run_heads.hpp"
#include "core/models/run_stack.hpp"
#include "core/transformer/positions/rotate_in_place.hpp"
#include "core/transformer/positions/rotate_pairs.hpp"

namespace attnscope {

HeadTurn::HeadTurn(const Model& model, const ModelRun& run, AttentionOf of, std::size_t block,
                   std::int64_t begin, std::int64_t end, const Work& work)
    : begin_(begin) {
  const StackView stack = stack_of(model, run, of);
  const LayerSpec& spec = layer_of(stack.spec, stack.run.attention[block], block);
  if (!is_rotary(spec.positions) || end <= begin) return;
  const std::vector<std::int64_t> all = token_positions(model.spec, run.input);
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
      cosine_.push_back(static_cast<double>(probe.matrix()(r, i * step)));
      sine_.push_back(static_cast<double>(probe.matrix()(r, i * step + apart)));
    }
}

void HeadTurn::turn(std::int64_t row, std::span<double> x) const {
  const std::int64_t at = (row - begin_) * pairs_;
  rotate_pairs(x.data(), pairs_, interleaved_, cosine_.data() + at, sine_.data() + at);
}

}  // namespace attnscope
