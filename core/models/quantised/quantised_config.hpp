// core/models/quantised: reads quantization_config. Only .cpp files that read configs include it, since it
// includes the JSON library.
#pragma once

#include "core/models/quantised/quantised_form.hpp"
#include "core/transformer/families/config_object.hpp"

namespace attnscope {

/// How the weights are quantised; Method::None if the config does not say so. Throws FieldError for what is
/// not read, with what to do.
QuantisedForm quantised_form(const ConfigObject&);

}  // namespace attnscope
