// tests/app: lessons that tests write, read and check.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/lessons/check.hpp"
#include "core/base/error.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::test {

inline std::filesystem::path written_lesson(const TemporaryDirectory& directory, const std::string& text,
                                            const char* name = "a.md") {
  std::ofstream(directory / name, std::ios::binary) << text;
  return directory / name;
}

/// The checker's result for this text as a.md.
inline lessons::CheckedLesson checked_lesson(const std::string& text) {
  const TemporaryDirectory directory;
  return lessons::check_lesson(written_lesson(directory, text));
}

/// Checks that the lesson is refused with a message that has these words.
inline void refused_lesson(const std::string& text, const std::string& words) {
  INFO(text);
  CHECK_THROWS_MATCHES(lessons::parse_lesson(text, "a.md"), Error,
                       Catch::Matchers::MessageMatches(Catch::Matchers::ContainsSubstring(words)));
}

/// A lesson of these steps on the tokens a, b, c. Its first step begins in line 7. Row c, row 2, has scores
/// 2, 1, 1 and weights .5035, .2483, .2483.
inline std::string lesson(const std::string& steps) {
  return "---\nlesson: x\n---\n```start\n"
         R"x({"given": {"tokens": [["a", "b", "c"]], "query": [[[[1, 0], [0, 1], [1, 1]]]], )x"
         R"x("key": [[[[1, 1], [0, 1], [1, 0]]]], "value": [[[[2, 1], [1, 3], [0, 2]]]]}, )x"
         R"x("scale": "1/sqrt(d_k)", "temperature": 1.0, "mask": {"causal": false, "padding": false}})x"
         "\n```\n" +
         steps;
}
/// The block of a step that says what is seen.
inline std::string look(const std::string& lines) { return "```look\n" + lines + "\n```\n"; }
/// All warnings of a lesson() that can be played.
inline std::vector<std::string> warnings(const std::string& steps) {
  const lessons::CheckedLesson found = checked_lesson(lesson(steps));
  INFO(steps << fmt::format("{}", fmt::join(found.problems, "\n")));
  CHECK(found.problems.empty());
  return found.warnings;
}

/// Checks that a lesson that comes with the program can be played and gives nothing away.
inline void check_shipped_lesson(const std::filesystem::path& file) {
  const lessons::CheckedLesson found = lessons::check_lesson(file);
  INFO(file.filename() << fmt::format("{} {}", fmt::join(found.problems, "\n"),
                                      fmt::join(found.warnings, "\n")));
  CHECK(found.problems.empty());
  CHECK(found.warnings.empty());
  CHECK(found.played);
}
inline void check_shipped_lesson(const std::string& name) {
  check_shipped_lesson(std::filesystem::path(ATTNSCOPE_ASSETS) / "lessons" / (name + ".md"));
}

}  // namespace attnscope::test
