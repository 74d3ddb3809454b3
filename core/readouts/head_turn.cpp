#include "core/readouts/head_turn.hpp"

#include <algorithm>

#include "core/models/run_heads.hpp"
#include "core/models/run_stack.hpp"

namespace attnscope {

HeadTurn::HeadTurn(const Model& model, const ModelRun& run, AttentionOf of, std::size_t block,
                   std::int64_t begin, std::int64_t end, const Work& work)
    : begin_(begin) {
  const StackSpec& spec = stack_of(model, run, of).spec;
  if (!is_rotary(spec.positions) || !spec.blocks[block].rotary || end <= begin) return;
  const std::vector<std::int64_t> all = token_positions(model.spec, run.input);
  const RopeFrequencies frequencies = rope_frequencies(spec.rope, std::ranges::max(all) + 1);
  pairs_ = std::ssize(frequencies.frequency);
  const bool interleaved = spec.positions == Positions::RopeInterleaved;
  step_ = interleaved ? 2 : 1;
  apart_ = interleaved ? 1 : pairs_;
  // Rotating pairs (1, 0) gives the model's own cosines and sines.
  const std::int64_t rows = end - begin;
  Tensor probe(Shape{rows, 2 * pairs_});
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t i = 0; i < pairs_; ++i) probe.matrix()(r, i * step_) = 1;
  const std::span<const std::int64_t> positions(all.data() + begin, static_cast<std::size_t>(rows));
  rotate_in_place(work, spec.positions, frequencies, positions,
                  {probe.data(), rows, 1, 2 * pairs_, 2 * pairs_});
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t i = 0; i < pairs_; ++i) {
      cosine_.push_back(probe.matrix()(r, i * step_));
      sine_.push_back(probe.matrix()(r, i * step_ + apart_));
    }
}

void HeadTurn::turn(std::int64_t row, std::span<double> x) const {
  for (std::int64_t i = 0; i < pairs_; ++i) {
    const auto at = static_cast<std::size_t>((row - begin_) * pairs_ + i);
    const auto c = static_cast<double>(cosine_[at]), s = static_cast<double>(sine_[at]);
    double &a = x[static_cast<std::size_t>(i * step_)], &b = x[static_cast<std::size_t>(i * step_ + apart_)];
    const double was = a;
    a = was * c - b * s;
    b = b * c + was * s;
  }
}

}  // namespace attnscope
