// tests/robot: the texts of the sources as the string table sees them.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/robot/source_program.hpp"

namespace attnscope {

/// A part of a text, see Words.
struct SourceWords {
  std::string key;   // "<?>" where the scanner cannot resolve a part
  std::string file;  // from the root of the sources: "app/views/walk/page.cpp"
  int line = 0;
  bool is_resolved = true;  // no "<?>" in it
};

/// The parts with words of an expression's text. The rest after "##" is for Dear ImGui.
void add_words(const ProgramText&, std::vector<SourceWords>& all);
/// Of all C++ files in these folders and their subfolders, except those whose path begins with `left_out`.
std::vector<SourceWords> words_of_sources(const std::filesystem::path& root,
                                          const std::vector<std::string>& folders, std::string_view left_out);
/// Of one file.
std::vector<SourceWords> words_of_source(std::string_view source);

/// Whether an unresolved text can become this key: "Cannot read <?>." says "Cannot read \"{}\".".
bool can_say(std::string_view unresolved, std::string_view key);

}  // namespace attnscope
