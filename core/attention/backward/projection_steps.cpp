#include "core/attention/backward/projection_steps.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/attention/positions.hpp"
#include "core/attention/run_stage.hpp"
#include "core/latent/latent.hpp"

namespace attnscope {

template <class T>
void ProjectionSteps<T>::rotate_query() {
  f_.at.give(Stage::NormQuery, rotate_backward(f_.work, *f_.at.of(Stage::RotateQuery),
                                               query_rotation<T>(f_.document, f_.size)));
}

template <class T>
void ProjectionSteps<T>::rotate_key() {
  f_.at.give(Stage::NormKey,
             rotate_backward(f_.work, *f_.at.of(Stage::RotateKey), key_rotation<T>(f_.document, f_.size)));
}

template <class T>
std::vector<std::uint8_t> ProjectionSteps<T>::open_keys() const {
  if (f_.open.empty()) return {};
  std::vector<std::uint8_t> open(static_cast<std::size_t>(f_.size.kv_heads));
  for (std::size_t h = 0; h < f_.open.size(); ++h) open[h * open.size() / f_.open.size()] |= f_.open[h];
  return open;
}

template <class T>
void ProjectionSteps<T>::norm(Stage from, Stage to, Parameter which, std::int64_t tokens, OpenHeads open) {
  const Ptr weight = f_.block(f_.from[which]);
  auto d = norm_heads_backward<T>(
      f_.work, {*norm_of(f_.document.layer()), weight.get(), f_.stage(to), tokens, open}, *f_.at.of(from));
  if (weight) f_.parameter(which) = f_.shared(std::move(d.weight));
  f_.at.give(to, std::move(d.x));
}

template <class T>
void ProjectionSteps<T>::norm_query() {
  norm(Stage::NormQuery, Stage::Query, Parameter::QueryNorm, f_.size.queries, f_.open);
}

template <class T>
void ProjectionSteps<T>::norm_key() {
  const std::vector<std::uint8_t> open = open_keys();
  norm(Stage::NormKey, Stage::Key, Parameter::KeyNorm, f_.size.token_keys(), open);
}

template <class T>
void ProjectionSteps<T>::extra(Parameter which, Stage from) {
  if (f_.from[which] && !f_.document.input.is_given())
    f_.parameter(which) = f_.shared(join_keys_backward(*f_.at.of(from), f_.size.token_keys()));
}

template <class T>
void ProjectionSteps<T>::bias_k() {
  extra(Parameter::BiasK, Stage::Key);
}

template <class T>
void ProjectionSteps<T>::bias_v() {
  extra(Parameter::BiasV, Stage::Value);
}

template <class T>
void ProjectionSteps<T>::projection(Projection which, const Values& x, const Values& d_y, Values& d_x) {
  const Ptr w = f_.block(f_.from[matrix_of(which)]);
  learn(which, {x, *w, which == Projection::Query ? f_.size.past : 0}, d_y, d_x);
}

template <class T>
void ProjectionSteps<T>::learn(Projection which, const ProjectRun<T>& run, const Values& d_y, Values& d_x) {
  auto d = project_backward<T>(f_.work, run, d_y, d_x);
  const auto add = [&](Parameter to, Values&& gradient) {
    if (const Ptr& before = f_.parameter(to))
      std::ranges::transform(before->values(), gradient.values(), gradient.values().begin(), std::plus<>());
    f_.parameter(to) = f_.shared(std::move(gradient));
  };
  add(matrix_of(which), std::move(d.w));
  if (f_.from[bias_of(which)]) add(bias_of(which), std::move(d.bias));
}

template <class T>
void ProjectionSteps<T>::projections() {
  if (!f_.document.input.is_given()) project();
  f_.at.release(Stage::Key);
  f_.at.release(Stage::Value);
}

template <class T>
void ProjectionSteps<T>::project() {
  const Stage queries_from = f_.trace[Stage::QueryLatent] ? Stage::QueryLatent : Stage::AttentionNorm;
  const Ptr& x = f_.trace[queries_from];
  const Stage keys_from = keys_source();
  Values& dx = f_.at.sum(queries_from, x->shape());
  if (f_.trace[Stage::Latent]) {
    projection(Projection::Query, *x, *f_.at.of(Stage::Query), dx);
    return project_latent();
  }
  Values& of_keys = f_.at.sum(keys_from, f_.stage(keys_from).shape());
  projection(Projection::Query, *x, *f_.at.of(Stage::Query), dx);
  projection(Projection::Key, f_.stage(keys_from), *f_.at.of(Stage::Key), of_keys);
  if (f_.from.value_vectors) {
    const Ptr vectors = f_.block(f_.from.value_vectors);
    Values dv(vectors->shape());
    projection(Projection::Value, *vectors, *f_.at.of(Stage::Value), dv);
    f_.at.value_vectors = f_.shared(std::move(dv));
  } else {
    projection(Projection::Value, f_.stage(keys_from), *f_.at.of(Stage::Value), of_keys);
  }
}

template <class T>
Stage ProjectionSteps<T>::keys_source() const {
  return f_.trace[Stage::Memory] ? Stage::Memory : Stage::AttentionNorm;
}

template <class T>
void ProjectionSteps<T>::project_latent() {
  const std::int64_t width = f_.document.layer().latent.width;
  const Values content = content_of(f_.stage(Stage::Latent), width);
  Values& d_latent = f_.at.sum(Stage::Latent, f_.stage(Stage::Latent).shape());
  Values d_content(content.shape());
  projection(Projection::Key, content, with_shared_key_backward(*f_.at.of(Stage::Key), width, d_latent),
             d_content);
  projection(Projection::Value, content, *f_.at.of(Stage::Value), d_content);
  add_content(d_content, d_latent);
}

template <class T>
void ProjectionSteps<T>::compressed(Stage of, Stage from, Parameter matrix, Parameter norm) {
  const LayerSpec& layer = f_.document.layer();
  const std::int64_t width = of == Stage::Latent ? layer.latent.width : layer.latent.query_width;
  const Ptr w = f_.block(f_.from[matrix]), weight = f_.block(f_.from[norm]);
  Values& dx = f_.at.sum(from, f_.stage(from).shape());
  auto d = compress_backward<T>(f_.work, f_.stage(from), {*w, width, latent_norm_of(layer), weight.get()},
                                *f_.at.of(of), dx);
  f_.parameter(matrix) = f_.shared(std::move(d.w));
  if (weight && layer.latent.normed) f_.parameter(norm) = f_.shared(std::move(d.norm_weight));
}

template <class T>
void ProjectionSteps<T>::latent() {
  compressed(Stage::Latent, keys_source(), Parameter::WLatent, Parameter::LatentNorm);
}

template <class T>
void ProjectionSteps<T>::query_latent() {
  compressed(Stage::QueryLatent, Stage::AttentionNorm, Parameter::WQueryLatent, Parameter::QueryLatentNorm);
}

template class ProjectionSteps<float>;
template class ProjectionSteps<double>;

}  // namespace attnscope
