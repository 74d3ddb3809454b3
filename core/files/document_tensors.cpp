// core/files: a Document from the tensors of a safetensors file.
#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/files/limits.hpp"
#include "core/files/open.hpp"
#include "core/files/safetensors.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

std::string shape_text(const TensorEntry& entry) { return fmt::format("[{}]", fmt::join(entry.shape, ", ")); }

[[noreturn]] void fail(const SafetensorsFile& file, std::string_view name, const std::string& what) {
  throw Error(fmt::format("{}: tensor {} {}.", in_quotes(file.path().native()), in_quotes(name), what));
}

/// One of Q, K, V: [batch][heads][n][d] of a floating-point type, nothing empty. NaN and infinities are
/// welcome.
TensorPtr projection(const SafetensorsFile& file, std::string_view name) {
  const TensorEntry* entry = file.find(name);
  if (entry == nullptr) fail(file, name, "is missing, expected Q, K and V of shape [batch, heads, n, d]");
  if (entry->shape.size() != 4) {
    fail(file, name,
         fmt::format("has shape {}, expected 4 dimensions: [batch, heads, n, d]", shape_text(*entry)));
  }
  if (std::find(entry->shape.begin(), entry->shape.end(), 0) != entry->shape.end()) {
    fail(file, name, fmt::format("has shape {}, expected no dimension of 0", shape_text(*entry)));
  }
  if (!is_real(entry->dtype)) {
    fail(file, name, fmt::format("has dtype {}, expected F16, BF16, F32 or F64", to_string(entry->dtype)));
  }
  return std::make_shared<const Tensor>(to_tensor<float>(*entry, file.path()));
}

/// attn_mask as numbers to add, [1 or batch][1 or heads][queries][keys]. Its dimensions are aligned with
/// those from the right; missing ones and those of size 1 are repeated.
TensorPtr additive_mask(const SafetensorsFile& file, const TensorEntry& entry, const Dimensions& sizes) {
  const std::string name = entry.name;
  if (entry.dtype != DType::Bool && !is_real(entry.dtype)) {
    fail(file, name,
         fmt::format("has dtype {}, expected BOOL, F16, BF16, F32 or F64", to_string(entry.dtype)));
  }
  const std::size_t rank = entry.shape.size();
  if (rank < 2 || rank > 4) {
    fail(file, name, fmt::format("has shape {}, expected 2 to 4 dimensions", shape_text(entry)));
  }
  std::array<std::int64_t, 4> shape{1, 1, 1, 1};
  std::copy(entry.shape.begin(), entry.shape.end(), shape.end() - static_cast<std::ptrdiff_t>(rank));
  const std::array<std::int64_t, 4> full{sizes.batch, sizes.heads, sizes.queries, sizes.keys};
  for (std::size_t axis = 0; axis < 4; ++axis) {
    if (shape[axis] != 1 && shape[axis] != full[axis]) {
      fail(file, name,
           fmt::format("has shape {}, which cannot be repeated to [{}]", shape_text(entry),
                       fmt::join(full, ", ")));
    }
  }
  const Tensor given = to_tensor<float>(entry, file.path());
  Tensor mask(Shape{shape[0], shape[1], full[2], full[3]});
  float* out = mask.data();
  for (std::int64_t outer = 0; outer < shape[0] * shape[1]; ++outer) {
    for (std::int64_t query = 0; query < full[2]; ++query) {
      const std::int64_t row = (outer * shape[2] + (shape[2] == 1 ? 0 : query)) * shape[3];
      for (std::int64_t key = 0; key < full[3]; ++key) {
        const float value = given.data()[row + (shape[3] == 1 ? 0 : key)];
        const bool hidden = entry.dtype == DType::Bool && value == 0;
        *out++ = hidden ? -std::numeric_limits<float>::infinity() : entry.dtype == DType::Bool ? 0 : value;
      }
    }
  }
  return std::make_shared<const Tensor>(std::move(mask));
}

}  // namespace

std::vector<Sequence> numbered_sequences(const Given& given) {
  const std::int64_t tokens = std::max(given.query->shape()[2], given.key->shape()[2]);
  Sequence sequence;
  for (std::int64_t i = 0; i < tokens; ++i) sequence.tokens.push_back(fmt::to_string(i));
  sequence.text = fmt::format("{}", fmt::join(sequence.tokens, " "));
  return std::vector<Sequence>(static_cast<std::size_t>(given.query->shape()[0]), sequence);
}

Document document_from_tensors(const SafetensorsFile& file) {
  Document document;
  document.title = printable(file.path().filename().native());
  document.input.given = {projection(file, "Q"), projection(file, "K"), projection(file, "V")};
  document.input.sequences = numbered_sequences(document.input.given);
  try {
    const Dimensions sizes = check(document);  // before a mask is spread over sizes that may be absurd
    if (const TensorEntry* mask = file.find("attn_mask")) {
      document.masking.additive = additive_mask(file, *mask, sizes);
    }
  } catch (const Error& error) {
    const std::string where = in_quotes(file.path().native());
    const std::string what = error.what();
    throw Error(what.starts_with(where) ? what : where + ": " + what);
  }
  return document;
}

}  // namespace attnscope
