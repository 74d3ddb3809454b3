// core/files/formats: NPY, the format of numpy.save for one array. Read by memory map and written atomically.
// The reader trusts nothing: magic, version, header, dtype, shape and length are all checked before a byte of
// data is touched.
#pragma once

#include <filesystem>

#include "core/base/tensor.hpp"
#include "core/files/formats/npy_header.hpp"
#include "core/files/formats/read_values.hpp"
#include "core/files/formats/reading.hpp"

namespace attnscope {

/// Reads an array of format 1.0, 2.0 or 3.0, of bool, any integer, f2, f4 or f8 in either byte order, as
/// float or double (bool becomes 0 or 1). Arrays in Fortran order come back row-major; the shape () is a
/// scalar, and a dimension of 0 makes the array empty. Throws Error naming the path, what was found and what
/// was expected, also for more than Shape::max_rank dimensions and for a file that is too short or too long.
template <class T>
TensorOf<T> read_npy(const std::filesystem::path& path, Reading* reading = nullptr);

/// read_npy() for bytes from elsewhere; `where` names them in messages.
template <class T>
TensorOf<T> read_npy(const ByteSource&, const std::string& where, Reading* reading = nullptr);
/// Reads only the header, and checks that the data has the length it gives. Throws Error as read_npy().
NpyHeader npy_header(const ByteSource&, const std::string& where);

/// Only the shape, at most Shape::max_rank dimensions. Throws Error as read_npy().
Shape npy_shape(const std::filesystem::path& path);

/// Writes format 1.0, little-endian f4, the data aligned to 64 bytes, atomically. Throws Error.
void write_npy(const std::filesystem::path& path, const Tensor& tensor);

}  // namespace attnscope
