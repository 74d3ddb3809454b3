// core/document: the input of a Document: sentences, or tensors that replace what would be computed from
// them.
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

/// One sentence of the batch and its tokens (see core/text/tokenize.hpp). With given queries, keys and values
/// the tokens are only labels.
struct Sequence {
  std::string text;           // valid UTF-8
  std::vector<Token> tokens;  // in reading order
  bool operator==(const Sequence&) const = default;
};

/// Sentences shared between Documents: a copy costs a pointer, and unchanged copies compare in constant time.
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

  /// The sentences, to be changed; they are copied first if other objects share them.
  std::vector<Sequence>& change() { return list_.change(); }
  /// An address that is equal if two Documents share the sentences; null without sentences.
  const void* identity() const { return list_.identity(); }
  bool operator==(const Sequences&) const = default;

 private:
  SharedValue<std::vector<Sequence>> list_;
};

/// The tensors of a head that a file held. Missing tensors are placeholders: zeros, one number wide. Neither
/// they nor anything computed from them is shown (see known.hpp).
enum class GivenTensors {
  QueryKeyValue,
  QueryKey,  // no values: stages after the weights are unknown
  Weights,   // the weights alone, as logarithms in masking.additive: softmax(0 + ln w) = w
};

/// Settings that the file did not state and that were guessed: the reason in a sentence; empty = stated by
/// the file or by the user. Not part of the computation.
struct Guesses {
  std::string causal = {};     // for masking.causal
  std::string positions = {};  // for positions: whether they are already applied to queries and keys;
                               // with weights only, the text of weights_note()
  bool any() const { return !causal.empty() || !positions.empty(); }
  bool operator==(const Guesses&) const = default;
};

/// Given Q, K and V: no embedding and no projections. There is an output matrix only if the file had one:
/// weights[Parameter::WOutput] with Recipe::Given.
struct Given {
  TensorPtr query;  // [batch][heads][queries][d_k]
  TensorPtr key;    // [batch][kv heads][keys][d_k]; heads is a multiple of kv heads
  TensorPtr value;  // [batch][kv heads][keys][d_v]
  /// A cache: keys and values before `key` and `value`, or null.
  TensorPtr past_key = {}, past_value = {};  // [batch][kv heads][past][d_k or d_v]
  /// Keys of each entry of the batch that are not padding, counted from the first; empty = all.
  std::vector<std::int64_t> lengths = {};
  GivenTensors holds = GivenTensors::QueryKeyValue;
  Guesses guesses = {};
  bool operator==(const Given&) const = default;
  explicit operator bool() const { return query && key && value; }
};

/// Given token vectors instead of embeddings: a layer inside a model. Positions are added to `query` (and
/// `key`) as to embeddings.
struct Vectors {
  TensorPtr query;       // [batch][queries][d_model]
  TensorPtr key = {};    // [batch][keys][d of W_K's rows]; null = query: self-attention
  TensorPtr value = {};  // [batch][keys][d of W_V's rows]; null = key
  bool operator==(const Vectors&) const = default;
  explicit operator bool() const { return static_cast<bool>(query); }
};

/// Token vectors from the embedding.
struct FromText {
  /// Edited token vectors of `sequences` and of `memory`, padding included: they replace those of the
  /// embedding, before positions. Null = not edited.
  TensorPtr edited = {};         // [sequences][padded tokens][d_model]
  TensorPtr edited_memory = {};  // [sequences][tokens of the longest memory][d_model]
  bool operator==(const FromText&) const = default;
};

struct Input {
  Sequences sequences;  // the batch; shorter ones are padded at the end. Labels if numbers are given
  /// Cross-attention: the sources of keys and values, one for each sequence; empty = self-attention.
  Sequences memory;
  int padded_length = 0;  // tokens per sequence after padding; 0 = as long as the longest
  /// Decoding: the number of first tokens whose keys and values are cached; queries are computed only for the
  /// tokens after them. Self-attention only; less than the padded length.
  int cached = 0;
  /// Where the numbers come from.
  std::variant<FromText, Given, Vectors> numbers;

  bool is_text() const { return is<FromText>(); }
  bool is_given() const { return is<Given>(); }
  bool is_vectors() const { return is<Vectors>(); }
  /// For reading; empty if the input is of another kind.
  const FromText& from_text() const;
  const Given& given() const;
  const Vectors& vectors() const;
  /// For writing; input of another kind is replaced by an empty one of this kind.
  template <class T>
  T& change() {
    return is<T>() ? std::get<T>(numbers) : numbers.emplace<T>();
  }
  /// For writing; null if the input is of another kind.
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
