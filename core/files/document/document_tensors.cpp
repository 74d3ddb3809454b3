// core/files/document: a Document from the tensors of a safetensors file.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "core/attention/projections.hpp"
#include "core/base/error.hpp"
#include "core/files/formats/limits.hpp"
#include "core/files/import/attention_tensors.hpp"
#include "core/files/import/tensor_refusals.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

/// The tensors of one file, read in T.
template <class T>
class AttentionFile {
 public:
  using Ptr = TensorPtrOf<T>;
  AttentionFile(const SafetensorsFile& file, const HeadLayout& layout, Reading* reading = nullptr)
      : file_(file), layout_(layout), reading_(reading) {
    if (layout_.kv_heads == 0) layout_.kv_heads = layout_.heads;
  }

  Ptr query() const { return projection("Q", layout_.heads); }
  Ptr key() const { return projection("K", layout_.kv_heads); }
  Ptr value() const { return projection("V", layout_.kv_heads); }
  Ptr past(std::string_view name) const {
    const TensorEntry* entry = file_.find(name);
    if (entry == nullptr || has_no_tokens(*entry)) return nullptr;  // an empty cache counts as no cache
    return four_dimensional(*entry);
  }

  std::vector<std::int64_t> lengths() const {
    const TensorEntry* entry = file_.find("nonpad_kv_seqlen");
    if (entry == nullptr) return {};
    const bool whole = entry->dtype == DType::I64 || entry->dtype == DType::I32;
    if (!whole || entry->shape.size() != 1) {
      refuse_tensor(file_, entry->name,
                    fmt::format("has dtype {} and shape {}, expected one I64 for each entry of the batch",
                                to_string(entry->dtype), shape_text(*entry)));
    }
    const TensorOf<double> numbers = to_tensor<double>(*entry, file_.path());
    std::vector<std::int64_t> lengths;
    for (const double length : numbers.values()) lengths.push_back(static_cast<std::int64_t>(length));
    return lengths;
  }

  /// attn_mask as numbers to add, [1 or batch][1 or heads][queries][keys]; null when there is none.
  Ptr additive(const Dimensions& sizes) const {
    const TensorEntry* found = file_.find("attn_mask");
    if (found == nullptr) return nullptr;
    const TensorEntry& entry = *found;
    check_mask_type(file_, entry);
    const std::array<std::int64_t, 4> shape = mask_shape(entry, sizes);
    const TensorOf<T> given = to_tensor<T>(entry, file_.path(), reading_);
    constexpr T hides = -std::numeric_limits<T>::infinity();
    auto mask = std::make_shared<TensorOf<T>>(Shape{shape[0], shape[1], sizes.queries, sizes.token_keys()});
    for (std::int64_t outer = 0; outer < shape[0] * shape[1]; ++outer) {
      for (std::int64_t query = 0; query < sizes.queries; ++query) {
        const std::int64_t from = (outer * shape[2] + (shape[2] == 1 ? 0 : query)) * shape[3];
        T* row = mask->data() + (outer * sizes.queries + query) * sizes.token_keys();
        std::fill_n(row, sizes.token_keys(), hides);
        for (std::int64_t key = 0; key < shape[3]; ++key) {
          const T value = given.data()[from + key];
          row[key] = entry.dtype != DType::Bool ? value : (value == 0 ? hides : T{0});
        }
      }
    }
    return mask;
  }

 private:
  static bool has_no_tokens(const TensorEntry& entry) {
    return entry.shape.size() == 4 && entry.shape[2] == 0;
  }

  Ptr four_dimensional(const TensorEntry& entry) const {
    if (entry.shape.size() != 4) {
      refuse_tensor(
          file_, entry.name,
          fmt::format("has shape {}, expected 4 dimensions: [batch, heads, n, d]", shape_text(entry)));
    }
    check_real(file_, entry);
    return std::make_shared<const TensorOf<T>>(to_tensor<T>(entry, file_.path(), reading_));
  }

  /// One of Q, K, V, which may hold NaN and infinities.
  Ptr projection(std::string_view name, int heads) const {
    const TensorEntry* entry = file_.find(name);
    if (entry == nullptr)
      refuse_tensor(file_, name,
                    "is missing, expected Q, K and V of shape [batch, heads, n, d] or [batch, n, heads · d]");
    if (entry->shape.size() != 3) return four_dimensional(*entry);
    check_real(file_, *entry);
    if (heads < 1) {
      refuse_tensor(file_, entry->name,
                    fmt::format("has shape {}; 3 dimensions need a number of heads to cut them into (attend "
                                "--heads N), expected 4 dimensions: [batch, heads, n, d]",
                                shape_text(*entry)));
    }
    if (entry->shape[2] % heads != 0) {
      refuse_tensor(file_, entry->name,
                    fmt::format("has shape {}, whose last size cannot be cut into {} heads",
                                shape_text(*entry), heads));
    }
    const TensorOf<T> flat = to_tensor<T>(*entry, file_.path(), reading_);
    return std::make_shared<const TensorOf<T>>(split(flat, 0, heads, entry->shape[2] / heads, 0));
  }

  /// The mask's sizes with all four dimensions. Throws Error if they cannot be broadcast to the shape of the
  /// scores.
  std::array<std::int64_t, 4> mask_shape(const TensorEntry& entry, const Dimensions& sizes) const {
    const std::size_t rank = entry.shape.size();
    if (rank < 1 || rank > 4)
      refuse_tensor(file_, entry.name,
                    fmt::format("has shape {}, expected 1 to 4 dimensions", shape_text(entry)));
    std::array<std::int64_t, 4> shape{1, 1, 1, 1};
    std::copy(entry.shape.begin(), entry.shape.end(), shape.end() - static_cast<std::ptrdiff_t>(rank));
    const std::array<std::int64_t, 4> full{sizes.batch, sizes.heads, sizes.queries, sizes.token_keys()};
    for (std::size_t axis = 0; axis < 4; ++axis) {
      const bool fits = axis == 3 ? shape[axis] <= full[axis] : shape[axis] == 1 || shape[axis] == full[axis];
      if (!fits) {
        refuse_tensor(file_, entry.name,
                      fmt::format("has shape {}, which cannot be repeated to [{}]", shape_text(entry),
                                  fmt::join(full, ", ")));
      }
    }
    return shape;
  }

  const SafetensorsFile& file_;
  HeadLayout layout_;
  Reading* reading_;
};

std::vector<Sequence> numbered(std::int64_t batch, std::int64_t tokens) {
  Sequence sequence;
  for (std::int64_t i = 0; i < tokens; ++i) sequence.tokens.push_back(fmt::to_string(i));
  sequence.text = joined(sequence.tokens);
  return std::vector<Sequence>(static_cast<std::size_t>(batch), sequence);
}

/// Throws Error if only some of Q, K and V are three-dimensional.
void check_ranks(const SafetensorsFile& file) {
  const TensorEntry *q = file.find("Q"), *k = file.find("K"), *v = file.find("V");
  if (q == nullptr || k == nullptr || v == nullptr) return;  // the missing one is reported where it is read
  if (q->shape.size() == k->shape.size() && k->shape.size() == v->shape.size()) return;
  if (q->shape.size() != 3 && k->shape.size() != 3 && v->shape.size() != 3) return;
  throw Error(fmt::format("Q {}, K {} and V {} do not fit together: all three must have 3 dimensions, or 4.",
                          shape_text(*q), shape_text(*k), shape_text(*v)));
}

}  // namespace

std::vector<Sequence> numbered_sequences(const Given& given) {
  const std::int64_t past = given.past_key ? given.past_key->shape()[2] : 0;
  const std::int64_t tokens = past + std::max(given.query->shape()[2], given.key->shape()[2]);
  return numbered(given.query->shape()[0], tokens);
}

std::vector<Sequence> numbered_sequences(const Vectors& vectors) {
  const std::int64_t keys = vectors.key ? vectors.key->shape()[1] : 0;
  return numbered(vectors.query->shape()[0], std::max(vectors.query->shape()[1], keys));
}

Document document_from_tensors(const SafetensorsFile& file, const HeadLayout& layout, Reading* reading) {
  const AttentionFile<float> tensors(file, layout, reading);
  for (const std::string_view name : {"Q", "K", "V", "past_key", "past_value", "attn_mask"})
    if (const TensorEntry* entry = file.find(name)) expect(reading, entry->count());
  Document document;
  document.title = printable(file.path().filename().native());
  document.layer().positions = Positions::None;  // the program that wrote Q and K has applied them
  try {
    if (layout.heads > 0) check_ranks(file);
    document.input.numbers = Given{tensors.query(),
                                   tensors.key(),
                                   tensors.value(),
                                   tensors.past("past_key"),
                                   tensors.past("past_value"),
                                   tensors.lengths()};
    document.layer().masking.padding = !document.input.given().lengths.empty();
    document.input.sequences = numbered_sequences(document.input.given());
    const Dimensions sizes =
        check_any_length(document);  // before a mask is expanded to sizes that may be absurd
    document.layer().masking.additive = tensors.additive(sizes);
  } catch (const Error& error) {
    const std::string where = in_quotes(file.path().native());
    const std::string what = error.what();
    throw Error(what.starts_with(where) ? what : where + ": " + what);
  }
  return document;
}

Sources<double> exact_sources(const SafetensorsFile& file, const Document& document,
                              const HeadLayout& layout) {
  const AttentionFile<double> tensors(file, layout);
  Sources<double> sources;
  sources.query = tensors.query();
  sources.key = tensors.key();
  sources.value = tensors.value();
  sources.past_key = tensors.past("past_key");
  sources.past_value = tensors.past("past_value");
  sources.additive = tensors.additive(check_any_length(document));
  return sources;
}

}  // namespace attnscope
