#include "core/models/model_head.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/models/run_stack.hpp"

namespace attnscope {
namespace {

/// The row of the last token that is not padding; the first row if all are.
std::int64_t last_token(const HeadSpec& head, std::span<const std::int64_t> ids) {
  if (!head.padding_id) return std::ssize(ids) - 1;
  const auto at =
      std::find_if(ids.rbegin(), ids.rend(), [&](std::int64_t id) { return id != *head.padding_id; });
  return at == ids.rend() ? 0 : std::ssize(ids) - 1 - (at - ids.rbegin());
}

/// The rows that the head reads; [first, …) if it reads every row.
std::vector<float> head_input(const Model& model, const ModelRun& run, std::int64_t first) {
  const KeptRows& rows = run.last(model).normed;
  const auto row = [&](std::int64_t i) { return std::vector<float>(rows.row(i), rows.row(i) + rows.width); };
  switch (model.spec.head.input) {
    case HeadInput::EveryRow: break;
    case HeadInput::FirstRow:
    case HeadInput::LastToken: return row(head_row(model.spec.head, run.input.ids));
    case HeadInput::Pooled: return run.pooled;
  }
  return {rows.row(first), rows.row(rows.rows())};
}

/// norm(f(dense(x))); each of the three may be missing. Returns the width of the rows.
std::int64_t transform_rows(const Model& model, std::vector<float>& x, std::int64_t rows, const Work& work) {
  std::int64_t d = model.spec.d_model;
  if (model.head.dense) {
    const std::int64_t wide = model.head.dense->d_out();
    std::vector<float> y(static_cast<std::size_t>(rows * wide));
    multiply(work, {x.data(), rows, d, d}, *model.head.dense, {y.data(), rows, wide, wide});
    d = wide;
    for (float& value : y) value = activate(model.spec.head.activation, value);
    x = std::move(y);
  }
  if (!model.head.norm.exists()) return d;
  const StackSpec& stack = model.spec.input_stack();
  apply_norm(work, {NormKind::LayerNorm, stack.norm().epsilon}, model.head.norm, x.data(), rows, d, x.data());
  return d;
}

/// tanh(W·x + b).
std::vector<float> pooled(const Model& model, const float* rows, std::int64_t count, const Work& work) {
  const std::int64_t d = model.spec.d_model;
  std::vector<float> y(static_cast<std::size_t>(count * d));
  multiply(work, {rows, count, d, d}, *model.pooler, {y.data(), count, d, d});
  for (float& value : y) value = std::tanh(value);
  return y;
}

}  // namespace

std::int64_t head_row(const HeadSpec& head, std::span<const std::int64_t> ids) {
  return head.input == HeadInput::LastToken ? last_token(head, ids) : 0;
}

void run_pooler(const Model& model, ModelRun& run, const Work& work) {
  const KeptRows& rows = run.last(model).normed;
  if (model.pooler) run.pooled = pooled(model, rows.row(0), 1, work);
  if (model.spec.pools_first_row) run.pooled.assign(rows.row(0), rows.row(0) + rows.width);
}

Tensor head_logits(const Model& model, const float* rows, std::int64_t count, const Work& work) {
  const ModelSpec& spec = model.spec;
  const std::int64_t d = spec.d_model, width = model.logits.d_out();
  std::vector<float> x(rows, rows + count * d);
  const std::int64_t wide = transform_rows(model, x, count, work);
  const bool next = spec.head.kind == HeadKind::NextToken;
  if (next && spec.logit_scale != 1)
    for (float& value : x) value *= static_cast<float>(spec.logit_scale);
  Tensor logits(Shape{count, width});
  multiply(work, {x.data(), count, wide, wide}, model.logits, {logits.data(), count, width, width});
  if (!next || spec.logit_cap == 0) return logits;
  const auto cap = static_cast<float>(spec.logit_cap);
  for (float& value : logits.values()) value = cap * std::tanh(value / cap);
  return logits;
}

Tensor stream_logits(const Model& model, const float* rows, std::int64_t count, const Work& work) {
  const StackSpec& spec = model.spec.output_stack();
  const NormWeights& norm = model.spec.decoder ? model.decoder.final_norm : model.encoder.final_norm;
  const std::int64_t d = model.spec.d_model;
  std::vector<float> normed(rows, rows + count * d);
  if (norm.exists()) apply_norm(work, spec.norm(), norm, rows, count, d, normed.data());
  if (model.spec.head.input == HeadInput::Pooled) normed = pooled(model, normed.data(), count, work);
  return head_logits(model, normed.data(), count, work);
}

void run_head(const Model& model, ModelRun& run, std::int64_t first, LogitRows wanted, const Work& work) {
  if (!model.spec.has_logits() || wanted == LogitRows::None) return;
  const bool every = model.spec.head.input == HeadInput::EveryRow;
  std::int64_t kept = every ? first : 0;  // rows of logits to keep
  if (every && wanted == LogitRows::Last) {
    first = run.last(model).normed.rows() - 1;
    kept = 0;
  }
  const std::vector<float> x = head_input(model, run, first);
  const Tensor logits = head_logits(model, x.data(), std::ssize(x) / model.spec.d_model, work);
  run.logits.width = logits.shape()[1];
  run.logits.resize(kept + logits.shape()[0]);
  std::copy_n(logits.data(), logits.size(), run.logits.row(kept));
}

}  // namespace attnscope
