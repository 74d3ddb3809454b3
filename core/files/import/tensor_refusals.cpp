#include "core/files/import/tensor_refusals.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {

std::string shape_text(const TensorEntry& entry) { return fmt::format("[{}]", fmt::join(entry.shape, ", ")); }

void refuse_tensor(const SafetensorsFile& file, std::string_view name, const std::string& what) {
  throw Error(fmt::format("{}: tensor {} {}.", in_quotes(file.path().native()), in_quotes(name), what));
}

void check_real(const SafetensorsFile& file, const TensorEntry& entry) {
  if (std::find(entry.shape.begin(), entry.shape.end(), 0) != entry.shape.end())
    refuse_tensor(file, entry.name,
                  fmt::format("has shape {}, expected no dimension of 0", shape_text(entry)));
  if (!is_real(entry.dtype)) {
    refuse_tensor(file, entry.name,
                  fmt::format("has dtype {}, expected F16, BF16, F32 or F64", to_string(entry.dtype)));
  }
}

void check_mask_type(const SafetensorsFile& file, const TensorEntry& entry) {
  if (entry.dtype == DType::Bool || is_real(entry.dtype)) return;
  refuse_tensor(file, entry.name,
                fmt::format("has dtype {}, expected BOOL, F16, BF16, F32 or F64", to_string(entry.dtype)));
}

}  // namespace attnscope
