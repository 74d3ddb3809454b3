#include "core/attention/backward/stage_gradients.hpp"

#include <algorithm>
#include <utility>

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

template class StageGradients<float>;
template class StageGradients<double>;

}  // namespace attnscope
