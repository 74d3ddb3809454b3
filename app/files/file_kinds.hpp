// app/files: which files are what by their names, and what a new one should be called.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "app/files/folder.hpp"

namespace attnscope {

enum class FileKind : std::uint8_t { Session, Tensors, Model, Text, Picture, Table, Other };

/// By the ending and, where any ending may be a text, by the size.
FileKind kind_of(const FolderEntry&);
/// Whether open_session() takes files of this kind.
bool can_be_opened(FileKind);
bool is_hidden(const FolderEntry&);
/// A PNG or JPEG by its ending: what a model of pictures looks at.
bool is_photo(const std::filesystem::path&);

/// A title as the name of a file: without what a path means something by, without an ending of its own, not
/// too long; `ending` with its dot comes behind it.
std::string suggested_name(std::string_view title, std::string_view ending);

/// "2026-11-22 16:04", in the time of the place; empty for 0.
std::string day_and_time(std::int64_t seconds);

}  // namespace attnscope
