#include "core/positions/window_bias.hpp"

#include <cstdlib>

#include "core/base/random.hpp"

namespace attnscope {

std::optional<std::int64_t> window_offset(const Sparsity& image, std::int64_t query, std::int64_t key) {
  if (query < 0) return std::nullopt;
  const std::int64_t side = image.side, rows = query / image.grid - key / image.grid,
                     columns = query % image.grid - key % image.grid;
  if (std::abs(rows) >= side || std::abs(columns) >= side) return std::nullopt;
  return (rows + side - 1) * (2 * side - 1) + columns + side - 1;
}

template <class T>
T WindowBias<T>::at(std::int64_t head, std::int64_t query, std::int64_t key) const {
  const LayerSpec& layer = document_.layer();
  const std::optional<std::int64_t> offset = window_offset(layer.masking.sparsity, query, key);
  if (!offset) return T{0};
  if (table_ != nullptr) return table_->matrix()(*offset, head);
  const std::uint64_t index = (static_cast<std::uint64_t>(head) << 32) + static_cast<std::uint64_t>(*offset);
  return static_cast<T>(
      static_cast<float>(random_normal(layer.weights.seed, stream_of("window position bias"), index)));
}

template <class T>
TensorOf<T> window_bias(const Document& document, const Dimensions& size, const TensorOf<T>* table) {
  const WindowBias<T> value(document, table);
  const bool each = document.input.is_given() && !document.input.given().lengths.empty();
  TensorOf<T> bias(Shape{each ? size.batch : 1, size.heads, size.queries, size.keys});
  for (std::int64_t b = 0; b < bias.shape()[0]; ++b) {
    const std::int64_t first = query_offset(document, size, b);
    for (std::int64_t h = 0; h < size.heads; ++h) {
      auto head = bias.matrix(b, h);
      for (std::int64_t i = 0; i < size.queries; ++i)
        for (std::int64_t j = 0; j < size.token_keys(); ++j) head(i, j) = value.at(h, first + i, j);
    }
  }
  return bias;
}

template <class T>
TensorOf<T> window_bias_backward(const Document& document, const Dimensions& size,
                                 const TensorOf<T>& d_bias) {
  const Sparsity& image = document.layer().masking.sparsity;
  TensorOf<T> table(Shape{window_offsets(image.side), size.heads});
  for (std::int64_t b = 0; b < d_bias.shape()[0]; ++b) {
    const std::int64_t first = query_offset(document, size, b);
    for (std::int64_t h = 0; h < size.heads; ++h)
      for (std::int64_t i = 0; i < size.queries; ++i)
        for (std::int64_t j = 0; j < size.token_keys(); ++j)
          if (const auto offset = window_offset(image, first + i, j))
            table.matrix()(*offset, h) += d_bias.matrix(b, h)(i, j);
  }
  return table;
}

template class WindowBias<float>;
template class WindowBias<double>;
template TensorOf<float> window_bias(const Document&, const Dimensions&, const TensorOf<float>*);
template TensorOf<double> window_bias(const Document&, const Dimensions&, const TensorOf<double>*);
template TensorOf<float> window_bias_backward(const Document&, const Dimensions&, const TensorOf<float>&);
template TensorOf<double> window_bias_backward(const Document&, const Dimensions&, const TensorOf<double>&);

}  // namespace attnscope
