// core/transformer/families: how families of pictures say how a picture is cut.
#pragma once

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/spec.hpp"

namespace attnscope {

/// "num_channels", "image_size" and "patch_size", by default the given side. Throws FieldError unless patches
/// are square.
ImageSpec image_of(const ConfigObject&, int patch_side);

}  // namespace attnscope
