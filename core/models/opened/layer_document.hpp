// core/models/opened: a block of a model as a Document: its input as vectors, its weights as parameters, its
// arrangement as settings. Explore, Walk and Compare show it like any other layer; a user's edits become
// changes of the model (see layer_changes.hpp).
#pragma once

#include "core/document/document.hpp"
#include "core/models/opened/block_tensors.hpp"
#include "core/models/opened/layer_changes.hpp"
#include "core/models/run_model.hpp"
#include "core/text/token.hpp"

namespace attnscope {

/// The block with its input in this run and the run's changes of it (see impose() and left_out()). Its stages
/// equal the run's: queries, keys, weights, outputs, and the block's output, which is the next hidden state
/// or, for self-attention before cross-attention, the input of the latter. `queries` and `keys` are labels
/// for the rows of both, or empty; keys are for cross-attention only. Throws Error for a wrong number of
/// labels, and for rotary positions that do not count from 0.
Document layer_document(const Model&, const ModelRun&, const BlockTensors&, const Sequence& queries,
                        const Sequence& keys);

}  // namespace attnscope
