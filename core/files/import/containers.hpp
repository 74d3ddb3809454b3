// core/files/import: tensor containers of other programs that AttnScope does not read.
#pragma once

#include <filesystem>

namespace attnscope {

/// Throws Error for PyTorch's and other pickles, HDF5 and compressed files, whatever their ending, and for
/// NumPy archives whose name does not end in .npz. The message says what the file is and how to save its
/// tensors in a format that can be opened. A file that cannot be read passes: opening it fails later.
void refuse_container(const std::filesystem::path& path);

}  // namespace attnscope
