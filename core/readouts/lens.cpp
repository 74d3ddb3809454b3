#include "core/readouts/lens.hpp"

#include <algorithm>

#include "core/models/run_heads.hpp"
#include "core/models/run_stack.hpp"
#include "core/readouts/stream.hpp"
#include "core/readouts/unembed.hpp"

namespace attnscope {
namespace {

void add_to(Tensor& rows, const Tensor& more) {
  for (std::int64_t i = 0; i < rows.size(); ++i) rows.data()[i] += more.data()[i];
}

}  // namespace

std::vector<LensPlace> lens_places(const ModelSpec& spec) {
  const StackSpec& stack = spec.output_stack();
  std::vector<LensPlace> places{{}};
  for (int block = 0; block < static_cast<int>(stack.blocks.size()); ++block) {
    if (stack.arrangement() != Arrangement::Parallel) places.push_back({block, true});
    places.push_back({block, false});
  }
  return places;
}

Tensor stream_at(const Model& model, const ModelRun& run, const LensPlace& place, std::int64_t begin,
                 std::int64_t end, const Work& work) {
  const AttentionOf of = output_attention(model.spec);
  const StackView stack = stack_of(model, run, of);
  const std::int64_t d = model.spec.d_model, rows = end - begin;
  const auto block = static_cast<std::size_t>(std::max(place.block, 0));
  const KeptRows& kept = stack.run.hidden[place.block >= 0 && !place.behind_attention ? block + 1 : block];
  Tensor x(Shape{rows, d}, {kept.row(begin), kept.row(begin) + rows * d});
  if (!place.behind_attention) return x;
  const BlockWeights& weights = stack.weights.blocks[block];
  const auto norm = [&](const NormWeights& with) {
    if (with.exists()) apply_norm(work, stack.spec.norm(), with, x.data(), rows, d, x.data());
  };
  if (stack.spec.residual_after_norm) norm(weights.attention_norm);
  add_to(x, attention_addition(model, run, of, block, begin, end, work));
  if (stack.spec.arrangement() == Arrangement::PostNorm) norm(weights.after_attention_norm);
  if (stack.spec.cross)
    add_to(x, attention_addition(model, run, AttentionOf::Cross, block, begin, end, work));
  return x;
}

Tensor lens_logits(const Model& model, const ModelRun& run, const LensPlace& place, std::int64_t begin,
                   std::int64_t end, const Work& work) {
  check_has_logits(model);
  const Tensor x = stream_at(model, run, place, begin, end, work);
  return unembed(model, x.data(), end - begin, work);
}

}  // namespace attnscope
