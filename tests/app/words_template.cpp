#include "app/words_template.hpp"

#include <algorithm>
#include <array>
#include <fstream>

#include "app/scene/page_facts.hpp"

namespace attnscope::test {
namespace {

const std::filesystem::path sources = std::filesystem::path(ATTNSCOPE_ASSETS).parent_path();

/// Rooms and files of the interface whose texts no window shows: messages of the command line, for writers of
/// lessons and tables (they name the line of the file), of SVG and OpenGL; keys of sessions and columns of
/// tables; search words of the palette; formulas, which are marked as own words as a whole.
constexpr auto not_on_screen = std::to_array<std::string_view>({"app/cli/",
                                                                "app/lessons/",
                                                                "app/kit/draw/",
                                                                "app/kit/gl/",
                                                                "app/window/",
                                                                "app/kit/ui/",
                                                                "app/main.cpp",
                                                                "app/exports/copied_command.cpp",
                                                                "app/exports/export.cpp",
                                                                "app/exports/html/page_",
                                                                "app/exports/model_tables.cpp",
                                                                "app/exports/prints/",
                                                                "app/exports/sentence.cpp",
                                                                "app/exports/split_tables.",
                                                                "app/files/file_kinds.",
                                                                "app/files/paths.",
                                                                "app/results/changed_model.",
                                                                "app/session/autosave.cpp",
                                                                "app/session/closed.cpp",
                                                                "app/session/look.cpp",
                                                                "app/session/session_trace.cpp",
                                                                "app/shell/still.cpp",
                                                                "app/state/regions/",
                                                                "app/state/session_fields.hpp",
                                                                "app/state/start_state.cpp",
                                                                "app/state/teaching/lesson_state.cpp",
                                                                "app/training/lab_state.",
                                                                "app/state/window_state.hpp",
                                                                "app/state/viewing.cpp",
                                                                "app/views/palette/controls.cpp",
                                                                "app/views/palette/entries.cpp",
                                                                "app/views/palette/other_words.cpp",
                                                                "app/walk/panel_formulas.cpp",
                                                                "app/state/page/mode.hpp",
                                                                "app/state/stage_names.hpp",
                                                                "app/state/compare_state.",
                                                                "app/walk/walk_state.",
                                                                "app/pages/experiments/experiment_state.",
                                                                "app/pages/experiments/palette_rows.cpp",
                                                                "app/pages/lessons/palette_rows.cpp",
                                                                "app/pages/model/palette_rows.cpp",
                                                                "app/pages/model/state/model_state.",
                                                                "core/training/tasks/lexicon",
                                                                "core/training/tasks/grammar"});
/// Files and rooms of core with tables of words that the interface draws.
constexpr std::array<std::string_view, 15> drawn_of_core{"core/analysis/head_patterns.cpp",
                                                         "core/base/activation.cpp",
                                                         "core/document/enum_names.hpp",
                                                         "core/document/stage.hpp",
                                                         "core/edits/",
                                                         "core/engine/live_engine.cpp",
                                                         "core/engine/model/model_engine.cpp",
                                                         "core/engine/model/model_work.cpp",
                                                         "core/engine/streamed_document.cpp",
                                                         "core/models/opened/layer_document.cpp",
                                                         "core/readouts/head_scores.cpp",
                                                         "core/readouts/stream.cpp",
                                                         "core/training/tasks/",
                                                         "core/transformer/positions.hpp",
                                                         "core/weights/head_kinds.cpp"};

bool is_one_of(const std::string& file, const auto& places) {
  return std::any_of(places.begin(), places.end(),
                     [&](std::string_view place) { return file.starts_with(place); });
}

const std::set<std::string>& not_shown() {
  static const std::set<std::string> all = [] {
    std::set<std::string> lines;
    std::ifstream file(std::filesystem::path(ATTNSCOPE_TESTS) / "app" / "words_not_shown.txt");
    for (std::string line; std::getline(file, line);)
      if (!line.starts_with('#')) lines.insert(line);
    return lines;
  }();
  return all;
}

}  // namespace

Entries entries_of(const std::filesystem::path& path) {
  Entries all;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("< ")) all.emplace_back(line.substr(2), "");
    if (line.starts_with("> ") && !all.empty()) all.back().second = line.substr(2);
  }
  return all;
}

std::set<std::string> keys_of_template() {
  std::set<std::string> keys;
  for (const auto& [key, translation] : entries_of(words_template)) keys.insert(key);
  return keys;
}

const std::vector<SourceWords>& all_source_words() {
  // The gallery's words are examples for designers, in English alone.
  static const std::vector<SourceWords> all =
      words_of_sources(sources, {"app", "core", "gpu"}, "app/kit/gallery");
  return all;
}

/// A name with underscores is one of a column or a tensor in files: "effect_kl".
bool is_name_in_files(std::string_view text) {
  return text.find('_') != text.npos && std::ranges::all_of(text, [](char letter) {
           return letter == '_' || (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
         });
}

/// A page is called so in sessions, on the command line and in the names of pictures, in every language.
bool is_name_of_page(const SourceWords& part) {
  if (!part.file.starts_with("app/pages/") || !part.file.ends_with("/page.cpp")) return false;
  return std::ranges::any_of(page_facts(), [&](const PageFacts* page) {
    return part.key == page->mode.name || part.key == page->picture_file;
  });
}

bool is_shown(const SourceWords& part) {
  if (is_name_in_files(part.key) || is_name_of_page(part)) return false;
  const bool is_there = part.file.starts_with("app/") || is_one_of(part.file, drawn_of_core);
  return is_there && !is_one_of(part.file, not_on_screen);
}

std::map<std::string, std::string> shown_words() {
  std::map<std::string, std::string> all;
  for (const SourceWords& part : all_source_words()) {
    std::string line = part.file + ": " + part.key;
    std::replace(line.begin(), line.end(), '\n', ' ');
    if (is_shown(part) && !not_shown().contains(line))
      all.try_emplace(part.key, part.file + ":" + std::to_string(part.line));
  }
  return all;
}

std::vector<std::string> lacking_in(const std::set<std::string>& table,
                                    const std::map<std::string, std::string>& shown) {
  std::vector<std::string> all;
  for (const auto& [key, place] : shown)
    if (!table.contains(key)) all.push_back(place + ": " + key);
  return all;
}

}  // namespace attnscope::test
