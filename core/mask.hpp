// core: which keys a query may see. The one place that decides it, read by the Mask stage, the measures and
// the pictures.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/document.hpp"

namespace attnscope {

/// The mask of one query's row. Lives as long as the MaskRule it came from.
struct MaskRow {
  std::int64_t end = 0;             // causal and padding hide exactly the keys from here on
  std::span<const float> additive;  // [keys], -inf hides; empty when the Document has none

  bool allows(std::int64_t key) const {
    return key < end && (additive.empty() ||
                         additive[static_cast<std::size_t>(key)] != -std::numeric_limits<float>::infinity());
  }
};

/// The rule of a Document's mask, ready to be asked cell by cell or row by row. Causal is top-left aligned
/// (key <= query): there is no cache before the queries yet. Keeps a reference to nothing; safe to use from
/// any thread.
class MaskRule {
 public:
  /// `document` must pass check().
  explicit MaskRule(const Document& document);

  /// What is added to the scaled score: 0, a finite additive value, or -inf when the key is hidden.
  float bias(std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key) const;
  bool allows(std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key) const;
  /// Number of keys the query may see.
  std::int64_t allowed_keys(std::int64_t b, std::int64_t h, std::int64_t query) const;

  MaskRow row(std::int64_t b, std::int64_t h, std::int64_t query) const {
    return {visible_end(b, query), additive_row(b, h, query)};
  }
  /// A whole row at once: causal and padding hide exactly the keys from here on.
  std::int64_t visible_end(std::int64_t b, std::int64_t query) const;
  /// The additive values of a row, [keys]; empty when the Document has none.
  std::span<const float> additive_row(std::int64_t b, std::int64_t h, std::int64_t query) const;

 private:
  bool causal_ = false;
  bool padding_ = false;
  std::int64_t keys_ = 0;
  std::vector<std::int64_t> lengths_;  // [batch] real keys per sequence
  TensorPtr additive_;
};

}  // namespace attnscope
