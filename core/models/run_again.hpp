// core/models: a text that was edited, run again: rows before the first token that changed are kept.
#pragma once

#include "core/models/run_model.hpp"

namespace attnscope {

/// What run_model() gives for `input`, to the bit (attention received, where tokens were only added, is
/// summed in another order), at the cost of the tokens from the first one on that differs from those of
/// `before`. Of encoders, and where an earlier row depends on later tokens or on their number (masks, given
/// positions, changes that look ahead, dynamic scaling of rotary positions), or was made with another
/// request, all is computed. Throws as run_model().
ModelRun run_again(const Model&, ModelRun before, ModelInput input, const RunRequest&, const Work&);

}  // namespace attnscope
