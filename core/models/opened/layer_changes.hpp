// core/models/opened: the changes inside a model as settings of the layer that one of its blocks is, and
// back: what a person edits in the layer becomes a change of the model.
#pragma once

#include <optional>
#include <string>

#include "core/models/opened/block_tensors.hpp"

namespace attnscope {

/// Sets what the changes say of this attention in the layer, over the model's own: scale, mask, temperature,
/// patterns of heads, muted heads; attention that is off as W_O of zeros without its bias, an MLP that is off
/// as none (where a norm follows it, as W_down of zeros without its bias). The mean of a head is that over
/// all tokens here, also over those that an input's mask hides.
void impose(const BlockTensors&, const ModelChanges&, LayerSpec&);

/// A sentence on what the changes do to heads of this attention and a layer cannot say: an output that is
/// replaced by other numbers, that changes in some rows only, or that is the mean of a pattern put in before.
/// Such a head has the pattern here that it has without. Empty where there is none.
std::string left_out(const BlockTensors&, const ModelChanges&);

/// The other way: `layer` is a layer on which impose() was called with `before` and that a person then
/// edited. The changes that say the same, `before` itself where nothing was edited; nothing where it was
/// edited in a way that a model's changes cannot say: then it is no layer of the model any more. A mask with
/// marks of its own, as that of an input with hidden tokens, is such an edit.
std::optional<ModelChanges> changes_like(const BlockTensors&, const ModelChanges& before,
                                         const LayerSpec& layer);

}  // namespace attnscope
