// core/models: a text that was edited, or a model that was changed, run again: what does not follow from the
// edit is kept.
#pragma once

#include "core/models/run_model.hpp"

namespace attnscope {

/// What run_model() gives for `input`, to the bit (attention received, where tokens were only added, is
/// summed in another order). Of the same input with other changes it costs the blocks from the first one that
/// is changed otherwise. Of another text with the same changes it costs the tokens from the first one on that
/// differs; of encoders, and where an earlier row depends on later tokens or on their number (masks, given
/// positions, changes that look ahead, dynamic scaling of rotary positions), all is computed, as where both
/// differ or `before` was made with another request. Throws as run_model().
ModelRun run_again(const Model&, ModelRun before, ModelInput input, const RunRequest&, const Work&);

/// How many blocks of the stack that `of` attends in come before the first one in which the changes differ.
std::size_t blocks_alike(const ModelSpec&, AttentionOf of, const ModelChanges&, const ModelChanges&);

}  // namespace attnscope
