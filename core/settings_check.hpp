// core: the part of check() that looks at single settings, apart from the sizes of tensors.
#pragma once

#include "core/document.hpp"

namespace attnscope {

/// Throws Error with a sentence that names the setting, its value and what it may be.
void check_settings(const Document&);

}  // namespace attnscope
