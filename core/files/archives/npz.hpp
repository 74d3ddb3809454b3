// core/files/archives: NPZ, the zip archive of arrays that numpy.savez and numpy.savez_compressed write, as
// if it were a safetensors file of the same tensors.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/files/formats/safetensors.hpp"

namespace attnscope {

/// Whether it ends in .npz.
bool is_npz(const std::filesystem::path& path);

/// The arrays have the names of the archive's entries without .npy; only their headers are read until their
/// values are asked for, which are then checked against the archive's checksum. Arrays that cannot be read
/// are left out; `left_out` (null: it is not wanted) has a clause on each, ""labels" has dtype "<U3"
/// (strings), …". Throws Error naming the path, what was found and what was expected, also when there is no
/// array that can be read.
SafetensorsFile open_npz(const std::filesystem::path& path, std::vector<std::string>* left_out = nullptr);

/// An NPZ file or, where the name ends otherwise, a safetensors file.
SafetensorsFile open_tensors(const std::filesystem::path& path, std::vector<std::string>* left_out = nullptr);

}  // namespace attnscope
