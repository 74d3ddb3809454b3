// core/document: what is known of a Document whose numbers come from a file that held only a part of a head.
// What is not known is computed from zeros and must not be shown.
#pragma once

#include "core/document/document.hpp"
#include "core/document/stage.hpp"

namespace attnscope {

/// Whether queries, keys and what follows from them up to the mask are known; and the values, with all that
/// they are mixed to.
bool knows_scores(const Document&);
bool knows_values(const Document&);
/// Whether a stage's numbers are those of the model. Of weights alone only the weights are.
bool is_known(const Document&, Stage);

}  // namespace attnscope
