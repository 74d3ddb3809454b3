// core/models: settings of config.json that change what a model computes and that its family here does not
// read: such a model is refused by their names. For .cpp files of this room only.
#pragma once

#include "core/models/config/config_object.hpp"
#include "core/models/config/spec.hpp"

namespace attnscope {

/// Throws FieldError naming the first key that is there, says something else than what is computed, and is
/// read by no family. `spec` is what was read.
void refuse_unread(const ConfigObject&, const FamilyRow&, const ModelSpec& spec);

/// Throws FieldError where a config says that its weights are quantised in a way that Checkpoint does not
/// read.
void refuse_quantised(const ConfigObject&);

}  // namespace attnscope
