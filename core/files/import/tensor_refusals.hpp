// core/files/import: error messages about a tensor of a file, and the checks of its type.
#pragma once

#include <string>
#include <string_view>

#include "core/files/formats/safetensors.hpp"

namespace attnscope {

/// "[2, 4, 8]"
std::string shape_text(const TensorEntry&);

/// Throws Error with the message: "FILE": tensor "NAME" WHAT.
[[noreturn]] void refuse_tensor(const SafetensorsFile&, std::string_view name, const std::string& what);

/// Throws Error if a tensor holds no values or is not of a floating-point type. NaN and infinities are
/// allowed.
void check_real(const SafetensorsFile&, const TensorEntry&);

/// Throws Error if a mask is neither boolean nor of a floating-point type.
void check_mask_type(const SafetensorsFile&, const TensorEntry&);

}  // namespace attnscope
