// core/files/import: files that other programs keep tensors in and that are not read here.
#pragma once

#include <filesystem>

namespace attnscope {

/// Throws Error for PyTorch's and other pickles, HDF5 and compressed files, whatever their names end in, and
/// for archives of NumPy whose name does not end in .npz: what the file is, and how its tensors are written
/// so that they can be opened. A file that cannot be read is refused where it is opened.
void refuse_container(const std::filesystem::path& path);

}  // namespace attnscope
