// core/files/archives: NPZ, the zip archive of arrays that numpy.savez and numpy.savez_compressed write, as
// if it were a safetensors file of the same tensors.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/files/formats/safetensors.hpp"

namespace attnscope {

/// Whether the file name ends in .npz.
bool is_npz(const std::filesystem::path& path);

/// The tensors have the names of the archive's entries without .npy. Only their headers are read here; values
/// are read when asked for, and then checked against the archive's checksum. Arrays that cannot be read are
/// left out; `left_out` (may be null) receives a clause on each: `"labels" has dtype "<U3" (strings), …`.
/// Throws Error naming the path, what was found and what was expected, also when no array can be read.
SafetensorsFile open_npz(const std::filesystem::path& path, std::vector<std::string>* left_out = nullptr);

/// Opens an NPZ file, or a safetensors file if the name has another ending.
SafetensorsFile open_tensors(const std::filesystem::path& path, std::vector<std::string>* left_out = nullptr);

}  // namespace attnscope
