// core: the Document, everything a picture is computed from, as one value. Views edit a copy of it and
// nothing else; undo is a list of Documents, a session file is a Document on disk. Documents are cheap to
// copy: large blocks of numbers are shared and immutable.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/tensor.hpp"

namespace attnscope {

/// One sentence of the batch and the tokens it was cut into (see core/text/tokenize.hpp). For Given queries,
/// keys and values the tokens are only labels.
struct Sequence {
  std::string text;                 // valid UTF-8
  std::vector<std::string> tokens;  // in reading order, never empty strings
  bool operator==(const Sequence&) const = default;
};

/// Q, K and V that come as numbers instead of being computed: no embedding, no projections, no output matrix.
struct Given {
  TensorPtr query;  // [batch][heads][queries][d_k]
  TensorPtr key;    // [batch][kv heads][keys][d_k]; heads is a multiple of kv heads
  TensorPtr value;  // [batch][kv heads][keys][d_v]
  bool operator==(const Given&) const = default;
  explicit operator bool() const { return query && key && value; }
};

struct Input {
  std::vector<Sequence> sequences;  // the batch; shorter ones are padded at the end
  int padded_length = 0;            // tokens per sequence after padding; 0 = as long as the longest
  Given given;                      // when set, sequences only label rows and columns
  bool operator==(const Input&) const = default;
};

/// How a token becomes its vector. Both kinds give each distinct token its own vector, reproducible from the
/// seed.
enum class Embedding {
  Gaussian,   // d_model numbers from N(0, 1); positions are added over all of them
  HandBuilt,  // first half: the token (1, content word or not, a code of its own), second half: the position
};

/// Positions are a separate stage, so that they can be switched off and looked at.
enum class Positions { None, Sinusoidal };

/// Where W_Q, W_K, W_V and W_O come from. A recipe is kept so that seed, heads and width can change and so
/// that a session file stays small; the blocks are what is computed with.
enum class Recipe {
  Random,     // Xavier normal from the seed
  HandBuilt,  // eight heads that each do one nameable thing, see core/weights/hand_built.hpp
  Given,      // the numbers themselves, from a file or edited by hand
};

/// Projections in the row-vector convention y = x·W + b.
struct Weights {
  Recipe recipe = Recipe::Random;
  std::uint64_t seed = 7;
  float noise =
      0;  // HandBuilt: standard deviation of Gaussian noise added to every weight, x 1/sqrt(d_model)
  bool biases = false;  // Random: add small random biases as well

  TensorPtr w_query;   // [d_model][heads * d_k]
  TensorPtr w_key;     // [d_model][heads * d_k]
  TensorPtr w_value;   // [d_model][heads * d_v]
  TensorPtr w_output;  // [heads * d_v][d_model]
  TensorPtr b_query;   // [heads * d_k], null = no bias; the same for the other three
  TensorPtr b_key;
  TensorPtr b_value;
  TensorPtr b_output;                   // [d_model]
  std::vector<std::string> head_names;  // what each head was built to do; empty unless HandBuilt

  bool operator==(const Weights&) const = default;
};

/// What scores are multiplied with before the mask.
struct Scaling {
  enum class Kind { InverseSqrtDk, Off, Factor };
  Kind kind = Kind::InverseSqrtDk;
  float factor = 1;  // used when kind is Factor; finite
  bool operator==(const Scaling&) const = default;
};

/// Which keys a query may see. All parts combine: a key is seen only if every part allows it.
struct Masking {
  bool causal = false;   // key <= query + offset, see mask.hpp for the alignment
  bool padding = false;  // hide keys beyond the end of their sequence
  TensorPtr
      additive;  // null, or added to the scaled scores: [1 or batch][1 or heads][queries][keys]; -inf hides
  bool operator==(const Masking&) const = default;
};

struct Document {
  Input input;
  Embedding embedding = Embedding::Gaussian;
  Positions positions = Positions::Sinusoidal;
  int d_model = 64;
  int heads = 8;
  Weights weights;
  Scaling scaling;
  float soft_cap = 0;  // 0 = off; else scaled scores x become c·tanh(x / c) before the mask; >= 0 and finite
  Masking masking;
  float temperature = 1;  // softmax(masked / temperature); > 0 and finite
  std::string title;      // what the window calls it; not part of the computation
  bool operator==(const Document&) const = default;
};

/// Sizes of the tensors of a Document.
struct Dimensions {
  std::int64_t batch = 0, heads = 0, kv_heads = 0, queries = 0, keys = 0, d_model = 0, d_k = 0, d_v = 0;
  bool operator==(const Dimensions&) const = default;
};

/// The sizes, or an Error with one sentence that says which field does not fit and what would: no tokens,
/// heads < 1, d_model % heads != 0, given tensors whose ranks or sizes disagree, weights of another shape, a
/// scale factor or temperature that is not usable, or more than `max_cells` scores (heads x queries x keys x
/// batch). With given Q, K and V the sizes come from them: heads and d_model of the Document are not looked
/// at, d_model is heads * d_v.
Dimensions check(const Document&);

/// A sentence that counts the NaN and infinite numbers in given Q, K and V; empty when there are none. They
/// are computed and marked, not refused: looking at what they do is what the instrument is for.
std::string not_finite_note(const Document&);

/// The staged path keeps every stage of every head: four tensors of this many cells.
inline constexpr std::int64_t max_cells = std::int64_t{1} << 25;

/// The widest d_model that is tried: four blocks of weights of 256 MiB each.
inline constexpr int max_d_model = 8192;

/// Tokens per sequence after padding: padded_length, or the longest sequence when that is 0. Text input only.
std::int64_t padded_tokens(const Input&);

/// Multiplier of the scores: 1/sqrt(d_k), 1, or the chosen factor.
double scale_factor(const Scaling&, std::int64_t d_k);

/// Number of real tokens of sequence `b`, without padding. For Given input: the number of keys.
std::int64_t sequence_length(const Document&, std::int64_t b);

}  // namespace attnscope
