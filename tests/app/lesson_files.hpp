// tests/app: lessons that tests write, read and check.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

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

}  // namespace attnscope::test
