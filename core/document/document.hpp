// core/document: the Document, everything a picture is computed from, as one value. Views edit a copy of it
// and nothing else; undo is a list of Documents, a session file is a Document on disk. Documents are cheap to
// copy: sentences, blocks and large tensors are shared and immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/shared_value.hpp"
#include "core/document/input.hpp"
#include "core/document/layer.hpp"
#include "core/document/model_context.hpp"
#include "core/document/settings.hpp"

namespace attnscope {

struct Document {
  Input input;
  Embedding embedding = Embedding::Gaussian;
  float embedding_gain = 1;   // token vectors are multiplied with it before positions; > 0 and finite
  Blocks blocks;              // of a lone layer: one
  std::size_t looked_at = 0;  // the block that views show and edits change; < blocks.size()
  Precision precision = Precision::Float32;
  Loss loss;
  std::string title;  // what the window calls it; not part of the computation
  /// The model that the layer stands in, if it stands in one: then input and blocks follow from it.
  SharedValue<ModelContext> within = {};
  bool operator==(const Document&) const = default;

  /// The attention layer of the block that is looked at. To be changed it gets a block of its own where
  /// copies of the Document share it (see SharedValue::change()).
  const LayerSpec& layer() const& { return blocks[looked_at].layer; }
  LayerSpec& layer() & { return blocks.change(looked_at).layer; }
  /// Of a temporary: by value, so that it lives as long as what is bound to it.
  LayerSpec layer() const&& { return blocks[looked_at].layer; }
};

/// Sizes of the tensors of a Document.
struct Dimensions {
  std::int64_t batch = 0, heads = 0, kv_heads = 0, queries = 0, keys = 0, d_model = 0, d_k = 0, d_v = 0;
  std::int64_t past = 0;  // keys before the first query's own: the cache
  std::int64_t extra =
      0;  // the last keys, which belong to no token: weights[Parameter::BiasK], add_zero_attn
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
/// Whether there are more scores than can be kept at once: such a Document is swept (see
/// core/engine/survey.hpp) instead of computed stage by stage.
bool is_long(const Dimensions&);

/// A sentence that counts the NaN and infinite numbers in given Q, K and V; empty when there are none. They
/// are computed and marked, not refused: looking at what they do is what the instrument is for.
std::string not_finite_note(const Document&);

/// The staged path keeps every stage of every head: four tensors of this many cells.
inline constexpr std::int64_t max_cells = std::int64_t{1} << 25;

/// Tokens per sequence that a text can be padded to, and that a cache can hold.
inline constexpr int max_padded_length = 65'536;

/// The largest side of a window with relative positions: 511² numbers for each head.
inline constexpr int max_window_side = 256;
/// The largest span of relative positions: twice as many vectors.
inline constexpr int max_relative_span = 4096;

/// The widest d_model that is tried: four blocks of weights of 256 MiB each.
inline constexpr int max_d_model = 8192;

/// Tokens of the longest sequence; 0 when there is none.
std::int64_t longest_of(const std::vector<Sequence>&);

/// Tokens per sequence after padding: padded_length, or the longest sequence when that is 0. Text input only.
std::int64_t padded_tokens(const Input&);

/// Multiplier of the scores: 1/sqrt(d_k), 1, or the chosen factor.
double scale_factor(const Scaling&, std::int64_t d_k);
/// The d_k of scale_factor() for a Document: the width of queries and keys times the terms that a score is
/// the sum of, 3 with all of disentangled positions (He et al. 2021, section 3.1) and 1 without.
std::int64_t scale_width(const Document&, std::int64_t d_k);
/// Whether queries and keys meet vectors of relative positions. Given ones do not: W_Q and W_K are not known.
bool is_disentangled(const Document&);

/// Whether the heads side by side are multiplied with an output matrix: always but with given Q, K and V that
/// came without one.
bool has_output_weights(const Document&);
/// Heads of queries: those of given Q, else those of the Document.
int query_heads(const Document&);
/// Whether a head's pattern is replaced, and whether any head's is.
bool has_intervention(const Document&, std::int64_t head);
bool has_intervention(const Document&);

/// Heads of keys and values of a Document from text or vectors: kv_heads, or heads when that is 0.
int key_value_heads(const Document&);
/// Width of a head's queries and keys: that of given Q, else d_k, or d_model / heads when that is 0.
int key_width(const Document&);
/// Width of a head's values, of a Document from text or vectors: d_v, or key_width() when that is 0.
int value_width(const Document&);
/// The sizes of the parameters of a layer whose keys and values are made of vectors as wide as its queries'.
ParameterSizes parameter_sizes(const Document&);
/// How many dimensions of queries and keys of width d_k rotary positions turn; even. Of latent attention
/// those of the shared key alone.
std::int64_t rotated_dims(const Document&, std::int64_t d_k);
/// Whether keys and values are made of a latent, and how wide the key is then that all heads share. Given Q,
/// K and V are not.
bool has_latent(const Document&);
std::int64_t shared_key_width(const Document&);

/// Position among the keys at which the first query of sequence `b` stands: behind the cache, 0 without one.
/// Given lengths count the queries as the last real keys; the position is negative when there are more
/// queries than those.
std::int64_t query_offset(const Document&, const Dimensions&, std::int64_t b);

/// That of every sequence, [batch].
std::vector<std::int64_t> first_positions(const Document&, const Dimensions&);

/// Real tokens that give keys to sequence `b`, without padding, with the cache: all keys of given tensors
/// unless they bring lengths.
std::int64_t key_length(const Document&, std::int64_t b);
/// Number of real tokens of sequence `b` itself, without padding. For tensors: the number of queries and past
/// keys.
std::int64_t sequence_length(const Document&, std::int64_t b);

}  // namespace attnscope
