// core/models/opened: a model's changes as settings of the layer that shows one of its blocks, and back: a
// user's edit of the layer becomes a change of the model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/models/opened/block_tensors.hpp"
#include "core/models/run_model.hpp"

namespace attnscope {

/// What a layer inside a model needs to know of the run besides its input.
struct RunSizes {
  std::int64_t queries = 0, keys = 0;
  TensorPtr hidden = {};  // −∞ at the keys that the input's own mask hides, [1][1][queries][keys]; or null
};
RunSizes sizes_of(const Model&, const ModelRun&, const BlockTensors&);

/// Whether a block inside a model can have these positions: those that need no table and are not added to the
/// tokens, or those of `own`, the block's layer.
bool can_have_inside(Positions, const LayerSpec& own);

/// Applies the changes of this attention to the layer: scale, mask, temperature, other settings of its
/// attention, patterns of heads, muted heads. Attention that is off becomes W_O of zeros without its bias; an
/// MLP that is off is removed (if a norm follows it, W_down becomes zeros without its bias). Here the mean of
/// a head is over all tokens, including those that an input's mask hides.
void impose(const BlockTensors&, const ModelChanges&, const RunSizes&, LayerSpec&);

/// A sentence on changes to heads of this attention that a layer cannot express: an output that is replaced
/// by other numbers, that changes only in some rows, or that is the mean of a replaced pattern. Such a head
/// has its unchanged pattern in the layer. Empty if there are none.
std::string left_out(const BlockTensors&, const ModelChanges&);

/// The inverse: `shown` is a layer on which impose() was called with `before`, and `layer` what a user made
/// of it. Returns the changes that express the edits; `before` itself if nothing was edited; nothing if a
/// model's changes cannot express an edit: then it is no longer a layer of the model, see why_outside().
std::optional<ModelChanges> changes_like(const BlockTensors&, const ModelChanges& before,
                                         const LayerSpec& shown, const LayerSpec& layer);

/// A sentence on the first edit between the two layers that no change inside a model can express.
std::string_view why_outside(AttentionOf, const LayerSpec& shown, const LayerSpec& layer);

}  // namespace attnscope
