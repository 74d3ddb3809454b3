// core/models/opened: a model's changes as settings of the layer that shows one of its blocks, and back: a
// user's edit of the layer becomes a change of the model.
#pragma once

#include <optional>
#include <string>

#include "core/models/opened/block_tensors.hpp"

namespace attnscope {

/// Applies the changes of this attention to the layer: scale, mask, temperature, patterns of heads, muted
/// heads. Attention that is off becomes W_O of zeros without its bias; an MLP that is off is removed (if a
/// norm follows it, W_down becomes zeros without its bias). Here the mean of a head is over all tokens,
/// including those that an input's mask hides.
void impose(const BlockTensors&, const ModelChanges&, LayerSpec&);

/// A sentence on changes to heads of this attention that a layer cannot express: an output that is replaced
/// by other numbers, that changes only in some rows, or that is the mean of a replaced pattern. Such a head
/// has its unchanged pattern in the layer. Empty if there are none.
std::string left_out(const BlockTensors&, const ModelChanges&);

/// The inverse: `layer` is a layer on which impose() was called with `before` and that a user then edited.
/// Returns the changes that express the edits; `before` itself if nothing was edited; nothing if a model's
/// changes cannot express an edit: then it is no longer a layer of the model. A mask with marks of its own,
/// as for an input with hidden tokens, is such an edit.
std::optional<ModelChanges> changes_like(const BlockTensors&, const ModelChanges& before,
                                         const LayerSpec& layer);

}  // namespace attnscope
