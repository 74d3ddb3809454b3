// core/files/formats: GGUF files that were split into several, as llama.cpp's gguf-split does.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "core/files/formats/gguf.hpp"

namespace attnscope {

/// The file alone; or, where its metadata says that it is one of several, NAME-00001-of-00003.gguf and so on,
/// in their order, whichever of them was given. The first has the metadata of the model. Throws Error as
/// GgufFile, and naming the part that is missing or is no part of this model.
std::vector<std::unique_ptr<const GgufFile>> open_gguf_parts(const std::filesystem::path& path);

}  // namespace attnscope
