// core/models/config: the rotary positions in config.json. Only .cpp files of this room include it.
#pragma once

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/positions/rope_frequencies.hpp"

namespace attnscope {

/// Reads "rope_parameters" (transformers 5), or "rope_theta" and "rope_scaling" (version 4); if a config has
/// both objects, "rope_scaling" counts. `d_k`: of a head; `positions`: of the model. Source: transformers
/// 5.24, modeling_rope_utils.py. Throws FieldError, also for unknown keys of these objects.
PositionSettings rope_of(const ConfigObject&, const Family&, int d_k, int positions);
/// The same for the blocks with a window of a family whose kinds of blocks have settings of their own.
PositionSettings local_rope_of(const ConfigObject&, const Family&, int d_k, int positions);

}  // namespace attnscope
