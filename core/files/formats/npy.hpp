// core/files/formats: NPY, the file of one array that numpy.save writes. Read by memory map and written
// atomically. The reader trusts nothing: magic, version, header, dtype, shape and length are all checked
// before a byte of data is touched.
#pragma once

#include <filesystem>

#include "core/base/tensor.hpp"
#include "core/files/formats/npy_header.hpp"
#include "core/files/formats/read_values.hpp"
#include "core/files/formats/reading.hpp"

namespace attnscope {

/// The array of a file of format 1.0, 2.0 or 3.0, of bool, any integer, f2, f4 or f8 in either byte order, as
/// float or double (bool becomes 0 or 1). Arrays in Fortran order come back row-major; () is a scalar and a
/// dimension of 0 makes it empty. Throws Error naming the path, what was found and what was expected, also
/// for more than Shape::max_rank dimensions and for a file that is too short or too long.
template <class T>
TensorOf<T> read_npy(const std::filesystem::path& path, Reading* reading = nullptr);

/// The same of bytes that lie elsewhere; `where` names them in messages.
template <class T>
TensorOf<T> read_npy(const ByteSource&, const std::string& where, Reading* reading = nullptr);
/// What such bytes hold, whose header is read alone; the data is as long as it says. Throws Error as
/// read_npy().
NpyHeader npy_header(const ByteSource&, const std::string& where);

/// Its sizes alone, at most Shape::max_rank. Throws Error as read_npy().
Shape npy_shape(const std::filesystem::path& path);

/// Format 1.0, little-endian f4, the data aligned to 64 bytes; atomically. Throws Error.
void write_npy(const std::filesystem::path& path, const Tensor& tensor);

}  // namespace attnscope
