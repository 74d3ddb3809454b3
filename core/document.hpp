// core: the Document, everything a picture is computed from, as one value. Views edit a copy of it and
// nothing else; undo is a list of Documents, a session file is a Document on disk. Documents are cheap to
// copy: large blocks of numbers are shared and immutable.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/parameters.hpp"
#include "core/settings.hpp"
#include "core/tensor.hpp"

namespace attnscope {

/// One sentence of the batch and the tokens it was cut into (see core/text/tokenize.hpp). For Given queries,
/// keys and values the tokens are only labels.
struct Sequence {
  std::string text;                 // valid UTF-8
  std::vector<std::string> tokens;  // in reading order, never empty strings
  bool operator==(const Sequence&) const = default;
};

/// Sentences that Documents share: a copy costs a pointer, and copies that nobody changed compare at once,
/// however long the text is.
class Sequences {
 public:
  Sequences() = default;
  Sequences(std::vector<Sequence> list);  // NOLINT: a list of sentences is what it holds
  Sequences(std::initializer_list<Sequence> list) : Sequences(std::vector<Sequence>(list)) {}

  const std::vector<Sequence>& list() const;
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
  std::vector<Sequence>& change();
  /// The same for the same sentences of two Documents, null when there are none.
  const void* identity() const { return list_.get(); }
  /// By value; in no time where both are the same sentences.
  bool operator==(const Sequences& other) const { return list_ == other.list_ || list() == other.list(); }

 private:
  std::shared_ptr<std::vector<Sequence>> list_;
};

/// What a file held of a head. The tensors that it did not hold are zeros, one number wide: they stand for
/// nothing, and neither they nor what would follow from them is shown (see known.hpp).
enum class Holds {
  QueryKeyValue,
  QueryKey,  // no values: nothing is known after the weights
  Weights,   // the weights alone, as logarithms in masking.additive: softmax(0 + ln w) = w
};

/// What a file did not say of its tensors and was guessed: the reason in a sentence; empty = it was said, by
/// the file or by a person. Not part of the computation.
struct Guesses {
  std::string causal = {};     // of masking.causal
  std::string positions = {};  // of positions: whether queries and keys have theirs already
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
  Holds holds = Holds::QueryKeyValue;
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

struct Input {
  Sequences sequences;  // the batch; shorter ones are padded at the end
  /// Cross-attention: keys and values come from these, one for each sequence; empty = self-attention.
  Sequences memory;
  int padded_length = 0;  // tokens per sequence after padding; 0 = as long as the longest
  /// Decoding: the keys and values of so many first tokens are already in the cache, so that queries are
  /// computed only for the tokens after them. Self-attention only; less than the padded length.
  int cached = 0;
  Given given;      // when set, sequences only label rows and columns
  Vectors vectors;  // likewise
  /// Token vectors of `sequences` and of `memory` that a person changed: they stand in the place of the
  /// embedding's, before positions, padding included. Null = as looked up. Text input only.
  TensorPtr edited;         // [sequences][padded tokens][d_model]
  TensorPtr edited_memory;  // [sequences][tokens of the longest memory][d_model]
  bool operator==(const Input&) const = default;
};

/// Where W_Q, W_K, W_V and W_O come from. A recipe is kept so that seed, heads and width can change and so
/// that a session file stays small; the blocks are what is computed with.
enum class Recipe {
  Random,     // Xavier normal from the seed
  HandBuilt,  // eight heads that each do one nameable thing, see core/weights/hand_built.hpp
  Given,      // the numbers themselves, from a file or edited by hand
};

/// How the blocks of Recipe::Random are drawn. Blocks are [fan_in][fan_out].
enum class Initialiser {
  Xavier,      // N(0, 2 / (fan_in + fan_out)) (Glorot and Bengio 2010)
  Normal,      // N(0, 0.02²), whatever the width (Radford et al. 2018, section 4.1)
  Identity,    // 1 on the diagonal, 0 elsewhere
  Orthogonal,  // orthonormal columns, or rows where there are fewer of those (Saxe et al. 2014)
  Linear,  // uniform in ±1/√fan_in, biases too: PyTorch's nn.Linear (He et al. 2015 with a = √5), σ = 1/√(3
           // fan_in)
};

/// What one block does differently from its recipe.
struct BlockRecipe {
  struct Drawn {
    Initialiser initialiser = Initialiser::Xavier;
    std::uint64_t seed = 0;
    bool operator==(const Drawn&) const = default;
  };
  std::optional<Drawn> drawn;  // drawn by itself; nothing = as the recipe has it
  float gain = 1;              // what its numbers were multiplied with; > 0 and finite
  bool operator==(const BlockRecipe&) const = default;
};

/// Projections in the row-vector convention y = x·W + b.
struct Weights {
  Recipe recipe = Recipe::Random;
  std::uint64_t seed = 7;
  float noise =
      0;  // HandBuilt: standard deviation of Gaussian noise added to every weight, x 1/sqrt(d_model)
  bool biases = false;                            // Random: add random biases as well
  Initialiser initialiser = Initialiser::Xavier;  // Random: of all four blocks
  std::array<BlockRecipe, 4> blocks;              // by Projection
  /// Given: the recipe that made the blocks before their numbers were edited by hand, so that each can be
  /// reset; Given where they came as numbers. Not looked at with another recipe.
  Recipe made_by = Recipe::Given;
  bool fused = false;  // compute Q, K and V into one tensor, then cut it; the same bits, save behind a cache

  /// Names and shapes: parameter_table. The learned key and value are both there or both null.
  Parameters<float> parameters;
  /// What each head was built to do; empty unless HandBuilt. A head whose W_Q or W_K was changed by hand has
  /// an empty name: what it looks at is its own now.
  std::vector<std::string> head_names;

  const TensorPtr& operator[](Parameter which) const { return parameters[which]; }
  TensorPtr& operator[](Parameter which) { return parameters[which]; }
  const BlockRecipe& of(Projection which) const { return blocks[static_cast<std::size_t>(which)]; }
  BlockRecipe& of(Projection which) { return blocks[static_cast<std::size_t>(which)]; }
  bool operator==(const Weights&) const = default;
};

struct Document {
  Input input;
  Embedding embedding = Embedding::Gaussian;
  float embedding_gain = 1;  // token vectors are multiplied with it before positions; > 0 and finite
  Positions positions = Positions::Sinusoidal;
  PositionSettings position_settings;
  int d_model = 64;
  int heads = 8;
  int kv_heads =
      0;  // heads of keys and values: grouped-query when fewer than heads, multi-query when 1; 0 = heads
  int d_k = 0;  // width of a head's queries and keys; 0 = d_model / heads
  int d_v = 0;  // width of a head's values; 0 = as wide as queries and keys
  Weights weights;
  bool zero_key =
      false;  // one more key and value of zeros that every query sees: somewhere to put unwanted weight
  Scaling scaling;
  float soft_cap = 0;  // 0 = off; else scaled scores x become c·tanh(x / c) before the mask; >= 0 and finite
  Masking masking;
  SoftmaxKind softmax = SoftmaxKind::Stable;
  EmptyRow empty_row = EmptyRow::Zeros;
  float temperature = 1;  // softmax(masked / temperature); > 0 and finite
  bool linear = false;  // linear attention: values are mixed with φ(Q)φ(K)ᵀ weights instead of softmax's
  std::vector<HeadSurgery> surgery;  // one for each head; empty = none has its pattern replaced
  Dropout dropout;
  Precision precision = Precision::Float32;
  Loss loss;
  std::string title;  // what the window calls it; not part of the computation
  bool operator==(const Document&) const = default;
};

/// Sizes of the tensors of a Document.
struct Dimensions {
  std::int64_t batch = 0, heads = 0, kv_heads = 0, queries = 0, keys = 0, d_model = 0, d_k = 0, d_v = 0;
  std::int64_t past = 0;   // keys before the first query's own: the cache
  std::int64_t extra = 0;  // the last keys, which belong to no token: weights[Parameter::ExtraKey], zero_key
  std::int64_t token_keys() const { return keys - extra; }
  bool operator==(const Dimensions&) const = default;
};

/// The sizes, or an Error with one sentence that says which field does not fit and what would: no tokens,
/// heads < 1, d_model % heads != 0, given tensors whose ranks or sizes disagree, weights of another shape, a
/// setting that is not usable, or more than `max_cells` scores (heads x queries x keys x batch). With given
/// Q, K and V the sizes come from them: heads and d_model of the Document are not looked at, d_model is heads
/// * d_v, or the width of the output matrix where there is one.
Dimensions check(const Document&);

/// The same for a Document of any length, as far as this machine's memory holds its vectors: Error when
/// queries, keys, values and outputs would take more than half of it.
Dimensions check_any_length(const Document&);
/// Whether there are more scores than can be kept at once: such a Document is swept (see core/survey.hpp)
/// instead of computed stage by stage.
bool is_long(const Dimensions&);

/// A sentence that counts the NaN and infinite numbers in given Q, K and V; empty when there are none. They
/// are computed and marked, not refused: looking at what they do is what the instrument is for.
std::string not_finite_note(const Document&);

/// The staged path keeps every stage of every head: four tensors of this many cells.
inline constexpr std::int64_t max_cells = std::int64_t{1} << 25;

/// Tokens per sequence that a text can be padded to, and that a cache can hold.
inline constexpr int max_padded_length = 65'536;

/// The widest d_model that is tried: four blocks of weights of 256 MiB each.
inline constexpr int max_d_model = 8192;

/// Tokens of the longest sequence; 0 when there is none.
std::int64_t longest_of(const std::vector<Sequence>&);

/// Tokens per sequence after padding: padded_length, or the longest sequence when that is 0. Text input only.
std::int64_t padded_tokens(const Input&);

/// Multiplier of the scores: 1/sqrt(d_k), 1, or the chosen factor.
double scale_factor(const Scaling&, std::int64_t d_k);

/// Whether the heads side by side are multiplied with an output matrix: always but with given Q, K and V that
/// came without one.
bool has_output_weights(const Document&);
/// Heads of queries: those of given Q, else those of the Document.
int query_heads(const Document&);
/// Whether a head's pattern is replaced, and whether any head's is.
bool is_operated(const Document&, std::int64_t head);
bool is_operated(const Document&);

/// Heads of keys and values of a Document from text or vectors: kv_heads, or heads when that is 0.
int key_value_heads(const Document&);
/// Width of a head's queries and keys: that of given Q, else d_k, or d_model / heads when that is 0.
int key_width(const Document&);
/// Width of a head's values, of a Document from text or vectors: d_v, or key_width() when that is 0.
int value_width(const Document&);
/// The sizes of the parameters of a layer whose keys and values are made of vectors as wide as its queries'.
ParameterSizes parameter_sizes(const Document&);
/// How many dimensions of queries and keys of width d_k rotary positions turn; even.
std::int64_t rotated_dims(const PositionSettings&, std::int64_t d_k);

/// Position among the keys at which the first query of sequence `b` stands: behind the cache, 0 without one.
/// Given lengths count the queries as the last real keys; the position is negative when there are more
/// queries than those.
std::int64_t query_offset(const Document&, const Dimensions&, std::int64_t b);

/// Real tokens that give keys to sequence `b`, without padding, with the cache: all keys of given tensors
/// unless they bring lengths.
std::int64_t key_length(const Document&, std::int64_t b);
/// Number of real tokens of sequence `b` itself, without padding. For tensors: the number of queries and past
/// keys.
std::int64_t sequence_length(const Document&, std::int64_t b);

}  // namespace attnscope
