#include "core/mask.hpp"

#include <algorithm>
#include <limits>

namespace attnscope {

namespace {
constexpr float hidden = -std::numeric_limits<float>::infinity();
}

MaskRule::MaskRule(const Document& document)
    : causal_(document.masking.causal),
      padding_(document.masking.padding),
      additive_(document.masking.additive) {
  const Given& given = document.input.given;
  const std::int64_t batch =
      given ? given.query->shape()[0] : static_cast<std::int64_t>(document.input.sequences.size());
  for (std::int64_t b = 0; b < batch; ++b) lengths_.push_back(sequence_length(document, b));
  keys_ = given ? given.key->shape()[2] : padded_tokens(document.input);
}

std::int64_t MaskRule::visible_end(std::int64_t b, std::int64_t query) const {
  std::int64_t end = keys_;
  if (causal_) end = std::min(end, query + 1);
  if (padding_) end = std::min(end, lengths_[static_cast<std::size_t>(b)]);
  return end;
}

std::span<const float> MaskRule::additive_row(std::int64_t b, std::int64_t h, std::int64_t query) const {
  if (!additive_) return {};
  const Shape& shape = additive_->shape();
  const std::int64_t block = shape[0] == 1 ? 0 : b;  // one block may serve the whole batch, or all heads
  const std::int64_t head = shape[1] == 1 ? 0 : h;
  const std::int64_t row = (block * shape[1] + head) * shape[2] + query;
  return additive_->values().subspan(static_cast<std::size_t>(row * shape[3]),
                                     static_cast<std::size_t>(shape[3]));
}

float MaskRule::bias(std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key) const {
  if (key >= visible_end(b, query)) return hidden;
  const std::span<const float> row = additive_row(b, h, query);
  return row.empty() ? 0.0f : row[static_cast<std::size_t>(key)];
}

bool MaskRule::allows(std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key) const {
  return bias(b, h, query, key) != hidden;
}

std::int64_t MaskRule::allowed_keys(std::int64_t b, std::int64_t h, std::int64_t query) const {
  const std::int64_t end = visible_end(b, query);
  const std::span<const float> row = additive_row(b, h, query);
  if (row.empty()) return end;
  return end - std::count(row.begin(), row.begin() + end, hidden);
}

}  // namespace attnscope
