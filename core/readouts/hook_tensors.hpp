// core/readouts: what a run computed, under the names that TransformerLens gives to its hook points, in its
// shapes: scripts that were written for an ActivationCache read such a file instead.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/models/run_model.hpp"

namespace attnscope {

/// Of which blocks; the names without a block are always there.
struct HookBlocks {
  int first = 0, last = -1;  // -1: the last there is
};

/// Throws Error with a sentence where a model has no such names here: encoders, encoder-decoders and models
/// of pictures, blocks whose stream is no sum (see check_is_sum()).
void check_hook_names(const Model&);

/// The number of floats that hook_tensors() gives in all.
double count_hook_numbers(const Model&, const ModelRun&, const HookBlocks&);

/// Calls take(name, values) for each tensor, without the dimension of the batch; n rows, h heads:
///   hook_embed, hook_pos_embed (learned positions) [n][d_model]
///   blocks.{l}.hook_resid_pre, .hook_resid_mid (not of parallel blocks), .hook_resid_post, .hook_attn_out,
///   .hook_mlp_out [n][d_model]
///   blocks.{l}.attn.hook_q, .hook_z [n][h][d_head]; .hook_k, .hook_v [n][key-value heads][d_head]: q and k
///   before rotary positions and norms of heads, .hook_rot_q and .hook_rot_k behind them, where there are any
///   blocks.{l}.attn.hook_attn_scores, .hook_pattern [h][queries][keys]: scores as they enter the softmax,
///   -inf where the mask hides a key
///   ln_final.hook_normalized [n][d_model]
/// The numbers are those of HookedTransformer.from_pretrained_no_processing: nothing is folded into weights
/// or centred. Changes of the run are in them: the scores of a head whose pattern was replaced are its own.
/// `told(share)` is called now and then, with 0 … 1. Throws Error as check_hook_names(), or Cancelled.
void hook_tensors(const Model&, const ModelRun&, const HookBlocks&,
                  const std::function<void(std::string name, Tensor values)>& take, const Work&,
                  const std::function<void(double)>& told = {});

}  // namespace attnscope
