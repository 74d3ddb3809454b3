// core/document: the settings of an attention layer: small values that the user changes. Each belongs to one
// stage (see stage.hpp) and can be combined with every other.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/norm.hpp"
#include "core/base/tensor.hpp"
#include "core/transformer/positions/settings.hpp"

namespace attnscope {

/// How a token becomes its vector. Both kinds give each distinct token its own vector, reproducible from the
/// seed.
enum class Embedding {
  Gaussian,   // d_model numbers from N(0, 1); positions are added over all of them
  HandBuilt,  // first half: the token (1, content word or not, its code), second half: the position
};

/// Queries and keys are normed before rotary positions, each head's d_k numbers or those of all heads at
/// once, and multiplied by learned weights (Parameter::QueryNorm, Parameter::KeyNorm; 1 without them): the
/// weights bound the scores however the projections grow (idea: Henry et al. 2020).
struct QkNorm {
  enum class Kind {
    None,
    RootMeanSquare,  // divided by the root mean square, as in Qwen3 and Gemma 3 (Zhang and Sennrich 2019)
    Layer,           // minus the mean, then divided: LayerNorm without bias, as in ViT-22B (Dehghani et al.
                     // 2023, section 2)
    AllHeads,        // divided by the root mean square over all heads, as in OLMo 2 (OLMo Team 2024)
  };
  Kind kind = Kind::None;
  float epsilon = 1e-6f;  // added to the mean square; > 0 and finite
  bool operator==(const QkNorm&) const = default;
};
/// Whether one number of a row divides the queries, or the keys, of all its heads.
inline bool norms_all_heads(const QkNorm& norm) { return norm.kind == QkNorm::Kind::AllHeads; }
/// Of a kind that is not None.
inline NormSettings norm_settings(const QkNorm& norm) {
  return {norm.kind == QkNorm::Kind::Layer ? NormKind::LayerNorm : NormKind::RmsNorm,
          static_cast<double>(norm.epsilon)};
}

/// Multi-head latent attention (DeepSeek-AI 2024, section 2.1): keys and values of all heads are projected
/// from one narrow vector for each token (Parameter::WLatent), see core/latent/latent.hpp.
struct Latent {
  int width = 0;        // of the content c that W_K and W_V read instead of X; 0 = off
  int shared = 0;       // of the key that all heads share, the first of the d_k dimensions; less than d_k
  int query_width = 0;  // of the latent that W_Q reads (Parameter::WQueryLatent); 0 = X itself
  /// Both latents, without the shared key, are divided by their root mean square and multiplied by learned
  /// weights (Parameter::LatentNorm, Parameter::QueryLatentNorm; 1 without them), as in DeepSeek's models.
  bool normed = true;
  float epsilon = 1e-6f;  // added to the mean square; > 0 and finite
  bool operator==(const Latent&) const = default;
};

/// The multiplier of the scores before the mask.
struct Scaling {
  enum class Kind { InverseSqrtDk, Off, Factor };
  Kind kind = Kind::InverseSqrtDk;
  float factor = 1;  // used when kind is Factor; finite
  bool operator==(const Scaling&) const = default;
};

/// Multiplier of the scores: 1/sqrt(d_k), 1, or the chosen factor.
inline double scale_factor(const Scaling& scaling, std::int64_t d_k) {
  if (scaling.kind == Scaling::Kind::InverseSqrtDk) return 1 / std::sqrt(static_cast<double>(d_k));
  return scaling.kind == Scaling::Kind::Off ? 1 : static_cast<double>(scaling.factor);
}
/// The setting that multiplies by `scale`; a factor of its own only where neither other kind does.
inline Scaling scaling_of(double scale, std::int64_t d_k) {
  for (const Scaling::Kind kind : {Scaling::Kind::InverseSqrtDk, Scaling::Kind::Off})
    if (scale_factor({.kind = kind}, d_k) == scale) return {.kind = kind};
  return {Scaling::Kind::Factor, static_cast<float>(scale)};
}

/// A sliding window around the query's own position p: keys p - left … p + right; -1 = open on that side.
struct Window {
  int left = -1, right = -1;
  bool operator==(const Window&) const = default;
  bool open() const { return left < 0 && right < 0; }
};

/// Sparse attention patterns. p is the query's position, j the key's.
struct Sparsity {
  enum class Kind {
    None,
    Strided,       // (p - j) mod stride = 0 (Child et al. 2019, the strided half)
    BlocksGlobal,  // p and j in the same block of `block` tokens, or one of them among the first `globals`
                   // (of Zaheer et al. 2020, without the neighbouring blocks and random links)
    Lsh,           // q_p and k_j share a bucket in at least one of `rounds` hashings (Kitaev et al. 2020)
    Windows,  // p and j are patches of an image of `grid` in a row, in the same square window (Liu et al.
              // 2021, section 3.2)
  };
  Kind kind = Kind::None;
  int stride = 3;          // >= 1
  int block = 4;           // >= 1
  int globals = 1;         // >= 0
  int lsh_buckets = 4;     // even, 2 … 1024
  int lsh_rounds = 1;      // 1 … 16
  std::uint64_t seed = 1;  // of the random rotations
  int grid = 4;            // patches in a row of the image, >= 1
  int side = 2;            // of a window, in patches, >= 1
  /// Windows begin this many patches later, down and right. Swin rolls the image by it and masks pairs across
  /// its edge, so windows at the edge are smaller. 0 … side - 1.
  int shift = 0;
  bool operator==(const Sparsity&) const = default;
};
/// The image of its windows.
inline ImageWindows image_of(const Sparsity& sparsity) { return {sparsity.grid, sparsity.side}; }

/// Deliberately wrong masks: mistakes that are common in real code.
enum class MaskMistake {
  None,
  DiagonalToo,   // a token does not see itself: causal with < instead of <=; the first sees nothing
  AfterSoftmax,  // weights of hidden keys are set to 0 after the softmax: rows no longer sum to 1
  Transposed,    // rows and columns swapped: causal shows a query itself and later tokens
  WrongAxis,     // the padding mask hides queries instead of keys
};

/// Which keys a query may see. All parts combine: a key is seen only if every part allows it.
struct Masking {
  /// The score of a hidden key. Stored as float16, -1e9 is -inf.
  enum class Hidden {
    MinusInfinity,
    MinusBillion,       // replaced by -1e9, as masked_fill does
    AddedMinusBillion,  // the score plus -1e9: NaN stays, and float32 rounds the score to multiples of 64
    LeastFinite,        // the least finite number of the Document's precision, whatever the score was:
                        // torch.finfo(dtype).min
  };

  bool causal = false;   // key <= query's position, see mask.hpp for the alignment
  bool padding = false;  // hide keys beyond the end of their sequence
  Window window;
  Sparsity sparsity;
  std::vector<int> heads;  // causal, window and sparsity apply to these heads only; empty = to all
  /// Null, or added to the capped scores: [1 or batch][1 or heads][queries][keys that belong to tokens]; -inf
  /// hides.
  TensorPtr additive;
  Hidden hidden = Hidden::MinusInfinity;
  MaskMistake mistake = MaskMistake::None;
  bool operator==(const Masking&) const = default;
};

/// The computation of the softmax.
enum class SoftmaxKind {
  Stable,  // the row's largest value is subtracted first
  Naive,  // exp(x) / Σ exp(x) as the formula has it: overflows to ∞ above 88.7 in float, and ∞ / ∞ is NaN; so
          // is 0 / 0 in a row of nothing but -inf
};

/// The softmax of a row of -inf only, where the formula gives 0 / 0. Not used by the naive softmax, which
/// gives NaN.
enum class EmptyRow {
  Zeros,       // as in PyTorch's fused kernels and FlexAttention: the head output is 0
  NotANumber,  // as in softmax() and nn.MultiheadAttention with need_weights
  Uniform,  // 1 / keys for every key, hidden ones too: where -inf is the least finite number, as in Hugging
            // Face's code
};

/// The pattern that replaces a head's own. The mask applies to all kinds but Frozen and Mean; p is the
/// query's position (see mask.hpp). If the one key is hidden or out of range, the row is uniform over the
/// keys the query may see; a row that may see none is zeros.
struct Intervention {
  enum class Kind {
    None,
    Mute,           // zero ablation: the head adds nothing to the output
    Uniform,        // the same weight on every key the query may see
    PreviousToken,  // all weight on key p - 1
    Identity,       // on key p, the query's own token
    FirstToken,     // on key 0
    Frozen,         // `frozen`, unchanged
    Mean,           // every row is the mean of the rows of the head's own weights: mean ablation
  };
  Kind kind = Kind::None;
  TensorPtr frozen = {};  // [batch][queries][keys], weights from 0 to 1; null for the other kinds
  bool operator==(const Intervention&) const = default;
};

/// Weights dropped at random, as in training (Srivastava et al. 2014); the others are multiplied by 1 / (1 -
/// rate).
struct Dropout {
  float rate = 0;  // 0 <= rate < 1; 0 = off, as in evaluation
  std::uint64_t seed = 1;
  bool operator==(const Dropout&) const = default;
};

/// The storage type of all stages' tensors. Sums run in float32 or float64 for any storage.
enum class Precision { Float32, BFloat16, Float16 };

/// The loss that is differentiated, a function of the output Y (of the concatenated heads C if given Q, K and
/// V have no W_O, of the output X₂ if there is a block).
struct Loss {
  enum class Kind {
    Off,
    Sum,          // Σ Y · G: G is the gradient that later layers pass to the output
    MeanSquared,  // mean (Y - G)²: G is the target
  };
  Kind kind = Kind::Off;
  TensorPtr given;  // G, shape of the output; null = ones for Sum; for MeanSquared X, taken as a constant
                    // (zeros where there is no such X)
  bool operator==(const Loss&) const = default;
};

}  // namespace attnscope
