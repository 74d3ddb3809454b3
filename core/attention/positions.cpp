#include "core/attention/positions.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "core/weights/hand_built.hpp"

namespace attnscope {

template <class T>
TensorOf<T> add_positions(const Document& document, const TensorOf<T>& embedded, const TensorOf<T>* table) {
  TensorOf<T> x = embedded;
  const int d_model = static_cast<int>(x.shape()[2]);
  const bool halves = document.embedding == Embedding::HandBuilt && !document.input.is_vectors();
  const int first = halves ? HandBuiltLayout(d_model).token : 0;
  const LayerSpec& layer = document.layer();
  add_position_vectors<T>(x, {layer.positions, first, table, layer.weights.seed});
  return x;
}

RopeSettings rope_of(const Document& document, std::int64_t d_k) {
  const LayerSpec& layer = document.layer();
  return rope_of(layer.position_settings, has_latent(document) ? layer.latent.shared : d_k);
}

std::int64_t rope_length(const Document& document, const Dimensions& size) {
  std::int64_t length = size.token_keys();
  for (std::int64_t b = 0; b < size.batch; ++b)
    length = std::max(length, query_offset(document, size, b) + size.queries);
  return length;
}

template <class T>
Rotation<T> query_rotation(const Document& document, const Dimensions& size) {
  std::vector<std::int64_t> first;
  for (std::int64_t b = 0; b < size.batch; ++b) first.push_back(query_offset(document, size, b));
  return rotation_at<T>(first, size.queries, rope_of(document, size.d_k), document.layer().positions,
                        rope_length(document, size), RotationOf::Queries);
}

template <class T>
Rotation<T> key_rotation(const Document& document, const Dimensions& size) {
  constexpr std::array<std::int64_t, 1> zero{0};
  return rotation_at<T>(zero, size.token_keys(), rope_of(document, size.d_k), document.layer().positions,
                        rope_length(document, size), RotationOf::Keys);
}

template <class T>
BiasSource<T> bias_source(const Document& document, std::int64_t heads, const TensorOf<T>* table) {
  const LayerSpec& layer = document.layer();
  return {layer.positions, layer.position_settings, image_of(layer.masking.sparsity), heads,
          table,           layer.weights.seed};
}

namespace {

/// Whether the sequences' first queries stand at different positions.
bool has_lengths(const Document& document) {
  return document.input.is_given() && !document.input.given().lengths.empty();
}

}  // namespace

template <class T>
TensorOf<T> distance_values(const Document& document, const Dimensions& size, const TensorOf<T>* table) {
  const auto bias = position_bias(bias_source(document, size.heads, table));
  TensorOf<T> values(
      Shape{has_lengths(document) ? size.batch : 1, size.heads, size.queries + size.token_keys() - 1});
  for (std::int64_t b = 0; b < values.shape()[0]; ++b) {
    const std::int64_t last =
        query_offset(document, size, b) + size.queries - 1;  // position of the last query
    auto heads = values.matrix(b);
    for (std::int64_t h = 0; h < size.heads; ++h)
      bias->fill(h, last, {heads.row(h).data(), static_cast<std::size_t>(heads.cols())});
  }
  return values;
}

template <class T>
TensorOf<T> spread_distances(const TensorOf<T>& values, std::int64_t queries, std::int64_t keys) {
  const Shape& shape = values.shape();
  const std::int64_t token_keys = shape[2] - queries + 1;
  TensorOf<T> bias(Shape{shape[0], shape[1], queries, keys});
  for (std::int64_t b = 0; b < shape[0]; ++b)
    for (std::int64_t h = 0; h < shape[1]; ++h) {
      const T* const by_distance = values.data() + (b * shape[1] + h) * shape[2];
      auto head = bias.matrix(b, h);
      for (std::int64_t i = 0; i < queries; ++i)
        std::copy_n(by_distance + (queries - 1 - i), token_keys, head.row(i).data());
    }
  return bias;
}

template <class T>
TensorOf<T> cell_values(const Document& document, const Dimensions& size, const TensorOf<T>* table) {
  const auto bias = position_bias(bias_source(document, size.heads, table));
  TensorOf<T> values(Shape{has_lengths(document) ? size.batch : 1, size.heads, size.queries, size.keys});
  for (std::int64_t b = 0; b < values.shape()[0]; ++b) {
    const std::int64_t first = query_offset(document, size, b);
    for (std::int64_t h = 0; h < size.heads; ++h) {
      auto head = values.matrix(b, h);
      for (std::int64_t i = 0; i < size.queries; ++i)
        bias->fill(h, first + i, {head.row(i).data(), static_cast<std::size_t>(size.token_keys())});
    }
  }
  return values;
}

template <class T>
TensorOf<T> position_bias_backward(const Document& document, const Dimensions& size,
                                   const TensorOf<T>& d_bias) {
  const auto bias = position_bias(bias_source<T>(document, size.heads, nullptr));
  ParameterSizes sizes = parameter_sizes(document);
  sizes.heads = size.heads;
  TensorOf<T> table(shape_of(info(*bias_table(document.layer().positions)), sizes));
  position_bias_backward(*bias, first_positions(document, size), size.token_keys(), d_bias, table);
  return table;
}

template TensorOf<float> add_positions(const Document&, const TensorOf<float>&, const TensorOf<float>*);
template TensorOf<double> add_positions(const Document&, const TensorOf<double>&, const TensorOf<double>*);
template Rotation<float> query_rotation(const Document&, const Dimensions&);
template Rotation<double> query_rotation(const Document&, const Dimensions&);
template Rotation<float> key_rotation(const Document&, const Dimensions&);
template Rotation<double> key_rotation(const Document&, const Dimensions&);
template BiasSource<float> bias_source(const Document&, std::int64_t, const TensorOf<float>*);
template BiasSource<double> bias_source(const Document&, std::int64_t, const TensorOf<double>*);
template TensorOf<float> distance_values(const Document&, const Dimensions&, const TensorOf<float>*);
template TensorOf<double> distance_values(const Document&, const Dimensions&, const TensorOf<double>*);
template TensorOf<float> spread_distances(const TensorOf<float>&, std::int64_t, std::int64_t);
template TensorOf<double> spread_distances(const TensorOf<double>&, std::int64_t, std::int64_t);
template TensorOf<float> cell_values(const Document&, const Dimensions&, const TensorOf<float>*);
template TensorOf<double> cell_values(const Document&, const Dimensions&, const TensorOf<double>*);
template TensorOf<float> position_bias_backward(const Document&, const Dimensions&, const TensorOf<float>&);
template TensorOf<double> position_bias_backward(const Document&, const Dimensions&, const TensorOf<double>&);

}  // namespace attnscope
