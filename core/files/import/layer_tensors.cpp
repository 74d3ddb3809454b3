#include "core/files/import/layer_tensors.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/formats/limits.hpp"
#include "core/files/import/tensor_refusals.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

/// Null if the file has no such tensor. Throws Error if it has another number of dimensions or is not real.
const TensorEntry* find_real(const SafetensorsFile& file, std::string_view name, std::size_t rank) {
  const TensorEntry* entry = file.find(name);
  if (entry == nullptr) return nullptr;
  if (entry->shape.size() != rank)
    refuse_tensor(file, name, fmt::format("has shape {}, expected {} dimensions", shape_text(*entry), rank));
  check_real(file, *entry);
  return entry;
}

const TensorEntry& need_real(const SafetensorsFile& file, std::string_view name, std::size_t rank) {
  const TensorEntry* entry = find_real(file, name, rank);
  if (entry == nullptr)
    refuse_tensor(file, name, fmt::format("is missing, expected one with {} dimensions", rank));
  return *entry;
}

template <class T>
TensorOf<T> transposed(const TensorOf<T>& matrix) {
  TensorOf<T> turned(Shape{matrix.shape()[1], matrix.shape()[0]});
  turned.matrix() = matrix.matrix().transpose();
  return turned;
}

/// Whether a parameter is a part of in_proj_weight or in_proj_bias, which stack the projections of queries,
/// keys and values.
bool is_fusible(const ParameterInfo& row) { return row.projection && row.projection != Projection::Output; }

/// The parameters that are tensors of their own in a file, in the file's order: first the projections, unless
/// they are fused, then the rest.
std::vector<const ParameterInfo*> single_tensors(bool fused) {
  std::vector<const ParameterInfo*> rows;
  for (const ParameterInfo& row : parameter_table)
    if (!fused && is_fusible(row)) rows.push_back(&row);
  for (const ParameterInfo& row : parameter_table)
    if (!is_fusible(row) && !row.layer_key.empty()) rows.push_back(&row);
  return rows;
}

/// Sizes that the tensors of a layer agree on.
struct LayerSizes {
  std::int64_t batch, queries, keys, heads;
};

/// The tensors of one file, read in T, with matrices as AttnScope has them: y = x·W.
template <class T>
class LayerFile {
 public:
  using Ptr = TensorPtrOf<T>;
  explicit LayerFile(const SafetensorsFile& file)
      : file_(file), fused_(file.find("in_proj_weight") != nullptr) {}

  Ptr vectors(std::string_view name) const {
    const TensorEntry* entry = find_real(file_, name, 3);
    return entry == nullptr ? nullptr : read(*entry);
  }
  Ptr matrix(std::string_view name) const {
    return std::make_shared<const TensorOf<T>>(transposed(*read(need_real(file_, name, 2))));
  }
  Ptr bias(std::string_view name) const {
    const TensorEntry* entry = find_real(file_, name, 1);
    return entry == nullptr ? nullptr : read(*entry);
  }
  /// A learned key or value [1][1][width], as [width].
  Ptr extra(std::string_view name) const {
    const TensorEntry* entry = find_real(file_, name, 3);
    if (entry == nullptr) return nullptr;
    if (entry->shape[0] != 1 || entry->shape[1] != 1)
      refuse_tensor(file_, name, fmt::format("has shape {}, expected [1, 1, width]", shape_text(*entry)));
    const Ptr row = read(*entry);
    return std::make_shared<const TensorOf<T>>(Shape{entry->shape[2]},
                                               std::vector<T>(row->values().begin(), row->values().end()));
  }
  Ptr parameter(const ParameterInfo& row) const {
    switch (row.kind) {
      case ParameterKind::Matrix: return matrix(row.layer_key);
      case ParameterKind::Bias: return bias(row.layer_key);
      case ParameterKind::ExtraRow: return extra(row.layer_key);
      case ParameterKind::Position:
      case ParameterKind::Norm:
      case ParameterKind::Latent:
      case ParameterKind::LatentNorm:
      case ParameterKind::BlockNorm:
      case ParameterKind::BlockMatrix:
      case ParameterKind::BlockBias:
      case ParameterKind::Sink: break;
    }
    return nullptr;
  }

  void read_into(Sources<T>& sources) const {
    need_real(file_, "query", 3);
    sources.query_vectors = vectors("query");
    sources.key_vectors = vectors("key");
    sources.value_vectors = vectors("value");
    if (fused_) read_fused(sources);
    for (const ParameterInfo* row : single_tensors(fused_)) sources[row->parameter] = parameter(*row);
    sources.loss = vectors("grad_out");
  }

  /// attn_mask and key_padding_mask combined into numbers to add, [1 or batch][1 or heads][queries][keys].
  Ptr additive(const LayerSizes& size) const {
    const TensorEntry* mask = file_.find("attn_mask");
    const TensorEntry* padding = file_.find("key_padding_mask");
    if (mask == nullptr && padding == nullptr) return nullptr;
    const bool each = mask != nullptr && mask->shape.size() > 2;
    auto sum = std::make_shared<TensorOf<T>>(
        Shape{each || padding != nullptr ? size.batch : 1, each ? size.heads : 1, size.queries, size.keys});
    if (mask != nullptr) add_mask(*mask, size, *sum);
    if (padding != nullptr) add_padding(*padding, size, *sum);
    return sum;
  }

 private:
  Ptr read(const TensorEntry& entry) const {
    return std::make_shared<const TensorOf<T>>(to_tensor<T>(entry, file_.path()));
  }

  void read_fused(Sources<T>& sources) const {
    const Ptr all = matrix("in_proj_weight");
    const Ptr biases = bias("in_proj_bias");
    const std::int64_t width = all->shape()[1] / 3;
    if (all->shape()[1] % 3 != 0 || (biases && biases->size() != 3 * width))
      refuse_tensor(file_, "in_proj_weight",
                    "and in_proj_bias do not fit: both must hold three blocks of the same size");
    const auto part = [&](const Ptr& whole, std::int64_t which, const Shape& shape) -> Ptr {
      if (!whole) return nullptr;
      auto cut = std::make_shared<TensorOf<T>>(shape);
      cut->matrix() = whole->matrix().middleCols(which * width, width);
      return cut;
    };
    const Shape square{all->shape()[0], width};
    for (const ParameterInfo& row : parameter_table) {
      if (!is_fusible(row)) continue;
      const bool matrix = row.kind == ParameterKind::Matrix;
      sources[row.parameter] = part(matrix ? all : biases, static_cast<std::int64_t>(*row.projection),
                                    matrix ? square : Shape{width});
    }
  }

  /// The number that a mask's value adds: -∞ for boolean true, which forbids.
  TensorOf<T> added(const TensorEntry& entry) const {
    check_mask_type(file_, entry);
    TensorOf<T> values = to_tensor<T>(entry, file_.path());
    if (entry.dtype == DType::Bool) {
      for (T& value : values.values()) value = value != 0 ? -std::numeric_limits<T>::infinity() : T{0};
    }
    return values;
  }

  void add_mask(const TensorEntry& entry, const LayerSizes& size, TensorOf<T>& sum) const {
    using Sizes = std::vector<std::int64_t>;
    const bool fits = entry.shape == Sizes{size.queries, size.keys} ||
                      entry.shape == Sizes{size.batch * size.heads, size.queries, size.keys} ||
                      entry.shape == Sizes{size.batch, size.heads, size.queries, size.keys};
    if (!fits) {
      refuse_tensor(file_, entry.name,
                    fmt::format("has shape {0}, expected [{1}, {2}], [{3}, {1}, {2}] or [{4}, {5}, {1}, {2}]",
                                shape_text(entry), size.queries, size.keys, size.batch * size.heads,
                                size.batch, size.heads));
    }
    const TensorOf<T> mask = added(entry);
    for (std::int64_t i = 0; i < sum.size(); ++i) sum.data()[i] += mask.data()[i % mask.size()];
  }

  void add_padding(const TensorEntry& entry, const LayerSizes& size, TensorOf<T>& sum) const {
    if (entry.shape != std::vector<std::int64_t>{size.batch, size.keys}) {
      refuse_tensor(file_, entry.name,
                    fmt::format("has shape {}, expected [{}, {}]", shape_text(entry), size.batch, size.keys));
    }
    const TensorOf<T> padding = added(entry);
    for (std::int64_t b = 0; b < size.batch; ++b)
      for (std::int64_t h = 0; h < sum.shape()[1]; ++h) sum.matrix(b, h).rowwise() += padding.matrix().row(b);
  }

  const SafetensorsFile& file_;
  bool fused_;
};

LayerSizes sizes_of(const Document& document) {
  const Vectors& vectors = document.input.vectors();
  const Shape &x = vectors.query->shape(), &k = (vectors.key ? vectors.key : vectors.query)->shape();
  return {x[0], x[1], k[1], document.layer().heads};
}

/// Derives d_k from the rows of W_q, the number of key heads from W_k and d_v from W_v; check() reports sizes
/// that do not fit.
void derive_heads(const Sources<float>& sources, Document& document) {
  const std::int64_t queries = sources[Parameter::WQuery]->shape()[1];
  const std::int64_t heads = std::max(1, document.layer().heads);
  if (queries != document.layer().d_model && queries % heads == 0)
    document.layer().d_k =
        static_cast<int>(std::min<std::int64_t>(queries / heads, std::numeric_limits<int>::max()));
  const std::int64_t d_k = std::max(1, key_width(document));
  const std::int64_t kv_heads = std::max<std::int64_t>(1, sources[Parameter::WKey]->shape()[1] / d_k);
  const std::int64_t d_v = sources[Parameter::WValue]->shape()[1] / kv_heads;
  document.layer().kv_heads = kv_heads == document.layer().heads ? 0 : static_cast<int>(kv_heads);
  document.layer().d_v =
      d_v == d_k ? 0 : static_cast<int>(std::min<std::int64_t>(d_v, std::numeric_limits<int>::max()));
}

Document read_layer(const SafetensorsFile& file, const LayerSettings& settings) {
  const LayerFile<float> layer(file);
  Sources<float> sources;
  layer.read_into(sources);
  Document document;
  document.title = printable(file.path().filename().native());
  document.input.numbers = Vectors{sources.query_vectors, sources.key_vectors, sources.value_vectors};
  document.input.sequences = numbered_sequences(document.input.vectors());
  document.layer().positions = Positions::None;
  document.layer().d_model =
      static_cast<int>(std::min<std::int64_t>(sources.query_vectors->shape()[2], max_d_model + 1));
  document.layer().heads = settings.heads;
  derive_heads(sources, document);
  Weights& w = document.layer().weights;
  w.recipe = Recipe::Given;
  w.fused = file.find("in_proj_weight") != nullptr;
  w.parameters = sources.parameters;
  document.layer().add_zero_attn = settings.add_zero_attn;
  document.layer().masking.causal = settings.causal;
  if (sources.loss) document.loss = {Loss::Kind::Sum, sources.loss};
  check_any_length(document);  // before a mask is expanded to sizes that may be absurd
  document.layer().masking.additive = layer.additive(sizes_of(document));
  check_any_length(document);
  return document;
}

}  // namespace

Document document_from_layer(const SafetensorsFile& file, const LayerSettings& settings) {
  try {
    return read_layer(file, settings);
  } catch (const Error& error) {
    const std::string where = in_quotes(file.path().native());
    const std::string what = error.what();
    throw Error(what.starts_with(where) ? what : where + ": " + what);
  }
}

template <class T>
Sources<T> layer_sources(const SafetensorsFile& file, const Document& document) {
  const LayerFile<T> layer(file);
  Sources<T> sources;
  layer.read_into(sources);
  sources.additive = layer.additive(sizes_of(document));
  return sources;
}

namespace {

/// The gradient of a parameter in the layout of its tensor in the file; null if there is none.
template <class T>
TensorPtrOf<T> as_in_file(const ParameterInfo& row, const TensorPtrOf<T>& gradient) {
  if (!gradient) return nullptr;
  if (row.kind == ParameterKind::Matrix) return std::make_shared<const TensorOf<T>>(transposed(*gradient));
  if (row.kind != ParameterKind::ExtraRow) return gradient;
  return std::make_shared<const TensorOf<T>>(
      Shape{1, 1, gradient->size()}, std::vector<T>(gradient->values().begin(), gradient->values().end()));
}

/// The gradients of W_Q, W_K and W_V, or of their biases, concatenated; null if there are none.
template <class T>
TensorPtrOf<T> fused_gradient(ParameterKind kind, const GradientsOf<T>& g) {
  const TensorPtrOf<T>& first = g[kind == ParameterKind::Matrix ? Parameter::WQuery : Parameter::BQuery];
  if (!first) return nullptr;
  const Shape& part = first->shape();
  auto all = std::make_shared<TensorOf<T>>(kind == ParameterKind::Matrix ? Shape{part[0], 3 * part[1]}
                                                                         : Shape{3 * part[0]});
  const std::int64_t width = first->matrix().cols();
  for (const ParameterInfo& row : parameter_table)
    if (row.kind == kind && is_fusible(row))
      all->matrix().middleCols(static_cast<std::int64_t>(*row.projection) * width, width) =
          g[row.parameter]->matrix();
  return all;
}

}  // namespace

template <class T>
std::vector<NamedValues<T>> named_gradients(const SafetensorsFile& file, const GradientsOf<T>& g) {
  std::vector<NamedValues<T>> named;
  const auto add = [&](std::string name, TensorPtrOf<T> tensor) {
    if (tensor) named.push_back({std::move(name), std::move(tensor)});
  };
  add("d_query", g.x);
  add("d_key", g.key_vectors);
  add("d_value", g.value_vectors);
  const bool fused = file.find("in_proj_weight") != nullptr;
  if (fused) {
    const ParameterInfo& matrices = info(Parameter::WQuery);
    add("din_proj_weight", as_in_file(matrices, fused_gradient(ParameterKind::Matrix, g)));
    add("din_proj_bias", fused_gradient(ParameterKind::Bias, g));
  }
  for (const ParameterInfo* row : single_tensors(fused))
    add(fmt::format("d{}", row->layer_key), as_in_file(*row, g[row->parameter]));
  return named;
}

template Sources<float> layer_sources(const SafetensorsFile&, const Document&);
template Sources<double> layer_sources(const SafetensorsFile&, const Document&);
template std::vector<NamedValues<float>> named_gradients(const SafetensorsFile&, const Gradients&);
template std::vector<NamedValues<double>> named_gradients(const SafetensorsFile&, const GradientsOf<double>&);

}  // namespace attnscope
