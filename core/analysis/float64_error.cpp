#include "core/analysis/float64_error.hpp"

#include <utility>

#include "core/analysis/cost.hpp"
#include "core/attention/run_stage.hpp"
#include "core/document/document.hpp"

namespace attnscope {

namespace {

constexpr Stages with_error = stages_that(holds_scores_or_weights);

/// The stages and all stages that they depend on.
constexpr Stages with_inputs(Stages some) {
  for (std::size_t i = stage_count; i-- > 0;)
    if (some.has(stage_table[i].stage)) some |= stage_table[i].inputs;
  return some;
}
/// The stages that the reference computes; it takes the buckets from the trace.
constexpr Stages recomputed = with_inputs(with_error) - Stages{Stage::Bucket};

TensorPtr difference(const Work& work, const Tensor& computed, const TensorOf<double>& reference) {
  Tensor error(computed.shape());
  const auto a = computed.values();
  const auto b = reference.values();
  const auto to = error.values();
  constexpr std::size_t block = 1 << 16;
  const auto blocks = static_cast<std::int64_t>((to.size() + block - 1) / block);
  work.for_each(blocks, 1.0 * block, [&](std::int64_t which) {
    const std::size_t begin = static_cast<std::size_t>(which) * block,
                      end = std::min(begin + block, to.size());
    for (std::size_t i = begin; i < end; ++i) {
      const auto x = static_cast<double>(a[i]);
      to[i] = x == b[i] ? 0.0f : static_cast<float>(x - b[i]);
    }
  });
  return std::make_shared<const Tensor>(std::move(error));
}

/// The error of the stage. Stages that share a tensor share the error of the first of them.
TensorPtr error_of(const Work& work, Stage stage, const Trace& trace, const TraceOf<double>& reference,
                   const Trace& errors) {
  if (!trace[stage] || !reference[stage]) return nullptr;
  for (const StageInfo& row : stage_table) {
    if (row.stage == stage) break;
    if (errors[row.stage] && trace[row.stage] == trace[stage]) return errors[row.stage];
  }
  return difference(work, *trace[stage], *reference[stage]);
}

/// Frees the tensors that no later stage reads.
void forget(TraceOf<double>& reference, Stages done) {
  Stages read{Stage::Bucket};
  for (const StageInfo& row : stage_table)
    if (float64_error_stages.has(row.stage) && !done.has(row.stage)) read |= row.inputs;
  for (const StageInfo& row : stage_table)
    if (done.has(row.stage) && !read.has(row.stage)) reference[row.stage] = nullptr;
}

}  // namespace

bool has_float64_error(Stage stage) { return with_error.has(stage); }

Trace float64_error(const Work& work, const Document& document, const Trace& trace,
                    std::atomic<int>* stages_done) {
  Document exact = document;
  exact.precision = Precision::Float32;  // double is stored as double
  exact.layer().softmax = SoftmaxKind::Stable;
  const Sources<double> sources = sources_of<double>(exact);
  TraceOf<double> reference;
  reference[Stage::Bucket] = widened(trace[Stage::Bucket]);
  Trace errors;
  Stages done;
  for (const StageInfo& row : stage_table) {
    if (!float64_error_stages.has(row.stage)) continue;
    if (recomputed.has(row.stage))
      reference[row.stage] = run_stage(work, row.stage, exact, sources, reference);
    if (with_error.has(row.stage)) errors[row.stage] = error_of(work, row.stage, trace, reference, errors);
    done.insert(row.stage);
    forget(reference, done);
    if (stages_done != nullptr) *stages_done = done.size();
  }
  return errors;
}

std::int64_t float64_error_bytes(const Document& document) {
  const LayerSpec& layer = document.layer();
  const Dimensions d = check(document);
  // Scores, scaled, masked and weights always exist; the others exist if their setting is on.
  const std::int64_t errors = 4 + (layer.soft_cap > 0 ? 1 : 0) + (layer.linear ? 1 : 0) +
                              (has_intervention(document) ? 1 : 0) + (layer.dropout.rate > 0 ? 1 : 0);
  const std::int64_t doubles = 2 + (layer.linear || has_intervention(document) ? 1 : 0);
  return d.batch * d.heads * d.queries * d.keys *
         (errors * static_cast<std::int64_t>(sizeof(float)) +
          doubles * static_cast<std::int64_t>(sizeof(double)));
}

double float64_error_work(const Document& document) {
  LayerSize size = layer_size(document);
  size.linear = false;  // the n² weights are formed here
  const LayerCost cost = cost_of(size);
  double flops = 0;
  for (const StageCost& stage : cost.stages)
    if (float64_error_stages.has(stage.stage)) flops += stage.flops;
  return flops / 2;
}

}  // namespace attnscope
