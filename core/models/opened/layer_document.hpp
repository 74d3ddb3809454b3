// core/models: a block of a model as a Document: what entered it as vectors, its weights as parameters, its
// arrangement as settings. Explore, Walk and Compare look at it like at any other layer; what a person
// changes there comes back as a change inside the model.
#pragma once

#include <optional>
#include <string>

#include "core/document/document.hpp"
#include "core/models/run_model.hpp"
#include "core/text/token.hpp"

namespace attnscope {

/// One block of a model with its weights as floats: shared by all Documents that look at it.
struct BlockTensors {
  AttentionOf of = AttentionOf::Decoder;
  int block = 0;
  LayerSpec layer;  // weights, positions, scale, mask, norms, MLP of the model, without changes
};
/// Throws Error with a sentence where a block of this kind cannot stand by itself.
BlockTensors block_tensors(const Model&, AttentionOf of, int block);

/// The block with what entered it in this run, with the run's changes of it (see impose()). Its stages have
/// the numbers of the run: queries, keys, weights, outputs and, of self-attention, what leaves the block.
Document layer_document(const Model&, const ModelRun&, const BlockTensors&, const Sequence& queries,
                        const Sequence& keys);

/// Sets what the changes say of this attention in the layer, over the model's own: scale, mask, temperature,
/// patterns of heads, muted heads.
void impose(const BlockTensors&, const ModelChanges&, LayerSpec&);

/// The other way: `layer` is a layer on which impose() was called with `before` and that a person then
/// edited. The changes that say the same; nothing where it was edited in a way that a model's changes cannot
/// say: then it is no layer of the model any more.
std::optional<ModelChanges> changes_like(const BlockTensors&, const ModelChanges& before,
                                         const LayerSpec& layer);

}  // namespace attnscope
