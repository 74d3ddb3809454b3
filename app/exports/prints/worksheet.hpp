// app/exports/prints: a lesson's worksheet, a page for browsers that is made to be printed: an exercise with
// empty tables, the lesson's questions with room to write, and the answers on pages of their own at the end.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "app/exports/prints/print_parts.hpp"
#include "app/exports/prints/printed_lesson.hpp"

namespace attnscope::prints {

/// The file's bytes: the same for the same lesson, seed and language. Throws Error if the frame in
/// `assets`/html cannot be read.
std::string worksheet(const PrintedLesson&, const PrintWords&, const std::filesystem::path& assets);
/// Several sheets of one lesson in one file: first the sheets, then their keys.
std::string worksheets(std::span<const PrintedLesson>, const PrintWords&,
                       const std::filesystem::path& assets);

}  // namespace attnscope::prints
