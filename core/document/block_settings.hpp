// core/document: settings of the block of a transformer around an attention layer: norms, residual additions
// and the MLP. The one place that defines what each arrangement norms, and with which parameters.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/activation.hpp"
#include "core/base/norm.hpp"
#include "core/document/parameters.hpp"
#include "core/document/stage.hpp"
#include "core/transformer/arrangement.hpp"

namespace attnscope {

struct BlockSettings {
  Arrangement kind = Arrangement::None;  // None: the other members are ignored
  NormKind norm = NormKind::LayerNorm;
  float epsilon = 1e-5f;           // added to the mean square; > 0 and finite
  bool attention_residual = true;  // x is added to the output of attention
  bool mlp_residual = true;        // x is added to the MLP's output; always on for Parallel
  bool mlp = true;
  bool gated = false;  // f(x·W_gate)·(x·W_up) instead of f(x·W_up) (Shazeer 2020)
  Activation activation = Activation::Gelu;
  int d_inner = 0;  // width of the MLP; 0 = 4·d_model
  bool operator==(const BlockSettings&) const = default;
};

inline bool has_block(const BlockSettings& block) { return block.kind != Arrangement::None; }
inline bool has_mlp(const BlockSettings& block) { return has_block(block) && block.mlp; }
/// Width of the MLP; 0 without one.
std::int64_t inner_width(const BlockSettings&, std::int64_t d_model);

/// Of all norms of the block.
inline NormSettings norm_settings(const BlockSettings& block) {
  return {block.norm, static_cast<double>(block.epsilon)};
}

/// The norm of a stage.
struct StageNorm {
  NormSettings settings;
  Parameter weight, bias;  // missing: weight 1 (0 where 1 is added), bias 0
  bool has_bias;
};
/// The norm of a stage; nullopt if the stage leaves its rows unchanged.
std::optional<StageNorm> norm_at(const BlockSettings&, Stage);

/// Whether a block with these settings reads the parameter; false for parameters that are not of a block.
bool reads(const BlockSettings&, Parameter);

}  // namespace attnscope
