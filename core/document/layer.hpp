// core/document: one attention layer with its weights, and the block of a transformer around it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/shared_value.hpp"
#include "core/base/tensor.hpp"
#include "core/document/block_settings.hpp"
#include "core/document/parameters.hpp"
#include "core/document/settings.hpp"

namespace attnscope {

/// The origin of W_Q, W_K, W_V and W_O. The recipe is kept so that seed, heads and width can be changed and
/// session files stay small; computations read the matrices.
enum class Recipe {
  Random,     // Xavier normal from the seed
  HandBuilt,  // eight heads, each with a known pattern, see core/weights/hand_built.hpp
  Given,      // the numbers themselves, from a file or edited by hand
};

/// How the matrices of Recipe::Random are drawn. They are [fan_in][fan_out].
enum class Initialiser {
  Xavier,      // N(0, 2 / (fan_in + fan_out)) (Glorot and Bengio 2010)
  Normal,      // N(0, 0.02²), whatever the width (Radford et al. 2018, section 4.1)
  Identity,    // 1 on the diagonal, 0 elsewhere
  Orthogonal,  // orthonormal columns, or rows if these are fewer (Saxe et al. 2014)
  Linear,  // uniform in ±1/√fan_in, biases too: PyTorch's nn.Linear (He et al. 2015 with a = √5), σ = 1/√(3
           // fan_in)
};

/// How one matrix deviates from the recipe.
struct BlockRecipe {
  struct Drawn {
    Initialiser initialiser = Initialiser::Xavier;
    std::uint64_t seed = 0;
    bool operator==(const Drawn&) const = default;
  };
  std::optional<Drawn> drawn;  // drawn separately; nullopt = by the recipe
  float gain = 1;              // the factor its numbers were multiplied by; > 0 and finite
  bool operator==(const BlockRecipe&) const = default;
};

/// Projections in the row-vector convention y = x·W + b.
struct Weights {
  Recipe recipe = Recipe::Random;
  std::uint64_t seed = 7;
  float noise =
      0;  // HandBuilt: standard deviation of Gaussian noise added to every weight, x 1/sqrt(d_model)
  bool biases = false;                            // Random: add random biases as well
  Initialiser initialiser = Initialiser::Xavier;  // Random: of all four matrices
  std::array<BlockRecipe, 4> blocks;              // by Projection
  /// With recipe Given: the recipe that made the matrices before their numbers were edited by hand, so that
  /// each can be reset; Given if they came from a file. Ignored with other recipes.
  Recipe made_by = Recipe::Given;
  bool fused = false;  // compute Q, K and V as one tensor and split it; the same bits, except with a cache

  /// Names and shapes: parameter_table. The learned key and value are both there or both null.
  Parameters<float> parameters;
  /// The pattern each head was built for; empty unless HandBuilt. A head whose W_Q or W_K was edited by hand
  /// has an empty name, since it may no longer have the pattern.
  std::vector<std::string> head_names;

  const TensorPtr& operator[](Parameter which) const { return parameters[which]; }
  TensorPtr& operator[](Parameter which) { return parameters[which]; }
  const BlockRecipe& of(Projection which) const { return blocks[static_cast<std::size_t>(which)]; }
  BlockRecipe& of(Projection which) { return blocks[static_cast<std::size_t>(which)]; }
  bool operator==(const Weights&) const = default;
};

/// One attention layer: sizes, settings and parameters. Of the sizes only d_model is the same in all layers
/// of a model.
struct LayerSpec {
  int d_model = 64;
  int heads = 8;
  int kv_heads =
      0;  // heads of keys and values: grouped-query when fewer than heads, multi-query when 1; 0 = heads
  int d_k = 0;  // width of a head's queries and keys; 0 = d_model / heads
  int d_v = 0;  // width of a head's values; 0 = as wide as queries and keys
  Weights weights;
  Positions positions = Positions::Sinusoidal;
  PositionSettings position_settings;
  QkNorm qk_norm;
  Latent latent;
  bool add_zero_attn =
      false;  // one more key and value of zeros that every query sees: somewhere to put unwanted weight
  Scaling scaling;
  float soft_cap = 0;  // 0 = off; else scaled scores x become c·tanh(x / c) before the mask; >= 0 and finite
  Masking masking;
  SoftmaxKind softmax = SoftmaxKind::Stable;
  EmptyRow empty_row = EmptyRow::Zeros;
  float temperature = 1;  // softmax(masked / temperature); > 0 and finite
  bool linear = false;  // linear attention: values are mixed with φ(Q)φ(K)ᵀ weights instead of softmax's
  std::vector<Intervention> interventions;  // one for each head; empty = no head is intervened on
  Dropout dropout;
  BlockSettings block;
  bool operator==(const LayerSpec&) const = default;
};

/// A block of a transformer: the attention layer, whose settings include the rest of the block.
struct Block {
  LayerSpec layer;
  bool operator==(const Block&) const = default;
};

/// The blocks of a Document in the order of the residual stream; at least one. Each is shared with copies of
/// the Document until one of them changes it, so an edit in one block of a model copies that block only.
class Blocks {
 public:
  /// One block.
  Blocks() : blocks_(1, SharedValue<Block>(Block{})) {}

  std::size_t size() const { return blocks_.size(); }
  const Block& operator[](std::size_t index) const { return blocks_[index].read(); }
  /// The block to be changed, see SharedValue::change().
  Block& change(std::size_t index) { return blocks_[index].change(); }
  /// An address that is equal if two Documents share the block.
  const void* identity(std::size_t index) const { return blocks_[index].identity(); }
  bool operator==(const Blocks&) const = default;

 private:
  std::vector<SharedValue<Block>> blocks_;
};

}  // namespace attnscope
