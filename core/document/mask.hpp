// core/document: which keys a query may see: the one implementation, used by the Mask and Softmax stages, the
// measures, the gradients and the pictures.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/document/document.hpp"
#include "core/document/trace.hpp"

namespace attnscope {

/// A mask whose rows are intervals of keys: [batch][0: heads without the pattern, 1: with it][queries].
struct MaskIntervals {
  std::vector<std::int32_t> begin, end;  // keys [begin, end)
  std::vector<std::uint8_t> patterned;   // [heads] 1: with the pattern
};

/// The mask of a Document, evaluated for a cell or a row. Query i of sequence b has position p =
/// query_offset(b) + i among the keys; causal allows the keys j <= p: bottom-right aligned when a cache
/// precedes the queries, top-left otherwise. Every query sees the keys that belong to no token. Keeps no
/// reference to the Document; safe to use from any thread.
class MaskRule {
 public:
  /// `document` must pass check(). `trace` gives the LSH buckets; without it that pattern hides nothing.
  explicit MaskRule(const Document& document);
  template <class T>
  MaskRule(const Document& document, const TraceOf<T>& trace);

  bool allows(std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key) const;
  /// The same for a whole row: seen[key] = 1 where the query may see the key, else 0; [keys]. `additive` is
  /// the row of added numbers in the scalar type computed with, [token keys] or empty: -inf hides.
  template <class T>
  void see(std::int64_t b, std::int64_t h, std::int64_t query, std::span<const T> additive,
           std::span<std::uint8_t> seen) const;
  /// The same with the Document's own additive mask.
  void see(std::int64_t b, std::int64_t h, std::int64_t query, std::span<std::uint8_t> seen) const {
    see<float>(b, h, query, additive_row(additive_, b, h, query), seen);
  }
  /// Number of keys the query may see.
  std::int64_t allowed_keys(std::int64_t b, std::int64_t h, std::int64_t query) const;

  /// The position p of a query among the keys. It may be out of range.
  std::int64_t position(std::int64_t b, std::int64_t query) const {
    return offsets_[static_cast<std::size_t>(b)] + query;
  }

  /// Number of keys that belong to tokens; they come first.
  std::int64_t token_keys() const { return size_.token_keys(); }

  /// The value that replaces a hidden key's score, or is added to it (see Masking::Hidden).
  double hidden_value() const { return hidden_value_; }
  bool adds_hidden_value() const { return adds_hidden_value_; }
  /// The mistake of masking after the softmax: scores are unchanged, weights of hidden keys become 0.
  bool after_softmax() const { return mistake_ == MaskMistake::AfterSoftmax; }
  /// Whether the window or a sparse pattern hides keys at all.
  bool is_sparse() const { return !window_.open() || sparsity_.kind != Sparsity::Kind::None; }
  /// The rule as intervals, without the additive mask; nullopt if intervals cannot express it: sparse
  /// patterns, keys that belong to no token, the mistake of hiding the diagonal.
  std::optional<MaskIntervals> intervals() const;
  /// Whether all heads see the same keys.
  bool is_same_for_heads() const {
    return heads_.empty() && buckets_.empty() && (!additive_ || additive_->shape()[1] == 1);
  }
  /// The rule of full attention: without the window and the sparse pattern, without mistakes.
  MaskRule without_sparsity() const;

  /// Row (b, h, query) of an additive tensor [1 or batch][1 or heads][queries][token keys]; empty when there
  /// is none.
  template <class T>
  static std::span<const T> additive_row(const TensorPtrOf<T>& additive, std::int64_t b, std::int64_t h,
                                         std::int64_t query);

 private:
  /// Keys [begin, end) that causal, window and padding allow.
  struct Interval {
    std::int64_t begin, end;
  };
  Interval interval(std::int64_t b, bool patterned, std::int64_t position) const;
  bool patterned(std::int64_t h) const;
  bool sparse_allows(std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t position,
                     std::int64_t key) const;
  bool share_bucket(std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key) const;

  Dimensions size_;
  bool causal_ = false;
  bool padding_ = false;
  Window window_;
  Sparsity sparsity_;
  std::vector<int> heads_;
  MaskMistake mistake_ = MaskMistake::None;
  double hidden_value_ = 0;
  bool adds_hidden_value_ = false;
  std::vector<std::int64_t> lengths_;  // [batch] real keys per sequence
  std::vector<std::int64_t> offsets_;  // [batch] position of the first query
  std::vector<std::int16_t> buckets_;  // [batch][heads][rounds][queries + token keys]; empty = no LSH
  TensorPtr additive_;
};

}  // namespace attnscope
