// core/files/formats: GGUF files that were split into several, as llama.cpp's gguf-split does.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "core/files/formats/gguf.hpp"

namespace attnscope {

/// Of one model, in their order.
using GgufParts = std::vector<std::unique_ptr<const GgufFile>>;

/// The file alone; if its metadata says that it is one of several, NAME-00001-of-00003.gguf and so on in
/// their order, whichever of them `path` is. The first part has the model's metadata. Throws Error as
/// GgufFile, and naming a part that is missing or belongs to another model.
GgufParts open_gguf_parts(const std::filesystem::path& path);

}  // namespace attnscope
