// core/files/formats: a file is replaced whole or not at all.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace attnscope {

/// Writes the pieces to a temporary file beside `path`, syncs and renames it over `path`. Throws Error with
/// the path and the system's reason; `path` is then what it was and the temporary file is gone.
void write_atomically(const std::filesystem::path& path, std::span<const std::string_view> pieces);

}  // namespace attnscope
