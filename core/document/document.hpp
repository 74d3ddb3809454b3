// core/document: the Document, one value that holds everything a picture is computed from. Views edit only a
// copy of it; undo is a list of Documents, a session file is a Document on disk. Documents are cheap to copy:
// sentences, blocks and large tensors are shared and immutable.
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
  float embedding_gain = 1;   // token vectors are multiplied by it before positions; > 0 and finite
  Blocks blocks;              // one for a single layer
  std::size_t looked_at = 0;  // the block that views show and edits change; < blocks.size()
  Precision precision = Precision::Float32;
  Loss loss;
  std::string title;  // the name in the window; not part of the computation
  /// The model that the layer belongs to, if any: then input and blocks follow from it.
  SharedValue<ModelContext> within = {};
  bool operator==(const Document&) const = default;

  /// The attention layer of the block `looked_at`. The non-const version copies the block first if other
  /// Documents share it (see SharedValue::change()).
  const LayerSpec& layer() const& { return blocks[looked_at].layer; }
  LayerSpec& layer() & { return blocks.change(looked_at).layer; }
  /// By value from a temporary, so that it does not dangle.
  LayerSpec layer() const&& { return blocks[looked_at].layer; }
};

/// Sizes of the tensors of a Document.
struct Dimensions {
  std::int64_t batch = 0, heads = 0, kv_heads = 0, queries = 0, keys = 0, d_model = 0, d_k = 0, d_v = 0;
  std::int64_t past = 0;  // keys before that of the first query: the cache
  std::int64_t extra =
      0;  // the last keys, which belong to no token: weights[Parameter::BiasK], add_zero_attn
  std::int64_t token_keys() const { return keys - extra; }
  bool operator==(const Dimensions&) const = default;
};

/// Returns the sizes. Throws Error with one sentence that names the field that does not fit and what would:
/// no tokens, heads < 1, d_model % heads != 0, given tensors whose ranks or sizes disagree, weights of
/// another shape, an invalid setting, or more than `max_cells` scores (heads x queries x keys x batch). With
/// given Q, K and V the sizes come from them: heads and d_model of the Document are ignored; d_model is heads
/// * d_v, or the width of the output matrix if there is one.
Dimensions check(const Document&);

/// The same for a Document of any length whose vectors fit into memory: throws Error when queries, keys,
/// values and outputs would take more than half of this machine's memory.
Dimensions check_any_length(const Document&);
/// Whether there are more than max_cells scores: such a Document is swept (see core/engine/survey.hpp)
/// instead of computed stage by stage.
bool is_long(const Dimensions&);

/// A sentence that counts the NaN and infinite numbers in given Q, K and V; empty when there are none. Such
/// numbers are computed with and marked, not rejected, so that their effect can be seen.
std::string not_finite_note(const Document&);

/// The staged path keeps every stage of every head: four tensors of this many cells.
inline constexpr std::int64_t max_cells = std::int64_t{1} << 25;

/// The most tokens that a sequence can be padded to, and that a cache can hold.
inline constexpr int max_padded_length = 65'536;

/// The largest d_model: four weight matrices of 256 MiB each.
inline constexpr int max_d_model = 8192;

/// Tokens of the longest sequence; 0 when there is none.
std::int64_t longest_of(const std::vector<Sequence>&);

/// Tokens per sequence after padding: padded_length, or the longest sequence when that is 0. Text input only.
std::int64_t padded_tokens(const Input&);

/// The d_k of scale_factor() for a Document: the width of queries and keys times the number of terms of a
/// score, which is 3 with all of disentangled positions (He et al. 2021, section 3.1) and 1 without.
std::int64_t scale_width(const Document&, std::int64_t d_k);
/// Whether queries and keys are multiplied with relative-position vectors (disentangled positions). Not with
/// given Q and K, since W_Q and W_K are unknown.
bool is_disentangled(const Document&);

/// Whether the concatenated heads are multiplied by an output matrix: always, except with given Q, K and V
/// without one.
bool has_output_weights(const Document&);
/// Heads of queries: those of given Q, else those of the Document.
int query_heads(const Document&);
/// Whether a head's pattern is replaced, and whether any head's is.
bool has_intervention(const Document&, std::int64_t head);
bool has_intervention(const Document&);

/// Heads of keys and values of a Document from text or vectors: kv_heads, or heads when that is 0.
int key_value_heads(const Document&);
/// d_k of the layer, or d_model / heads when that is 0.
int head_width(const LayerSpec&);
/// Width of a head's queries and keys: that of given Q, else head_width().
int key_width(const Document&);
/// Width of a head's values, of a Document from text or vectors: d_v, or key_width() when that is 0.
int value_width(const Document&);
/// The rows of the learned table of a layer's positions; 0 if they have none, or one for each position.
std::int64_t table_rows(const LayerSpec&);
/// The parameter sizes of a layer whose keys and values are projected from vectors of the same width as its
/// queries.
ParameterSizes parameter_sizes(const Document&);
/// Number of rotated dimensions of queries and keys of width d_k; even. With latent attention only those of
/// the shared key.
std::int64_t rotated_dims(const Document&, std::int64_t d_k);
/// Whether keys and values are projected from a latent (never with given Q, K and V), and the width of the
/// key that all heads then share.
bool has_latent(const Document&);
std::int64_t shared_key_width(const Document&);

/// Position of the first query of sequence `b` among the keys: the length of the cache, 0 without one. With
/// given lengths the queries are the last real keys; the position is negative when there are more queries
/// than these.
std::int64_t query_offset(const Document&, const Dimensions&, std::int64_t b);

/// query_offset() of every sequence, [batch].
std::vector<std::int64_t> first_positions(const Document&, const Dimensions&);

/// Number of real keys of sequence `b`, without padding, with the cache. For given tensors without lengths:
/// all keys.
std::int64_t key_length(const Document&, std::int64_t b);
/// Number of real tokens of sequence `b` itself, without padding. For tensors: the number of queries and past
/// keys.
std::int64_t sequence_length(const Document&, std::int64_t b);

}  // namespace attnscope
