#include "core/stages/sources.hpp"

#include <type_traits>

namespace attnscope {

template <class T>
Sources<T> sources_of(const Document& document) {
  const auto in = [](const TensorPtr& tensor) -> TensorPtrOf<T> {
    if constexpr (std::is_same_v<T, float>) {
      return tensor;
    } else {
      if (!tensor) return nullptr;
      return std::make_shared<const TensorOf<T>>(
          tensor->shape(), std::vector<T>(tensor->values().begin(), tensor->values().end()));
    }
  };
  const Given& given = document.input.given;
  const Vectors& vectors = document.input.vectors;
  const Weights& w = document.weights;
  return {in(given.query),
          in(given.key),
          in(given.value),
          in(given.past_key),
          in(given.past_value),
          in(vectors.query),
          in(vectors.key),
          in(vectors.value),
          in(w.w_query),
          in(w.w_key),
          in(w.w_value),
          in(w.w_output),
          in(w.b_query),
          in(w.b_key),
          in(w.b_value),
          in(w.b_output),
          in(w.extra_key),
          in(w.extra_value),
          in(w.position_table),
          in(w.relative_bias),
          in(document.masking.additive),
          in(document.loss.given),
          in(document.input.edited),
          in(document.input.edited_memory),
          {},
          {}};
}

template Sources<float> sources_of(const Document&);
template Sources<double> sources_of(const Document&);

}  // namespace attnscope
