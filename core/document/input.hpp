// core/document: what a Document computes from: sentences, or tensors in the place of what would be computed
// from them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <variant>
#include <vector>

#include "core/base/shared_value.hpp"
#include "core/base/tensor.hpp"
#include "core/text/token.hpp"

namespace attnscope {

/// One sentence of the batch and the tokens it was cut into (see core/text/tokenize.hpp). For Given queries,
/// keys and values the tokens are only labels.
struct Sequence {
  std::string text;           // valid UTF-8
  std::vector<Token> tokens;  // in reading order
  bool operator==(const Sequence&) const = default;
};

/// Sentences that Documents share: a copy costs a pointer, and unchanged copies compare at once,
/// however long the text is.
class Sequences {
 public:
  Sequences() = default;
  Sequences(std::vector<Sequence> list);  // NOLINT: a list of sentences is what it holds
  Sequences(std::initializer_list<Sequence> list) : Sequences(std::vector<Sequence>(list)) {}

  const std::vector<Sequence>& list() const { return list_.read(); }
  operator const std::vector<Sequence>&() const { return list(); }
  auto begin() const { return list().begin(); }
  auto end() const { return list().end(); }
  std::size_t size() const { return list().size(); }
  bool empty() const { return list().empty(); }
  const Sequence& operator[](std::size_t index) const { return list()[index]; }
  const Sequence& at(std::size_t index) const { return list().at(index); }
  const Sequence& front() const { return list().front(); }
  const Sequence& back() const { return list().back(); }

  /// The sentences to be changed: a copy of their own where others share them.
  std::vector<Sequence>& change() { return list_.change(); }
  /// The same for the same sentences of two Documents, null when there are none.
  const void* identity() const { return list_.identity(); }
  bool operator==(const Sequences&) const = default;

 private:
  SharedValue<std::vector<Sequence>> list_;
};

/// What a file held of a head. The tensors that it did not hold are zeros, one number wide: they stand for
/// nothing, and neither they nor what would follow from them is shown (see known.hpp).
enum class GivenTensors {
  QueryKeyValue,
  QueryKey,  // no values: nothing is known after the weights
  Weights,   // the weights alone, as logarithms in masking.additive: softmax(0 + ln w) = w
};

/// What a file did not say of its tensors and was guessed: the reason in a sentence; empty = it was said, by
/// the file or by a person. Not part of the computation.
struct Guesses {
  std::string causal = {};     // of masking.causal
  std::string positions = {};  // of positions: whether queries and keys have theirs already; of weights
                               // alone, which have none, what weights_note() says
  bool any() const { return !causal.empty() || !positions.empty(); }
  bool operator==(const Guesses&) const = default;
};

/// Q, K and V that come as numbers instead of being computed: no embedding and no projections. An output
/// matrix only where the file brought one: weights[Parameter::WOutput] with Recipe::Given.
struct Given {
  TensorPtr query;  // [batch][heads][queries][d_k]
  TensorPtr key;    // [batch][kv heads][keys][d_k]; heads is a multiple of kv heads
  TensorPtr value;  // [batch][kv heads][keys][d_v]
  /// A cache: keys and values that come before `key` and `value`, or null.
  TensorPtr past_key = {}, past_value = {};  // [batch][kv heads][past][d_k or d_v]
  /// Keys of each entry of the batch that are not padding, counted from the first; empty = all.
  std::vector<std::int64_t> lengths = {};
  GivenTensors holds = GivenTensors::QueryKeyValue;
  Guesses guesses = {};
  bool operator==(const Given&) const = default;
  explicit operator bool() const { return query && key && value; }
};

/// Token vectors that come as numbers instead of being looked up: a layer inside a model. Positions are added
/// to `query` (and `key`) as to embeddings.
struct Vectors {
  TensorPtr query;       // [batch][queries][d_model]
  TensorPtr key = {};    // [batch][keys][d of W_K's rows]; null = query: self-attention
  TensorPtr value = {};  // [batch][keys][d of W_V's rows]; null = key
  bool operator==(const Vectors&) const = default;
  explicit operator bool() const { return static_cast<bool>(query); }
};

/// Token vectors that are looked up in the embedding.
struct FromText {
  /// Token vectors of `sequences` and of `memory` that a person changed: they stand in the place of the
  /// embedding's, before positions, padding included. Null = as looked up.
  TensorPtr edited = {};         // [sequences][padded tokens][d_model]
  TensorPtr edited_memory = {};  // [sequences][tokens of the longest memory][d_model]
  bool operator==(const FromText&) const = default;
};

struct Input {
  Sequences sequences;  // the batch; shorter ones are padded at the end. Labels where numbers are given
  /// Cross-attention: keys and values come from these, one for each sequence; empty = self-attention.
  Sequences memory;
  int padded_length = 0;  // tokens per sequence after padding; 0 = as long as the longest
  /// Decoding: the keys and values of so many first tokens are already in the cache, so that queries are
  /// computed only for the tokens after them. Self-attention only; less than the padded length.
  int cached = 0;
  /// Where the numbers come from.
  std::variant<FromText, Given, Vectors> numbers;

  bool is_text() const { return is<FromText>(); }
  bool is_given() const { return is<Given>(); }
  bool is_vectors() const { return is<Vectors>(); }
  /// To be read: of another kind of input everything is empty.
  const FromText& from_text() const;
  const Given& given() const;
  const Vectors& vectors() const;
  /// To be changed: what was another kind of input becomes an empty one of this kind.
  template <class T>
  T& change() {
    return is<T>() ? std::get<T>(numbers) : numbers.emplace<T>();
  }
  /// The same where it is of this kind; null else.
  template <class T>
  T* as() {
    return std::get_if<T>(&numbers);
  }
  bool operator==(const Input&) const = default;

 private:
  template <class T>
  bool is() const {
    return std::holds_alternative<T>(numbers);
  }
};

}  // namespace attnscope
