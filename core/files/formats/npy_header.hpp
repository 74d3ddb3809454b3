// core/files/formats: the header of an NPY file, a Python dictionary, checked in full. It is parsed from text
// alone, so tests can give it hostile headers without files.
#pragma once

#include <bit>
#include <string>
#include <string_view>

#include "core/base/tensor.hpp"
#include "core/files/formats/dtype.hpp"

namespace attnscope {

struct NpyHeader {
  DType dtype = DType::F32;  // a convertible type
  std::endian order = std::endian::little;
  bool fortran_order = false;  // the first index varies fastest, not the last
  Shape shape;
};

/// The text after magic, version and length: `{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }`,
/// its three keys in any order, then spaces and at most one line end. `where` names the file in messages.
/// Throws Error for anything else, and for shapes whose values cannot be counted in bytes.
NpyHeader parse_npy_header(std::string_view text, const std::string& where);

}  // namespace attnscope
