#include "tests/robot/source_words.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "app/kit/ui/own_words.hpp"
#include "app/kit/ui/words.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr std::string_view not_known = "<?>";
/// Letters, so that a part with nothing but unknown words in it counts as one with words.
const std::string marked_unknown = std::string("XX") + unknown_piece;

std::string contents_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void replace_all(std::string& text, std::string_view old, std::string_view with) {
  for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + with.size()))
    text.replace(at, old.size(), with);
}

/// Whole sentences in front of others are parts of their own.
void divide_sentences(std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != unknown_piece) continue;
    if (i >= 2 && text[i - 1] == ' ' && text[i - 2] == '.') text.insert(i++, " ");
    if (i + 2 < text.size() && text[i + 1] == ' ' && text[i + 2] >= 'A' && text[i + 2] <= 'Z')
      text.insert(i + 1, " ");
  }
}

}  // namespace

void add_words(const ProgramText& made, std::vector<SourceWords>& all) {
  std::string text = made.text;
  if (!is_valid_utf8(text)) return;  // bytes of a file
  if (const std::size_t id = text.find("##"); id != std::string::npos) text.resize(id);
  divide_sentences(text);
  replace_all(text, "{}", own("x"));  // filled in elsewhere
  replace_all(text, std::string_view(&unknown_piece, 1), marked_unknown);
  Words words;
  words.watch = [&](std::string_view key, bool) {
    if (key == marked_unknown) return;  // made of texts from elsewhere in the sources
    SourceWords part{std::string(key), made.file, made.line,
                     key.find(marked_unknown) == std::string_view::npos};
    replace_all(part.key, marked_unknown, not_known);
    all.push_back(std::move(part));
  };
  std::string room;
  words.translated(text, room);
}

std::vector<SourceWords> words_of_sources(const std::filesystem::path& root,
                                          const std::vector<std::string>& folders,
                                          std::string_view left_out) {
  SourceProgram program;
  for (const std::string& folder : folders)
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::filesystem::path& path = entry.path();
      const std::string name = std::filesystem::relative(path, root).native();
      if ((path.extension() == ".cpp" || path.extension() == ".hpp") && !name.starts_with(left_out))
        program.add(name, contents_of(path));
    }
  std::vector<SourceWords> all;
  for (const ProgramText& text : program.texts()) add_words(text, all);
  return all;
}

std::vector<SourceWords> words_of_source(std::string_view source) {
  SourceProgram program;
  program.add("a.cpp", source);
  std::vector<SourceWords> all;
  for (const ProgramText& text : program.texts()) add_words(text, all);
  return all;
}

bool can_say(std::string_view unresolved, std::string_view key) {
  const std::size_t first = unresolved.find(not_known);
  if (first == std::string_view::npos) return unresolved == key;
  if (!key.starts_with(unresolved.substr(0, first))) return false;
  key.remove_prefix(first);
  unresolved.remove_prefix(first + not_known.size());
  for (std::size_t next; (next = unresolved.find(not_known)) != std::string_view::npos;) {
    const std::size_t found = key.find(unresolved.substr(0, next));
    if (found == std::string_view::npos) return false;
    key.remove_prefix(found + next);
    unresolved.remove_prefix(next + not_known.size());
  }
  return key.ends_with(unresolved);
}

}  // namespace attnscope
