#include "core/attention/run_backward.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/attention/dropout.hpp"
#include "core/attention/intervention.hpp"
#include "core/attention/linear.hpp"
#include "core/attention/mix.hpp"
#include "core/attention/positions.hpp"
#include "core/attention/projections.hpp"
#include "core/attention/run_stage.hpp"
#include "core/attention/scores.hpp"
#include "core/attention/softmax.hpp"
#include "core/blocks/block_stages.hpp"
#include "core/document/mask.hpp"
#include "core/document/precision.hpp"
#include "core/latent/latent.hpp"
#include "core/positions/disentangled.hpp"
#include "core/positions/window_bias.hpp"

namespace attnscope {

template <class T>
void StageGradients<T>::give(Stage stage, Values&& gradient) {
  Slot& to = slot(stage);
  if (to) {
    const auto before = to->values();
    std::ranges::transform(before, gradient.values(), gradient.values().begin(),
                           [](T a, T b) { return a + b; });
  }
  to = std::make_shared<Values>(std::move(gradient));
}

template <class T>
void StageGradients<T>::pass(Stage from, Stage to) {
  if (slot(to)) return give(to, Values(*slot(from)));
  slot(to) = slot(from);
}

template <class T>
TensorOf<T> StageGradients<T>::take(Stage stage) {
  const bool shared = kept_.has(stage) || slot(stage).use_count() > 1;
  Values taken = shared ? *slot(stage) : std::move(*slot(stage));
  if (!kept_.has(stage)) slot(stage).reset();
  return taken;
}

template <class T>
TensorOf<T>& StageGradients<T>::sum(Stage stage, const Shape& shape) {
  Slot& to = slot(stage);
  if (!to) {
    to = std::make_shared<Values>(shape);
  } else if (to.use_count() > 1) {
    to = std::make_shared<Values>(*to);
  }
  return *to;
}

namespace {

/// The way back of one Document.
template <class T>
class BackwardRun {
 public:
  using Values = TensorOf<T>;
  using Ptr = TensorPtrOf<T>;
  BackwardRun(const Work& work, const Document& document, const Sources<T>& sources, const TraceOf<T>& trace,
              StageGradients<T>& gradients)
      : work_(work),
        document_(document),
        from_(sources),
        trace_(trace),
        at_(gradients),
        size_(check(document)),
        rule_(document, trace) {
    for (std::int64_t h = 0; has_intervention(document) && h < size_.heads; ++h)
      open_.push_back(lets_pass(document.layer().interventions[static_cast<std::size_t>(h)].kind) ? 1 : 0);
  }

  void run() {
    static_assert(in_order(), "the walk takes the row with the number of the stage");
    for (auto at_row = stage_table.rbegin(); at_row != stage_table.rend(); ++at_row) {
      const StageInfo& row = *at_row;
      if (!at_.of(row.stage)) continue;
      const Row& at = steps[index_of(row.stage)];
      if (const auto before = shares_with(row)) {
        at_.pass(row.stage, *before);
      } else if (is_of_block(row.stage)) {
        block_stage(row.stage);
      } else if (at.step != nullptr) {
        (this->*at.step)();
      }
      if (!at.waits) at_.release(row.stage);
    }
  }

 private:
  using Step = void (BackwardRun::*)();
  static Ptr shared(Values&& tensor) { return std::make_shared<const Values>(std::move(tensor)); }
  Ptr block(const Ptr& tensor) const { return stored(document_.precision, tensor); }
  const Values& stage(Stage which) const { return *trace_[which]; }
  Ptr& parameter(Parameter which) { return at_.parameters[which]; }

  /// The stage before, of those it reads, whose tensor is this one's as well.
  std::optional<Stage> shares_with(const StageInfo& row) const {
    for (const StageInfo& before : stage_table)
      if (row.inputs.has(before.stage) && trace_[before.stage] == trace_[row.stage]) return before.stage;
    return std::nullopt;
  }

  void block_stage(Stage which) {
    BlockGradients<T> d =
        block_stage_backward<T>(work_, which, {document_, from_.parameters, trace_}, *at_.of(which));
    for (auto& [to, gradient] : d.stages) at_.give(to, std::move(gradient));
    for (const ParameterInfo& row : parameter_table)
      if (d.parameters[row.parameter]) parameter(row.parameter) = d.parameters[row.parameter];
  }

  void output() {
    auto d = output_backward(stage(Stage::Concat), *block(from_[Parameter::WOutput]), *at_.of(Stage::Output));
    parameter(Parameter::WOutput) = shared(std::move(d.w));
    if (from_[Parameter::BOutput]) parameter(Parameter::BOutput) = shared(std::move(d.bias));
    at_.give(Stage::Concat, std::move(d.concatenated));
  }

  void concat() { at_.give(Stage::Mix, concat_backward(*at_.of(Stage::Concat), size_.heads)); }

  void mix() {
    auto d = mix_backward(work_, stage(Stage::Drop), stage(Stage::Value), *at_.of(Stage::Mix));
    at_.give(Stage::Value, std::move(d.value));
    at_.give(Stage::Drop, std::move(d.weights));
  }

  void dropout() {
    Values d = at_.take(Stage::Drop);
    drop_backward(work_, document_.layer().dropout, d);
    at_.give(Stage::Intervention, std::move(d));
  }

  void intervention() {
    Values d = at_.take(Stage::Intervention);
    operate_backward(document_.layer().interventions, d);
    at_.give(own_weights_stage(document_), std::move(d));
  }

  /// Weights that are hidden after the softmax are not those it gave: it is run again, row by row.
  void softmax() {
    Values d = at_.take(Stage::Softmax);
    const bool again = rule_.after_softmax();
    if (again) hide_weights_backward(work_, from_.additive, rule_, open_, d);
    const Ptr sinks = block(from_[Parameter::SinkLogits]);
    const SoftmaxRun<T> run{document_.layer().softmax, static_cast<T>(document_.layer().temperature),
                            stage(Stage::Mask), again ? nullptr : &stage(Stage::Softmax), sinks.get()};
    if (sinks) parameter(Parameter::SinkLogits) = shared(sinks_backward<T>(work_, run, open_, d));
    softmax_backward<T>(work_, run, open_, d);
    at_.give(Stage::Mask, std::move(d));
  }

  /// Rotary positions turn φ(q) and φ(k), not q and k. A bias and sinks have no say.
  void linear() {
    const bool turns = is_rotary(document_.layer().positions);
    std::optional<Rotation<T>> query, key;
    if (turns) {
      query = query_rotation<T>(document_, size_);
      key = key_rotation<T>(document_, size_);
    }
    const LinearRun<T> run{
        {stage(Stage::NormQuery), stage(Stage::NormKey), turns ? &*query : nullptr, turns ? &*key : nullptr},
        from_.additive,
        rule_,
        stage(Stage::Linear)};
    auto d = linear_backward(work_, run, *at_.of(Stage::Linear), open_);
    at_.give(Stage::NormQuery, std::move(d.query));
    at_.give(Stage::NormKey, std::move(d.key));
    if (learns_bias()) at_.give(Stage::Bias, Values(stage(Stage::Bias).shape()));
    if (from_[Parameter::SinkLogits])
      parameter(Parameter::SinkLogits) = shared(Values(from_[Parameter::SinkLogits]->shape()));
  }

  /// A bias that all sequences share still gets a gradient of each.
  void mask() {
    Values d = at_.take(Stage::Mask);
    mask_backward<T>(work_, {rule_, from_.additive, stage(Stage::Mask)}, open_, d);
    at_.give(Stage::Cap, std::move(d));
    if (learns_bias()) at_.pass(Stage::Cap, Stage::Bias);
  }

  bool learns_bias() const {
    if (is_disentangled(document_)) return true;
    const auto table = bias_table(document_.layer().positions);
    return table && *table != Parameter::RelativeVectors && from_[*table];
  }
  void bias() {
    const Values& d = *at_.of(Stage::Bias);
    if (is_disentangled(document_)) return disentangled(d);
    const Parameter table = *bias_table(document_.layer().positions);
    parameter(table) = shared(table == Parameter::WindowBias ? window_bias_backward(document_, size_, d)
                                                             : position_bias_backward(document_, size_, d));
  }

  /// The vectors of relative positions go through W_Q and W_K as well, which therefore get two gradients.
  void disentangled(const Values& d_bias) {
    const PositionSettings& settings = document_.layer().position_settings;
    const Values vectors = relative_vectors(document_, block(from_[Parameter::RelativeVectors]).get());
    const auto relative = [&](bool wanted, Projection which, std::int64_t heads) -> Ptr {
      if (!wanted) return nullptr;
      return shared(attnscope::project(work_, vectors, *block(from_[matrix_of(which)]),
                                       block(from_[bias_of(which)]).get(), heads));
    };
    const Ptr query = relative(settings.position_to_content, Projection::Query, size_.heads);
    const Ptr key = relative(settings.content_to_position, Projection::Key, size_.kv_heads);
    const std::vector<std::int64_t> first = first_positions(document_, size_);
    auto d =
        disentangled_backward<T>(work_,
                                 {stage(Stage::RotateQuery), stage(Stage::RotateKey), query.get(), key.get(),
                                  first, size_.token_keys(), settings.span, static_cast<T>(scale_of())},
                                 d_bias, open_);
    at_.give(Stage::RotateQuery, std::move(d.query));
    at_.give(Stage::RotateKey, std::move(d.key));
    Values d_vectors(vectors.shape());
    if (query)
      learn(Projection::Query, {vectors, *block(from_[Parameter::WQuery]), 0}, d.relative_query, d_vectors);
    if (key) learn(Projection::Key, {vectors, *block(from_[Parameter::WKey]), 0}, d.relative_key, d_vectors);
    if (const Ptr& table = from_[Parameter::RelativeVectors]) {
      Values of_table(table->shape());
      std::ranges::copy(d_vectors.values(), of_table.values().begin());
      parameter(Parameter::RelativeVectors) = shared(std::move(of_table));
    }
  }

  double scale_of() const {
    return from_.scale.value_or(scale_factor(document_.layer().scaling, scale_width(document_, size_.d_k)));
  }

  void cap() {
    Values d = at_.take(Stage::Cap);
    const double c = from_.soft_cap.value_or(static_cast<double>(document_.layer().soft_cap));
    cap_backward(work_, stage(Stage::Cap), static_cast<T>(c), open_, d);
    at_.give(Stage::Scale, std::move(d));
  }

  void scale() {
    Values d = at_.take(Stage::Scale);
    scale_backward(work_, scale_of(), open_, d);
    at_.give(Stage::Score, std::move(d));
  }

  void score() {
    auto d = score_backward(work_, stage(Stage::RotateQuery), stage(Stage::RotateKey), *at_.of(Stage::Score),
                            open_);
    at_.give(Stage::RotateQuery, std::move(d.query));
    at_.give(Stage::RotateKey, std::move(d.key));
  }

  void rotate_query() {
    at_.give(Stage::NormQuery,
             rotate_backward(work_, *at_.of(Stage::RotateQuery), query_rotation<T>(document_, size_)));
  }
  void rotate_key() {
    at_.give(Stage::NormKey,
             rotate_backward(work_, *at_.of(Stage::RotateKey), key_rotation<T>(document_, size_)));
  }

  /// A head of keys is open when one of the heads that read it is.
  std::vector<std::uint8_t> open_keys() const {
    if (open_.empty()) return {};
    std::vector<std::uint8_t> open(static_cast<std::size_t>(size_.kv_heads));
    for (std::size_t h = 0; h < open_.size(); ++h) open[h * open.size() / open_.size()] |= open_[h];
    return open;
  }
  void norm(Stage from, Stage to, Parameter which, std::int64_t tokens, OpenHeads open) {
    const Ptr weight = block(from_[which]);
    auto d = norm_heads_backward<T>(
        work_, {*norm_of(document_.layer()), weight.get(), stage(to), tokens, open}, *at_.of(from));
    if (weight) parameter(which) = shared(std::move(d.weight));
    at_.give(to, std::move(d.x));
  }
  void norm_query() { norm(Stage::NormQuery, Stage::Query, Parameter::QueryNorm, size_.queries, open_); }
  void norm_key() {
    const std::vector<std::uint8_t> open = open_keys();
    norm(Stage::NormKey, Stage::Key, Parameter::KeyNorm, size_.token_keys(), open);
  }

  void extra(Parameter which, Stage from) {
    if (from_[which] && !document_.input.is_given())
      parameter(which) = shared(join_keys_backward(*at_.of(from), size_.token_keys()));
  }
  void bias_k() { extra(Parameter::BiasK, Stage::Key); }
  void bias_v() { extra(Parameter::BiasV, Stage::Value); }

  void projection(Projection which, const Values& x, const Values& d_y, Values& d_x) {
    const Ptr w = block(from_[matrix_of(which)]);
    learn(which, {x, *w, which == Projection::Query ? size_.past : 0}, d_y, d_x);
  }
  /// Adds to what the matrix and the bias have got so far, and to d_x.
  void learn(Projection which, const ProjectRun<T>& run, const Values& d_y, Values& d_x) {
    auto d = project_backward<T>(work_, run, d_y, d_x);
    const auto add = [&](Parameter to, Values&& gradient) {
      if (const Ptr& before = parameter(to))
        std::ranges::transform(before->values(), gradient.values(), gradient.values().begin(), std::plus<>());
      parameter(to) = shared(std::move(gradient));
    };
    add(matrix_of(which), std::move(d.w));
    if (from_[bias_of(which)]) add(bias_of(which), std::move(d.bias));
  }

  /// Queries, keys and values add to the same X. All three wait for the queries, whose turn is the last, so
  /// that they add in the order of the table.
  void projections() {
    if (!document_.input.is_given()) project();
    at_.release(Stage::Key);
    at_.release(Stage::Value);
  }
  void project() {
    const Stage queries_from = trace_[Stage::QueryLatent] ? Stage::QueryLatent : Stage::AttentionNorm;
    const Ptr& x = trace_[queries_from];
    const Stage keys_from = keys_source();
    Values& dx = at_.sum(queries_from, x->shape());
    if (trace_[Stage::Latent]) {
      projection(Projection::Query, *x, *at_.of(Stage::Query), dx);
      return project_latent();
    }
    Values& of_keys = at_.sum(keys_from, stage(keys_from).shape());
    projection(Projection::Query, *x, *at_.of(Stage::Query), dx);
    projection(Projection::Key, stage(keys_from), *at_.of(Stage::Key), of_keys);
    if (from_.value_vectors) {
      const Ptr vectors = block(from_.value_vectors);
      Values dv(vectors->shape());
      projection(Projection::Value, *vectors, *at_.of(Stage::Value), dv);
      at_.value_vectors = shared(std::move(dv));
    } else {
      projection(Projection::Value, stage(keys_from), *at_.of(Stage::Value), of_keys);
    }
  }

  Stage keys_source() const { return trace_[Stage::Memory] ? Stage::Memory : Stage::AttentionNorm; }

  /// W_K and W_V read the content; the key that all heads share is the rest of the latent.
  void project_latent() {
    const std::int64_t width = document_.layer().latent.width;
    const Values content = content_of(stage(Stage::Latent), width);
    Values& d_latent = at_.sum(Stage::Latent, stage(Stage::Latent).shape());
    Values d_content(content.shape());
    projection(Projection::Key, content, with_shared_key_backward(*at_.of(Stage::Key), width, d_latent),
               d_content);
    projection(Projection::Value, content, *at_.of(Stage::Value), d_content);
    add_content(d_content, d_latent);
  }
  void compressed(Stage of, Stage from, Parameter matrix, Parameter norm) {
    const LayerSpec& layer = document_.layer();
    const std::int64_t width = of == Stage::Latent ? layer.latent.width : layer.latent.query_width;
    const Ptr w = block(from_[matrix]), weight = block(from_[norm]);
    Values& dx = at_.sum(from, stage(from).shape());
    auto d = compress_backward<T>(work_, stage(from), {*w, width, latent_norm_of(layer), weight.get()},
                                  *at_.of(of), dx);
    parameter(matrix) = shared(std::move(d.w));
    if (weight && layer.latent.normed) parameter(norm) = shared(std::move(d.norm_weight));
  }
  void latent() { compressed(Stage::Latent, keys_source(), Parameter::WLatent, Parameter::LatentNorm); }
  void query_latent() {
    compressed(Stage::QueryLatent, Stage::AttentionNorm, Parameter::WQueryLatent, Parameter::QueryLatentNorm);
  }

  struct Row {
    Stage stage;
    Step step;           // null: what it reads are constants
    bool waits = false;  // a later step still reads its gradient and lets it go
  };

  /// How each stage hands its gradient on. X is the end: token vectors, positions and the second sequence are
  /// constants so far. Fuse is never reached: it holds the bits of the three projections, which go straight
  /// to X.
  static constexpr std::array<Row, stage_count> steps{{
      {Stage::Embed, nullptr},
      {Stage::Position, nullptr},
      {Stage::Memory, nullptr},
      {Stage::AttentionNorm, nullptr},  // as all of a block: block_stage()
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

  const Work& work_;
  const Document& document_;
  const Sources<T>& from_;
  const TraceOf<T>& trace_;
  StageGradients<T>& at_;
  Dimensions size_;
  MaskRule rule_;
  std::vector<std::uint8_t> open_;  // OpenHeads
};

}  // namespace

template <class T>
void run_backward(const Work& work, const Document& document, const Sources<T>& sources,
                  const TraceOf<T>& trace, StageGradients<T>& gradients) {
  BackwardRun<T>(work, document, sources, trace, gradients).run();
}

template class StageGradients<float>;
template class StageGradients<double>;
template void run_backward(const Work&, const Document&, const Sources<float>&, const Trace&,
                           StageGradients<float>&);
template void run_backward(const Work&, const Document&, const Sources<double>&, const TraceOf<double>&,
                           StageGradients<double>&);

}  // namespace attnscope
