// app/files: kinds of files by their names, and suggested names for new files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "app/files/folder.hpp"

namespace attnscope {

enum class FileKind : std::uint8_t { Session, Tensors, Model, Text, Picture, Table, Other };

/// The kind by the extension and, if any extension may be a text, by the size.
FileKind kind_of(const FolderEntry&);
/// Whether open_session() takes files of this kind.
bool can_be_opened(FileKind);
bool is_hidden(const FolderEntry&);
/// Whether it is a PNG or JPEG by its extension: input of vision models.
bool is_photo(const std::filesystem::path&);

/// A title as a file name: without characters that are special in paths, without an extension of its own, not
/// too long; then `ending`, with its dot.
std::string suggested_name(std::string_view title, std::string_view ending);

/// What a lesson is printed as besides a handout: a worksheet or pages for the instructor, as HTML to be
/// printed from a browser; a quiz for a spreadsheet, for Moodle (GIFT) or for other platforms (QTI).
enum class LessonPrint : std::uint8_t { None, Worksheet, Instructor, QuizCsv, QuizGift, QuizQti };
struct PrintFile {
  std::string_view name, ending;  // what it adds to a file's name, and its extension; empty for None
};
PrintFile print_file(LessonPrint);

/// "2026-11-22 16:04", local time; empty for 0.
std::string day_and_time(std::int64_t seconds);

}  // namespace attnscope
