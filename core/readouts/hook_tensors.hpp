// core/readouts: the results of a run under TransformerLens' names of hook points and in its shapes, so that
// scripts for an ActivationCache can read such a file instead.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/models/run_model.hpp"

namespace attnscope {

/// The blocks to include; names without a block are always included.
struct HookBlocks {
  int first = 0, last = -1;  // -1: the last one
};

/// Throws Error if these names do not apply to the model: encoders, encoder-decoders, models of pictures, and
/// blocks whose residual stream is not a sum (see check_is_sum()).
void check_hook_names(const Model&);

/// The total number of floats that hook_tensors() produces.
double count_hook_numbers(const Model&, const ModelRun&, const HookBlocks&);

/// Calls take(name, values) for each tensor, without the dimension of the batch; n rows, h heads:
///   hook_embed, hook_pos_embed (learned positions) [n][d_model]
///   blocks.{l}.hook_resid_pre, .hook_resid_mid (not of parallel blocks), .hook_resid_post, .hook_attn_out,
///   .hook_mlp_out [n][d_model]
/// blocks.{l}.attn.hook_q, .hook_z [n][h][d_head]; .hook_k, .hook_v [n][key-value heads][d_head]: q and k
///   before rotary positions and head norms; .hook_rot_q and .hook_rot_k after them, if there are any
///   blocks.{l}.attn.hook_attn_scores, .hook_pattern [h][queries][keys]: scores as they enter the softmax,
///   -inf where the mask hides a key; no scores of a block whose settings are not swept
///   ln_final.hook_normalized [n][d_model]
/// The numbers are those of HookedTransformer.from_pretrained_no_processing: nothing is folded into weights
/// or centred. They include the run's changes, but the scores of a head whose pattern was replaced are its
/// own. `told(share)` is called from time to time, with 0 … 1. Throws Error as check_hook_names(), or
/// Cancelled.
void hook_tensors(const Model&, const ModelRun&, const HookBlocks&,
                  const std::function<void(std::string name, Tensor values)>& take, const Work&,
                  const std::function<void(double)>& told = {});

}  // namespace attnscope
