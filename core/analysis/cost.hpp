// core/analysis: the cost of an attention layer, counted from its sizes alone: parameters, floating-point
// operations and bytes moved, stage by stage, for the staged path and for a streaming kernel.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/measures.hpp"
#include "core/document/document.hpp"
#include "core/document/stage.hpp"

namespace attnscope {

/// The sizes of any layer, whether or not it can be computed here.
struct LayerSize {
  std::int64_t batch = 1, queries = 0, keys = 0;  // tokens per sequence
  std::int64_t d_model = 0, heads = 1, kv_heads = 1, d_k = 0, d_v = 0;
  std::int64_t cached = 0;  // the first keys, whose K and V are cached and not projected again
  std::int64_t extra = 0;   // the last keys, which belong to no token and are not projected
  std::int64_t latent = 0, shared_key = 0, query_latent = 0;  // of latent attention; 0 = off
  bool normed_latents = false;
  bool biases = false;
  bool sinks = false, normed = false, rotary = false, added_positions = false, capped = false, linear = false;
  std::int64_t learned_keys = 0;  // 1 with a learned key and value, else 0
  /// Number of relative-position vectors that each query and each key is multiplied with (disentangled
  /// positions).
  std::int64_t query_meets = 0, key_meets = 0;
  std::int64_t position_numbers = 0;  // entries of a learned table of positions or of relative distances
  double seen = 1;                    // share of the scores that the mask allows
  BlockSettings block = {};
  std::int64_t block_numbers = 0;  // parameters of the block's norms, matrices and biases
  int bytes_per_number = 4;
  bool operator==(const LayerSize&) const = default;
};

/// The sizes of a Document's layer; the Document passed check(). With given Q, K and V, d_model is heads ·
/// d_v. `seen` is taken from `measures` if given; otherwise it is counted if the mask's rows are intervals,
/// and 1 if they are not.
LayerSize layer_size(const Document&, const Measures* measures = nullptr);

struct StageCost {
  Stage stage;
  double flops = 0;            // one multiply-add = 2; one comparison, exponential, tanh or division = 1
  double bytes = 0;            // staged: every input read once, every output written once
  double streaming_bytes = 0;  // bytes when scores and weights never leave the chip
};

/// Stages count the whole matrix, hidden keys too, as the staged path computes it. Linear attention is
/// counted in its recurrent form, which has no scores. A block's stages move the same bytes either way; its
/// first norm counts the queries' tokens.
struct LayerCost {
  double qkv_parameters = 0;     // W_Q, W_K, W_V (ViT-Base, d_model 768: 1,769,472) and latent projections
  double output_parameters = 0;  // W_O: ViT-Base has 589,824
  double bias_parameters = 0;
  double position_parameters = 0;  // of a learned position table
  double extra_parameters = 0;     // of a learned key and value
  double norm_parameters = 0;      // of QK-norm
  double sink_parameters = 0;      // of the softmax
  double block_parameters = 0;     // norms and MLP around attention
  std::vector<StageCost> stages;  // Query, Key, Value, Score … Mix, Output, and optional stages that are used
  double seen_flops = 0;          // without the cells that the mask hides, as block-sparse kernels count
  double flops = 0, bytes = 0, streaming_bytes = 0;
  /// Bytes held at once between Q, K, V and the output. Staged: the score matrices of all heads. Streaming: a
  /// running maximum and sum for every query (Milakov and Gimelshein 2018).
  double held = 0, streaming_held = 0;
  double cache = 0;  // bytes of the decoding cache: K and V of all keys, or their latents

  double parameters() const {
    return qkv_parameters + output_parameters + bias_parameters + position_parameters + extra_parameters +
           norm_parameters + sink_parameters + block_parameters;
  }
};

/// Streaming: queries are taken in blocks of 64 rows, and each block reads all keys and values once (Dao et
/// al. 2022). Sizes are at least 1 and their products fit into a double.
LayerCost cost_of(const LayerSize&);

}  // namespace attnscope
