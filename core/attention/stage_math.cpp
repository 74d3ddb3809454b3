#include "core/attention/stage_math.hpp"

#include <memory>
#include <utility>

#include "core/attention/mix.hpp"
#include "core/attention/projections.hpp"
#include "core/attention/scores.hpp"
#include "core/attention/softmax.hpp"
#include "core/base/dense.hpp"

namespace attnscope {

namespace {
template <class T>
TensorPtrOf<T> shared(TensorOf<T>&& tensor) {
  return std::make_shared<const TensorOf<T>>(std::move(tensor));
}
}  // namespace

template <class T>
TensorPtrOf<T> StageMath<T>::project(const Ptr& x, const Ptr& w, const Ptr& bias, std::int64_t heads,
                                     std::int64_t first) const {
  return shared(attnscope::project(work_, *x, *w, bias.get(), heads, first));
}
template <class T>
TensorPtrOf<T> StageMath<T>::score(const Ptr& query, const Ptr& key) const {
  return shared(attnscope::score(work_, *query, *key));
}
template <class T>
TensorPtrOf<T> StageMath<T>::scale(const Ptr& scores, double factor) const {
  return shared(attnscope::scale(work_, *scores, factor));
}
template <class T>
TensorPtrOf<T> StageMath<T>::cap(const Ptr& scaled, T c) const {
  return shared(attnscope::cap(work_, *scaled, c));
}
template <class T>
TensorPtrOf<T> StageMath<T>::mask(const Ptr& capped, const Ptr& bias, const Ptr& additive,
                                  const MaskRule& rule) const {
  return shared(attnscope::mask(work_, *capped, bias.get(), additive, rule));
}
template <class T>
TensorPtrOf<T> StageMath<T>::softmax(SoftmaxKind kind, const Ptr& masked, T temperature) const {
  return shared(attnscope::softmax(work_, kind, *masked, temperature));
}
template <class T>
TensorPtrOf<T> StageMath<T>::mix(const Ptr& weights, const Ptr& value) const {
  return shared(attnscope::mix(work_, *weights, *value));
}
template <class T>
TensorPtrOf<T> StageMath<T>::concat(const Ptr& mixed) const {
  return shared(attnscope::concat(work_, *mixed));
}
template <class T>
TensorPtrOf<T> StageMath<T>::rotate(const Ptr& x, const Rotation<T>& rotation) const {
  return shared(attnscope::rotate(work_, *x, rotation));
}
template <class T>
TensorPtrOf<T> StageMath<T>::spread_distances(const Ptr& values, std::int64_t queries,
                                              std::int64_t keys) const {
  return shared(attnscope::spread_distances(*values, queries, keys));
}

template <class T>
TensorPtrOf<T> StageMath<T>::output(const Ptr& concatenated, const Ptr& w, const Ptr& bias) const {
  return shared(dense(work_, *concatenated, *w, bias.get()));
}

template class StageMath<float>;
template class StageMath<double>;

}  // namespace attnscope
