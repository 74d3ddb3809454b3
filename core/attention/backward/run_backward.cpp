#include "core/attention/backward/run_backward.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/attention/backward/backward_frame.hpp"
#include "core/attention/backward/projection_steps.hpp"
#include "core/attention/dropout.hpp"
#include "core/attention/intervention.hpp"
#include "core/attention/linear.hpp"
#include "core/attention/mix.hpp"
#include "core/attention/positions.hpp"
#include "core/attention/projections.hpp"
#include "core/attention/run_stage.hpp"
#include "core/attention/scores.hpp"
#include "core/attention/softmax.hpp"
#include "core/base/dense.hpp"
#include "core/blocks/block_stages.hpp"
#include "core/document/mask.hpp"

namespace attnscope {
namespace {

/// The backward pass of one Document.
template <class T>
class BackwardRun {
 public:
  using Values = TensorOf<T>;
  using Ptr = TensorPtrOf<T>;
  BackwardRun(const Work& work, const Document& document, const Sources<T>& sources, const TraceOf<T>& trace,
              StageGradients<T>& gradients)
      : f_{work, document, sources, trace, gradients, check(document), {}}, rule_(document, trace) {
    for (std::int64_t h = 0; has_intervention(document) && h < f_.size.heads; ++h)
      f_.open.push_back(lets_pass(document.layer().interventions[static_cast<std::size_t>(h)].kind) ? 1 : 0);
  }

  void run() {
    static_assert(in_order(), "the walk takes the row with the number of the stage");
    for (auto at_row = stage_table.rbegin(); at_row != stage_table.rend(); ++at_row) {
      const StageInfo& row = *at_row;
      if (!f_.at.of(row.stage)) continue;
      const Row& at = steps[index_of(row.stage)];
      if (const auto before = shares_with(row)) {
        f_.at.pass(row.stage, *before);
      } else if (is_of_block(row.stage)) {
        block_stage(row.stage);
      } else if (at.step != nullptr) {
        (this->*at.step)();
      }
      if (!at.waits) f_.at.release(row.stage);
    }
  }

 private:
  using Step = void (BackwardRun::*)();

  /// An input stage that shares its tensor with this stage.
  std::optional<Stage> shares_with(const StageInfo& row) const {
    for (const StageInfo& before : stage_table)
      if (row.inputs.has(before.stage) && f_.trace[before.stage] == f_.trace[row.stage]) return before.stage;
    return std::nullopt;
  }

  void block_stage(Stage which) {
    BlockGradients<T> d = block_stage_backward<T>(f_.work, which, {f_.document, f_.from.parameters, f_.trace},
                                                  *f_.at.of(which));
    for (auto& [to, gradient] : d.stages) f_.at.give(to, std::move(gradient));
    for (const ParameterInfo& row : parameter_table)
      if (d.parameters[row.parameter]) f_.parameter(row.parameter) = d.parameters[row.parameter];
  }

  void output() {
    auto d = dense_backward(f_.stage(Stage::Concat), *f_.block(f_.from[Parameter::WOutput]),
                            *f_.at.of(Stage::Output));
    f_.parameter(Parameter::WOutput) = f_.shared(std::move(d.w));
    if (f_.from[Parameter::BOutput]) f_.parameter(Parameter::BOutput) = f_.shared(std::move(d.bias));
    f_.at.give(Stage::Concat, std::move(d.x));
  }

  void concat() { f_.at.give(Stage::Mix, concat_backward(*f_.at.of(Stage::Concat), f_.size.heads)); }

  void mix() {
    auto d = mix_backward(f_.work, f_.stage(Stage::Drop), f_.stage(Stage::Value), *f_.at.of(Stage::Mix));
    f_.at.give(Stage::Value, std::move(d.value));
    f_.at.give(Stage::Drop, std::move(d.weights));
  }

  void dropout() {
    Values d = f_.at.take(Stage::Drop);
    drop_backward(f_.work, f_.document.layer().dropout, d);
    f_.at.give(Stage::Intervention, std::move(d));
  }

  void intervention() {
    Values d = f_.at.take(Stage::Intervention);
    operate_backward(f_.document.layer().interventions, d);
    f_.at.give(own_weights_stage(f_.document), std::move(d));
  }

  /// If weights are hidden after the softmax, the stored ones are not the softmax's; these are computed
  /// again, row by row.
  void softmax() {
    Values d = f_.at.take(Stage::Softmax);
    const bool again = rule_.after_softmax();
    if (again) hide_weights_backward(f_.work, f_.from.additive, rule_, f_.open, d);
    const Ptr sinks = f_.block(f_.from[Parameter::SinkLogits]);
    const SoftmaxRun<T> run{f_.document.layer().softmax, static_cast<T>(f_.document.layer().temperature),
                            f_.stage(Stage::Mask), again ? nullptr : &f_.stage(Stage::Softmax), sinks.get()};
    if (sinks) f_.parameter(Parameter::SinkLogits) = f_.shared(sinks_backward<T>(f_.work, run, f_.open, d));
    softmax_backward<T>(f_.work, run, f_.open, d);
    f_.at.give(Stage::Mask, std::move(d));
  }

  /// Rotary positions rotate φ(q) and φ(k), not q and k. A bias and sinks have no effect.
  void linear() {
    const bool turns = is_rotary(f_.document.layer().positions);
    std::optional<Rotation<T>> query, key;
    if (turns) {
      query = query_rotation<T>(f_.document, f_.size);
      key = key_rotation<T>(f_.document, f_.size);
    }
    const LinearRun<T> run{{f_.stage(Stage::NormQuery), f_.stage(Stage::NormKey), turns ? &*query : nullptr,
                            turns ? &*key : nullptr},
                           f_.from.additive,
                           rule_,
                           f_.stage(Stage::Linear)};
    auto d = linear_backward(f_.work, run, *f_.at.of(Stage::Linear), f_.open);
    f_.at.give(Stage::NormQuery, std::move(d.query));
    f_.at.give(Stage::NormKey, std::move(d.key));
    if (learns_bias()) f_.at.give(Stage::Bias, Values(f_.stage(Stage::Bias).shape()));
    if (f_.from[Parameter::SinkLogits])
      f_.parameter(Parameter::SinkLogits) = f_.shared(Values(f_.from[Parameter::SinkLogits]->shape()));
  }

  /// A bias shared by all sequences gets one gradient per sequence.
  void mask() {
    Values d = f_.at.take(Stage::Mask);
    mask_backward<T>(f_.work, {rule_, f_.from.additive, f_.stage(Stage::Mask)}, f_.open, d);
    f_.at.give(Stage::Cap, std::move(d));
    if (learns_bias()) f_.at.pass(Stage::Cap, Stage::Bias);
  }

  bool learns_bias() const {
    if (is_disentangled(f_.document)) return true;
    const Positions kind = f_.document.layer().positions;
    const auto table = bias_table(kind);
    return table && !position_facts(kind).of_tokens && f_.from[*table];
  }
  void bias() {
    const Values& d = *f_.at.of(Stage::Bias);
    if (is_disentangled(f_.document)) return disentangled(d);
    const Parameter table = *bias_table(f_.document.layer().positions);
    f_.parameter(table) = f_.shared(position_bias_backward(f_.document, f_.size, d));
  }

  /// The relative-position vectors are projected by W_Q and W_K, too, so these get a second gradient.
  void disentangled(const Values& d_bias) {
    const PositionSettings& settings = f_.document.layer().position_settings;
    const Values vectors = relative_vectors(f_.document, f_.block(f_.from[Parameter::RelativeVectors]).get());
    const auto relative = [&](bool wanted, Projection which, std::int64_t heads) -> Ptr {
      if (!wanted) return nullptr;
      return f_.shared(attnscope::project(f_.work, vectors, *f_.block(f_.from[matrix_of(which)]),
                                          f_.block(f_.from[bias_of(which)]).get(), heads));
    };
    const Ptr query = relative(settings.position_to_content, Projection::Query, f_.size.heads);
    const Ptr key = relative(settings.content_to_position, Projection::Key, f_.size.kv_heads);
    const std::vector<std::int64_t> first = first_positions(f_.document, f_.size);
    auto d = disentangled_backward<T>(
        f_.work,
        {f_.stage(Stage::RotateQuery), f_.stage(Stage::RotateKey), query.get(), key.get(), first,
         f_.size.token_keys(), settings.span, static_cast<T>(scale_of())},
        d_bias, f_.open);
    f_.at.give(Stage::RotateQuery, std::move(d.query));
    f_.at.give(Stage::RotateKey, std::move(d.key));
    Values d_vectors(vectors.shape());
    if (query)
      projections_.learn(Projection::Query, {vectors, *f_.block(f_.from[Parameter::WQuery]), 0},
                         d.relative_query, d_vectors);
    if (key)
      projections_.learn(Projection::Key, {vectors, *f_.block(f_.from[Parameter::WKey]), 0}, d.relative_key,
                         d_vectors);
    if (const Ptr& table = f_.from[Parameter::RelativeVectors]) {
      Values of_table(table->shape());
      std::ranges::copy(d_vectors.values(), of_table.values().begin());
      f_.parameter(Parameter::RelativeVectors) = f_.shared(std::move(of_table));
    }
  }

  double scale_of() const {
    return f_.from.scale.value_or(
        scale_factor(f_.document.layer().scaling, scale_width(f_.document, f_.size.d_k)));
  }

  void cap() {
    Values d = f_.at.take(Stage::Cap);
    const double c = f_.from.soft_cap.value_or(static_cast<double>(f_.document.layer().soft_cap));
    cap_backward(f_.work, f_.stage(Stage::Cap), static_cast<T>(c), f_.open, d);
    f_.at.give(Stage::Scale, std::move(d));
  }

  void scale() {
    Values d = f_.at.take(Stage::Scale);
    scale_backward(f_.work, scale_of(), f_.open, d);
    f_.at.give(Stage::Score, std::move(d));
  }

  void score() {
    auto d = score_backward(f_.work, f_.stage(Stage::RotateQuery), f_.stage(Stage::RotateKey),
                            *f_.at.of(Stage::Score), f_.open);
    f_.at.give(Stage::RotateQuery, std::move(d.query));
    f_.at.give(Stage::RotateKey, std::move(d.key));
  }

  // Stages before the scores.
  void rotate_query() { projections_.rotate_query(); }
  void rotate_key() { projections_.rotate_key(); }
  void norm_query() { projections_.norm_query(); }
  void norm_key() { projections_.norm_key(); }
  void bias_k() { projections_.bias_k(); }
  void bias_v() { projections_.bias_v(); }
  void projections() { projections_.projections(); }
  void latent() { projections_.latent(); }
  void query_latent() { projections_.query_latent(); }

  struct Row {
    Stage stage;
    Step step;           // null: the inputs of the stage are constants
    bool waits = false;  // a later step reads the gradient and releases it
  };

  /// How each stage propagates its gradient. The walk ends at X: token vectors, positions and the second
  /// sequence are constants. Fuse is never reached, since the steps of the three projections propagate
  /// directly to X.
  static constexpr std::array<Row, stage_count> steps{{
      {Stage::Embed, nullptr},
      {Stage::Position, nullptr},
      {Stage::Memory, nullptr},
      {Stage::AttentionNorm, nullptr},  // like all stages of a block: see block_stage()
      {Stage::QueryLatent, &BackwardRun::query_latent},
      {Stage::Latent, &BackwardRun::latent},
      {Stage::Fuse, nullptr},
      {Stage::Query, &BackwardRun::projections},
      {Stage::Key, &BackwardRun::bias_k, true},
      {Stage::Value, &BackwardRun::bias_v, true},
      {Stage::NormQuery, &BackwardRun::norm_query},
      {Stage::NormKey, &BackwardRun::norm_key},
      {Stage::RotateQuery, &BackwardRun::rotate_query},
      {Stage::RotateKey, &BackwardRun::rotate_key},
      {Stage::Bucket, nullptr},
      {Stage::Score, &BackwardRun::score},
      {Stage::Scale, &BackwardRun::scale},
      {Stage::Cap, &BackwardRun::cap},
      {Stage::Bias, &BackwardRun::bias},
      {Stage::Mask, &BackwardRun::mask},
      {Stage::Softmax, &BackwardRun::softmax},
      {Stage::Linear, &BackwardRun::linear},
      {Stage::Intervention, &BackwardRun::intervention},
      {Stage::Drop, &BackwardRun::dropout},
      {Stage::Mix, &BackwardRun::mix},
      {Stage::Concat, &BackwardRun::concat},
      {Stage::Output, &BackwardRun::output},
      {Stage::OutputNorm, nullptr},
      {Stage::Residual, nullptr},
      {Stage::StreamNorm, nullptr},
      {Stage::MlpNorm, nullptr},
      {Stage::Gate, nullptr},
      {Stage::Up, nullptr},
      {Stage::Activation, nullptr},
      {Stage::Down, nullptr},
      {Stage::MlpOutputNorm, nullptr},
      {Stage::MlpResidual, nullptr},
      {Stage::BlockOutput, nullptr},
  }};
  static constexpr bool in_order() {
    for (std::size_t i = 0; i < stage_count; ++i)
      if (steps[i].stage != static_cast<Stage>(i)) return false;
    return true;
  }

  BackwardFrame<T> f_;
  ProjectionSteps<T> projections_{f_};
  MaskRule rule_;
};

}  // namespace

template <class T>
void run_backward(const Work& work, const Document& document, const Sources<T>& sources,
                  const TraceOf<T>& trace, StageGradients<T>& gradients) {
  BackwardRun<T>(work, document, sources, trace, gradients).run();
}

template void run_backward(const Work&, const Document&, const Sources<float>&, const Trace&,
                           StageGradients<float>&);
template void run_backward(const Work&, const Document&, const Sources<double>&, const TraceOf<double>&,
                           StageGradients<double>&);

}  // namespace attnscope
