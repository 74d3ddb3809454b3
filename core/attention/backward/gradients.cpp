#include "core/attention/backward/gradients.hpp"

#include <array>
#include <memory>
#include <utility>

#include "core/attention/backward/run_backward.hpp"
#include "core/attention/loss.hpp"

namespace attnscope {

namespace {

/// The stage whose gradient a member holds. `masked` is read at Cap: M = G + B + constants, so the gradient
/// of G is that of M, with zeros where a constant replaced the score.
template <class T>
struct KeptGradient {
  TensorPtrOf<T> GradientsOf<T>::*member;
  Stage stage;
};
template <class T>
constexpr std::array<KeptGradient<T>, 8> kept_gradients{{
    {&GradientsOf<T>::weights, Stage::Drop},
    {&GradientsOf<T>::masked, Stage::Cap},
    {&GradientsOf<T>::scores, Stage::Score},
    {&GradientsOf<T>::query, Stage::Query},
    {&GradientsOf<T>::key, Stage::Key},
    {&GradientsOf<T>::value, Stage::Value},
    {&GradientsOf<T>::x, Stage::Position},
    {&GradientsOf<T>::key_vectors, Stage::Memory},
}};

/// The stage whose tensor the loss reads.
template <class T>
Stage last_stage(const TraceOf<T>& trace) {
  if (trace[Stage::BlockOutput]) return Stage::BlockOutput;
  return trace[Stage::Output] ? Stage::Output : Stage::Concat;
}

}  // namespace

template <class T>
GradientsOf<T> backward(const Work& work, const Document& document, const Sources<T>& sources,
                        const TraceOf<T>& trace) {
  const Stage last = last_stage(trace);
  Stages kept{last};
  for (const KeptGradient<T>& row : kept_gradients<T>) kept.insert(row.stage);
  StageGradients<T> found(kept);
  LossRun<T> loss = differentiate_loss(document.loss, *trace[last], sources.loss, trace[Stage::Position]);
  found.give(last, std::move(loss.d_output));
  run_backward(work, document, sources, trace, found);

  GradientsOf<T> result;
  result.loss = loss.loss;
  result.output = found.of(last);
  for (const auto& [member, stage] : kept_gradients<T>) {
    result.*member = found.of(stage);
    if (trace[stage] && !(result.*member))
      result.*member = std::make_shared<const TensorOf<T>>(trace[stage]->shape());
  }
  result.value_vectors = std::move(found.value_vectors);
  result.parameters = std::move(found.parameters);
  return result;
}

template Gradients backward(const Work&, const Document&, const Sources<float>&, const Trace&);
template GradientsOf<double> backward(const Work&, const Document&, const Sources<double>&,
                                      const TraceOf<double>&);

}  // namespace attnscope
