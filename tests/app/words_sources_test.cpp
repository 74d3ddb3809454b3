// Every sentence that the sources of the interface have is in assets/languages/english.txt, also those that
// only show when something seldom happens, which the tour of words_tour_test.cpp does not meet.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/words_template.hpp"
#include "robot/source_words.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::words_sources_test {

namespace {

const std::filesystem::path sources = std::filesystem::path(ATTNSCOPE_ASSETS).parent_path();

/// Files whose texts no window shows: the words of the command line, of SVG files and of OpenGL, keys of
/// sessions, and refusals of tables, which a translator reads.
constexpr std::array<std::string_view, 8> not_on_screen{
    "render.cpp",         "svg.cpp",   "words_file.cpp", "imgui_host.cpp",
    "session_fields.hpp", "paths.cpp", "window.cpp",     "main.cpp"};
/// Names of areas that the robot looks for and of colours, a text to begin with, and pieces of a list.
constexpr std::array<std::string_view, 13> names{
    "Leave the first steps",    "Mask for: This head",     "What differs in A",
    "What differs in B",        "compare entropy per row", "compare entropy of head",
    "Jacobian of the row",      "Jacobian of the head",    "Picture of the middle",
    "Blue to orange on paper",  "How it was looked at.",   "{} keys of \"{}\" that are not known here.",
    "le chat dort sur le tapis"};
/// Where the palette keeps what people call things, in small letters: it is searched, never shown.
constexpr std::array<std::string_view, 3> of_palette{"entries.cpp", "controls.cpp", "other_words.cpp"};
/// What the core tells a person who sets something that cannot be.
constexpr std::array<const char*, 3> told_by_core{"core/streaming/from_document.cpp",
                                                  "core/engine/live_engine.cpp", "core/edits/mask.cpp"};

std::vector<SourceText> shown_texts() {
  std::vector<SourceText> all = source_texts(sources / "app");
  const auto left_out = [](const SourceText& text) {
    const bool searched = std::find(of_palette.begin(), of_palette.end(), text.file) != of_palette.end() &&
                          (text.key[0] < 'A' || text.key[0] > 'Z');
    return searched ||
           std::find(not_on_screen.begin(), not_on_screen.end(), text.file) != not_on_screen.end() ||
           std::find(names.begin(), names.end(), text.key) != names.end();
  };
  all.erase(std::remove_if(all.begin(), all.end(), left_out), all.end());
  // Whose words go to a terminal, or to who writes a lesson: they name the line of its file.
  std::set<std::string> terminal;
  for (const char* room : {"cli", "lessons"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(sources / "app" / room))
      terminal.insert(entry.path().filename().native());
  std::erase_if(all, [&](const SourceText& text) { return terminal.contains(text.file); });
  for (const char* file : told_by_core) {
    const std::vector<SourceText> more = source_texts(sources / file);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

/// Names of keys that Dear ImGui has, what the system says, and a line whose end is another file's.
constexpr std::array<std::string_view, 5> of_others{
    "PageUp", "last change: {} ms for all stages and measures; a click shows each",
    "\"{}\" is not valid UTF-{}: byte {} ({}xff) does not belong to a character.",
    "Cannot read \"{}\": No such file or directory.", "Cannot write \"{}\": No such file or directory."};

}  // namespace

TEST_CASE("words: literals are read as the compiler and the string table read them", "[words]") {
  const test::TemporaryDirectory directory;
  const std::filesystem::path file = directory.write(
      "a.cpp",
      "// \"not this one\"\n#include \"nor/this.hpp\"\nconst char c = '\"';\nint n = 10'000;\n"
      "say(\"The first \"\n    \"sentence. The second \\u2212 one.\");\n"
      "say(fmt::format(\"Head {} of {:.2f}\", 3, 4), \"is not \\\"shown\\\" here\", \"\\xEF\");\n");
  std::vector<std::string> keys;
  for (const SourceText& text : source_texts(file)) keys.push_back(text.key);
  CHECK(keys == std::vector<std::string>{"The first sentence.", "The second − one.", "Head {} of {}",
                                         "is not \"{}\" here"});
  const FileWords words = words_by_file(source_texts(file));
  CHECK(said_in(words, "Head {} of second sentence."));
  CHECK_FALSE(said_in(words, "Head {} of third sentence."));
  CHECK(has_pieces_of("Cannot write \"{}\": it is a directory.", "Cannot write {}: it is a"));
  CHECK_FALSE(has_pieces_of("Cannot write \"{}\": it is a directory.", "Cannot read {}: it is a"));
  CHECK(is_sentence("It ends."));
  CHECK(is_sentence("four words in it"));
  CHECK_FALSE(is_sentence("compare largest weights"));
}

TEST_CASE("words: every sentence in the sources is in the template of the languages", "[words]") {
  const std::set<std::string> keys = test::keys_of_template();
  REQUIRE(keys.size() > 1000);
  std::size_t sentences = 0;
  for (const SourceText& text : shown_texts()) {
    if (!is_sentence(text.key)) continue;
    ++sentences;
    INFO(text.file << ": " << text.key);
    CHECK(std::any_of(keys.begin(), keys.end(),
                      [&](const std::string& key) { return has_pieces_of(key, text.key); }));
  }
  CHECK(sentences > 400);
}

TEST_CASE("words: every text of the template is said somewhere", "[words]") {
  std::vector<SourceText> all;
  for (const char* room : {"app", "core", "gpu"}) {
    const std::vector<SourceText> more = source_texts(sources / room);
    all.insert(all.end(), more.begin(), more.end());
  }
  const FileWords said = words_by_file(all);
  for (const std::string& key : test::keys_of_template()) {
    INFO("nobody says this any more: " << key);
    CHECK((said_in(said, key) || std::find(of_others.begin(), of_others.end(), key) != of_others.end()));
  }
}

}  // namespace attnscope::words_sources_test
