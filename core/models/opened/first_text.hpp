// core/models/opened: the text with which a model opens.
#pragma once

#include "core/models/opened/opened_model.hpp"

namespace attnscope {

/// A sentence that suits the model, to begin with: decoders are to go on with it, encoders fill its mask.
ModelText first_text(const OpenedModel&);

}  // namespace attnscope
