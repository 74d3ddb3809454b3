// core/files/import: the sentences with which a tensor of a file is refused, and the check that every one of
// them goes through.
#pragma once

#include <string>
#include <string_view>

#include "core/files/formats/safetensors.hpp"

namespace attnscope {

/// "[2, 4, 8]"
std::string shape_text(const TensorEntry&);

/// Throws Error: "FILE": tensor "NAME" WHAT.
[[noreturn]] void refuse_tensor(const SafetensorsFile&, std::string_view name, const std::string& what);

/// Refuses a tensor that holds no values or none of a floating-point type. NaN and infinities are welcome.
void check_real(const SafetensorsFile&, const TensorEntry&);

/// Refuses what is neither boolean nor of a floating-point type.
void check_mask_type(const SafetensorsFile&, const TensorEntry&);

}  // namespace attnscope
