// core/models/opened: the first text of a model that was just opened.
#pragma once

#include "core/models/opened/opened_model.hpp"

namespace attnscope {

/// A sentence that suits the model: for decoders one to continue, for encoders one with a mask.
ModelText first_text(const OpenedModel&);

}  // namespace attnscope
