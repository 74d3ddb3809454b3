// core/document: which stages are known if the file held only some tensors of a head. Unknown stages are
// computed from zeros and must not be shown.
#pragma once

#include "core/document/document.hpp"
#include "core/document/stage.hpp"

namespace attnscope {

/// Whether queries, keys and the stages up to the mask are known; whether values and the stages after the
/// weights are.
bool knows_scores(const Document&);
bool knows_values(const Document&);
/// Whether a stage's numbers are those of the model. If the file held only weights, only the weights are
/// known.
bool is_known(const Document&, Stage);

}  // namespace attnscope
