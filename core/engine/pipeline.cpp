#include "core/engine/pipeline.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "core/attention/run_stage.hpp"
#include "core/attention/sources.hpp"
#include "core/base/error.hpp"
#include "core/engine/dirty.hpp"
#include "core/engine/streamed_document.hpp"

namespace attnscope {

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Resets the progress to "nothing runs" when the run ends, also by an exception.
class ProgressScope {
 public:
  ProgressScope(Progress* progress, int total) : progress_(progress) { set(0, total); }
  ~ProgressScope() { set(0, 0); }
  ProgressScope(const ProgressScope&) = delete;
  ProgressScope& operator=(const ProgressScope&) = delete;
  void stage_done() {
    if (progress_ != nullptr) ++progress_->done;
  }

 private:
  void set(int done, int total) {
    if (progress_ == nullptr) return;
    progress_->done = done;
    progress_->total = total;
  }
  Progress* progress_;
};

}  // namespace

double WholeTimes::total() const {
  return std::accumulate(stages.begin(), stages.end(), measures + gradients);
}

void Pipeline::use(std::shared_ptr<Backend> backend, std::string note) {
  backend_ = std::move(backend);
  note_ = std::move(note);
  forget();  // runs_ is not reset, so made_in distinguishes tensors of both backends
}

void Pipeline::run_stage(Stage stage, LayerResult& result, const std::stop_token& stop) const {
  if (stop.stop_requested()) throw Cancelled();
  const Clock::time_point start = Clock::now();
  TensorPtr tensor = backend_->run(stage, result.document, result.trace, stop);
  result.whole.stages[stage] = milliseconds_since(start);
  if (last() && tensor == result.trace[stage])
    return;  // off before and after, or shared with a stage that was kept
  result.trace[stage] = std::move(tensor);
  result.made_in[stage] = runs_;
  result.milliseconds[stage] = result.whole.stages[stage];
  result.computed.insert(stage);
}

void Pipeline::differentiate(LayerResult& result, const std::stop_token& stop) const {
  const Document& document = result.document;
  if (document.loss.kind == Loss::Kind::Off) {
    result.whole.gradients = 0;
    return;
  }
  const LayerResult* const before = last();
  if (before && before->gradients && result.computed.empty() && before->document.loss == document.loss) {
    result.gradients = before->gradients;
    result.head_gradients = before->head_gradients;
    return;
  }
  const Clock::time_point start = Clock::now();
  backend_->on_cpu(stop, [&](const Work& work) {
    result.gradients = std::make_shared<const Gradients>(
        backward(work, document, sources_of<float>(document), result.trace));
  });
  result.head_gradients = head_gradients(*result.gradients, result.dimensions);
  result.whole.gradients = milliseconds_since(start);
}

namespace {

/// [batch][heads][queries][d_v] from the sweeps' outputs.
TensorPtr outputs_of(const LayerResult& result) {
  const Dimensions& d = result.dimensions;
  const Shape shape{d.batch, d.heads, d.queries, d.d_v};
  // An output in the backend's memory stays there.
  if (const Tensor& only = result.surveys.front()->known.output; d.batch == 1 && only.remote())
    return std::make_shared<const Tensor>(Tensor::of(shape, only.remote()));
  auto all = std::make_shared<Tensor>(shape);
  float* to = all->data();
  for (const SurveyPtr& survey : result.surveys) {
    const std::span<const float> output = survey->known.output.values();
    to = std::copy(output.begin(), output.end(), to);
  }
  return all;
}

SweepProgress* sweep_of(Progress* progress) { return progress != nullptr ? &progress->sweep : nullptr; }

}  // namespace

void Pipeline::look(LayerResult& result, const std::stop_token& stop, Progress* progress) const {
  const Clock::time_point start = Clock::now();
  result.surveys.clear();
  for (std::int64_t b = 0; b < result.dimensions.batch; ++b) {
    StreamedDocument streamed = make_problem(result.document, result.trace, b);
    if (!streamed) throw Error("This is too long to keep every score. " + streamed.why_not);
    result.surveys.push_back(first_look(std::move(streamed), *backend_, stop, sweep_of(progress)));
  }
  result.whole.measures = milliseconds_since(start);
}

void Pipeline::run_stages(LayerResult& result, const Stages& possible, const Fields& changed,
                          const std::stop_token& stop, Progress* progress) const {
  const bool sweeps = is_long(result.dimensions);
  ProgressScope scope(progress, possible.size());
  bool looks = false;
  for (const StageInfo& row : stage_table) {
    if (!possible.has(row.stage)) continue;
    const bool needed = !last() || row.fields.intersects(changed) || row.inputs.intersects(result.computed);
    if (needed && sweeps && !is_before_scores(row.stage)) {
      result.trace[row.stage] = nullptr;
      result.whole.stages[row.stage] = 0;
      result.computed.insert(row.stage);
      looks = true;
    } else if (needed) {
      run_stage(row.stage, result, stop);
    }
    scope.stage_done();
  }
  if (looks) look(result, stop, progress);
}

ResultPtr Pipeline::published(std::shared_ptr<LayerResult> layer, double milliseconds) {
  const auto result = std::make_shared<Result>();
  result->ticket = layer->ticket;
  result->refinement = layer->refinement;
  result->document = layer->document;
  result->total_milliseconds = milliseconds;
  result->backend = backend_->name();
  result->backend_note = note_;
  if (note_.empty() && layer->is_long()) result->backend_note = backend_->remark();
  result->layers.push_back(std::move(layer));
  last_ = result;
  return last_;
}

ResultPtr Pipeline::run(const Document& document, std::stop_token stop, Progress* progress,
                        std::uint64_t ticket, std::uint64_t refinement) {
  const Clock::time_point start = Clock::now();
  const auto result = std::make_shared<LayerResult>();
  result->ticket = ticket;
  result->refinement = refinement;
  result->document = document;
  result->dimensions = check_any_length(document);
  ++runs_;
  // Long and short Documents keep different tensors.
  if (last() && last()->is_long() != is_long(result->dimensions)) last_ = nullptr;
  const LayerResult* const before = last();
  if (before) {
    result->trace = before->trace;
    result->made_in = before->made_in;
    result->surveys = before->surveys;
    result->whole = before->whole;
  }

  const Fields changed = before ? changed_fields(before->document, document) : Fields{};
  const Stages possible = before ? dirty_stages(before->document, document) : Stages::all();
  run_stages(*result, possible, changed, stop, progress);
  if (!result->is_long()) {
    const bool measured = before && !result->computed.intersects(measured_stages(document)) &&
                          before->document.layer().linear == document.layer().linear &&
                          has_intervention(before->document) == has_intervention(document);
    if (measured) {
      result->measures = before->measures;
    } else {
      const Clock::time_point measuring = Clock::now();
      const bool same_mask = before && before->dimensions == result->dimensions &&
                             !changed.intersects(mask_fact_fields) && !result->computed.has(Stage::Bucket);
      result->measures = backend_->measure(document, result->trace,
                                           same_mask ? before->measures.facts : MaskFactsPtr(), stop);
      result->whole.measures = milliseconds_since(measuring);
    }
    const TensorPtr& weights = result->trace[weights_stage(document)];
    if (before && before->trace[weights_stage(before->document)] == weights)
      result->overview = before->overview;
    else if (weights->remote())
      result->overview = backend_->overview(weights, stop);
    differentiate(*result, stop);
  }
  return published(result, milliseconds_since(start));
}

ResultPtr Pipeline::refine(std::stop_token stop, Progress* progress) {
  const Clock::time_point start = Clock::now();
  const auto result = std::make_shared<LayerResult>(*last());
  ++result->refinement;
  result->computed = {};
  for (SurveyPtr& survey : result->surveys)
    if (!survey->is_complete()) survey = refined(*survey, *backend_, stop, sweep_of(progress));
  result->whole.measures += milliseconds_since(start);
  if (result->is_complete()) {
    ++runs_;
    result->trace[Stage::Mix] = outputs_of(*result);
    result->made_in[Stage::Mix] = runs_;
    for (const StageInfo& row : stage_table)
      if (is_layer_output(row.stage) || is_after_attention(row.stage)) run_stage(row.stage, *result, stop);
  }
  return published(result, last_->total_milliseconds + milliseconds_since(start));
}

}  // namespace attnscope
