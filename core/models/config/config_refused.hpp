// core/models/config: refuses models whose config.json has settings that change the result and are not read
// for their family. Only .cpp files of this room include it.
#pragma once

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/spec.hpp"

namespace attnscope {

/// Throws FieldError naming the first key whose value differs from what is computed and that is not read for
/// this family. `spec`: the result of reading.
void refuse_unread(const ConfigObject&, const Family&, const ModelSpec& spec);

}  // namespace attnscope
