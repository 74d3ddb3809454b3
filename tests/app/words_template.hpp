// tests/app: the template of the languages, and tours of the interface that meet its texts.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "robot/words_tour.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::test {

inline const std::filesystem::path words_template =
    std::filesystem::path(ATTNSCOPE_ASSETS) / "languages" / "english.txt";

/// Its keys; empty when there is none.
inline std::set<std::string> keys_of_template() {
  std::set<std::string> keys;
  std::ifstream file(words_template);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("< ")) keys.insert(line.substr(2));
  return keys;
}

/// The working directory while it lives.
class Inside {
 public:
  explicit Inside(const std::filesystem::path& directory) { std::filesystem::current_path(directory); }
  ~Inside() { std::filesystem::current_path(was_); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  std::filesystem::path was_ = std::filesystem::current_path();
};

/// The keys of texts that were met, each with the part of a tour that met it first.
using MetWords = std::map<std::string, std::string>;

inline void take_tour(TourPiece piece, MetWords& met) {
  const TemporaryDirectory directory;
  const Inside inside(directory.path());  // a path typed or saved without a directory ends there
  Robot robot({.width = 1600, .height = 2400});
  met.merge(MetWords(WordsTour(robot, directory.path()).run(piece)));
}

/// Whether the template is to be written anew (see words_tour_test.cpp), so that it need not be whole yet.
inline bool template_is_asked_for() { return std::getenv("ATTNSCOPE_DESCRIBE") != nullptr; }

inline void check_known(const MetWords& met) {
  const std::set<std::string> known = keys_of_template();
  for (const auto& [key, part] : met) {
    INFO(part << ": " << key);
    CHECK(known.contains(key));
  }
}

}  // namespace attnscope::test
