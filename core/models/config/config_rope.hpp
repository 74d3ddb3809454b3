// core/models: what config.json says of rotary positions. For .cpp files of this room only.
#pragma once

#include "core/document/rope_frequencies.hpp"
#include "core/models/config/config_object.hpp"

namespace attnscope {

/// "rope_parameters" of transformers 5, "rope_theta" and "rope_scaling" of version 4; where a config has both
/// objects, "rope_scaling" counts. `d_k`: of a head; `positions`: of the model. Source: transformers 5.24,
/// modeling_rope_utils.py. Throws FieldError, also for a key of these objects that is not known here.
RopeSettings rope_of(const ConfigObject&, const FamilyRow&, int d_k, int positions);

}  // namespace attnscope
