// app/cli: `attnscope lesson worksheet|instructor|quiz`: lessons on paper and for other programs.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace attnscope {

/// The lesson in the chosen language if that file exists: a.de.md beside a.md.
std::filesystem::path in_language(const std::filesystem::path& lesson,
                                  const std::optional<std::string>& language);

/// Adds them to `lesson`, which must outlive the returned function. Call that after the line was parsed: it
/// runs the command, or returns false if another command was given. Throws Error.
std::function<bool()> add_lesson_prints(CLI::App& lesson);

}  // namespace attnscope
