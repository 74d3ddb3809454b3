#include "core/attention/sources.hpp"

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
  const Given& given = document.input.given();
  const Vectors& vectors = document.input.vectors();
  Sources<T> sources;
  sources.query = in(given.query);
  sources.key = in(given.key);
  sources.value = in(given.value);
  sources.past_key = in(given.past_key);
  sources.past_value = in(given.past_value);
  sources.query_vectors = in(vectors.query);
  sources.key_vectors = in(vectors.key);
  sources.value_vectors = in(vectors.value);
  for (const ParameterInfo& row : parameter_table)
    sources[row.parameter] = in(document.layer().weights[row.parameter]);
  sources.additive = in(document.layer().masking.additive);
  sources.loss = in(document.loss.given);
  sources.edited = in(document.input.from_text().edited);
  sources.edited_memory = in(document.input.from_text().edited_memory);
  return sources;
}

template Sources<float> sources_of(const Document&);
template Sources<double> sources_of(const Document&);

}  // namespace attnscope
