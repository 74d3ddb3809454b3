// core/models/opened: a block of a model as a Document: what entered it as vectors, its weights as
// parameters, its arrangement as settings. Explore, Walk and Compare look at it like at any other layer; what
// a person changes there comes back as a change inside the model (see layer_changes.hpp).
#pragma once

#include "core/document/document.hpp"
#include "core/models/opened/block_tensors.hpp"
#include "core/models/opened/layer_changes.hpp"
#include "core/models/run_model.hpp"
#include "core/text/token.hpp"

namespace attnscope {

/// The block with what entered it in this run, with the run's changes of it (see impose() and left_out()).
/// Its stages have the numbers of the run: queries, keys, weights, outputs and what leaves the block: the
/// next hidden state, or what cross-attention takes from the self-attention before it. `queries` and `keys`
/// are labels of the rows of both, or empty; keys are asked for of cross-attention alone. Throws Error with a
/// sentence: labels of another number, rotary positions that do not count from 0.
Document layer_document(const Model&, const ModelRun&, const BlockTensors&, const Sequence& queries,
                        const Sequence& keys);

}  // namespace attnscope
