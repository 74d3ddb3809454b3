// core/models: runs an edited text or a changed model again and keeps what the edit does not affect.
#pragma once

#include "core/models/run_model.hpp"

namespace attnscope {

/// The result of run_model() for `input`, to the bit (attention received is summed in another order if tokens
/// were only added). For the same input with other changes, it computes the blocks from the first one that
/// differs. For another text with the same changes, it computes the tokens from the first one that differs.
/// Everything is computed for encoders; if an earlier row depends on later tokens or on their number (masks,
/// given positions, changes that look ahead, dynamic scaling of rotary positions); if both input and changes
/// differ; and if `before` was made with another request. Throws as run_model().
ModelRun run_again(const Model&, ModelRun before, ModelInput input, const RunRequest&, const Work&);

/// The number of blocks, of the stack in which `of` attends, before the first one whose changes differ.
std::size_t blocks_alike(const ModelSpec&, AttentionOf of, const ModelChanges&, const ModelChanges&);

}  // namespace attnscope
