// app/exports/prints: pages for the instructor: of each lesson its goal, time, plan, board sketch, questions
// with their answers, and the misconceptions that the wrong choices stand for.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "app/exports/prints/print_parts.hpp"
#include "app/exports/prints/printed_lesson.hpp"

namespace attnscope::prints {

/// The file's bytes, each lesson on pages of its own. Throws Error if the frame in `assets`/html cannot be
/// read.
std::string instructor_pages(std::span<const PrintedLesson>, const PrintWords&,
                             const std::filesystem::path& assets);

}  // namespace attnscope::prints
