#include "tests/robot/source_words.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

#include "app/ui/own_words.hpp"
#include "app/ui/words.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

std::string contents_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Walks over a source file and collects its literals.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<std::string> literals() {
    while (at_ < text_.size()) {
      if (rest().starts_with("//") || rest().starts_with("#include")) {
        to_end_of_line();
      } else if (text_[at_] == '\'') {
        skip_character();
      } else if (text_[at_] == '"') {
        literal();
      } else {
        joined_ = joined_ && std::isspace(static_cast<unsigned char>(text_[at_])) != 0;
        ++at_;
      }
    }
    return all_;
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }
  void to_end_of_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  /// 'x' or '\n'; a separator of digits (1'000) is none.
  void skip_character() {
    joined_ = false;
    const bool digits = at_ > 0 && std::isalnum(static_cast<unsigned char>(text_[at_ - 1])) != 0;
    ++at_;
    if (digits) return;
    while (at_ < text_.size() && text_[at_] != '\'') at_ += text_[at_] == '\\' ? 2 : 1;
    ++at_;
  }

  void literal() {
    if (!joined_) all_.emplace_back();
    joined_ = true;
    std::string& out = all_.back();
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] != '\\') {
        out += text_[at_];
        continue;
      }
      const char escaped = text_[++at_];
      if (escaped == 'u') {
        out += rest().substr(0, 5) == "u2212" ? "\u2212" : "?";
        at_ += 4;
      } else if (escaped == 'x') {
        out += '\x01';  // a byte: not a text
      } else {
        out += escaped == 'n' ? '\n' : escaped;
      }
    }
    ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool joined_ = false;  // only spaces since the last literal
  std::vector<std::string> all_;
};

/// "{}", "{0}" and "{:.4g}" of fmt as words of a person, which a key has "{}" for.
std::string with_own_words(std::string_view literal) {
  std::string out;
  for (std::size_t at = 0; at < literal.size();) {
    const std::size_t end = literal[at] == '{' ? literal.find('}', at) : std::string_view::npos;
    if (end != std::string_view::npos && end - at < 8) {
      out += own("x");
      at = end + 1;
    } else {
      out += literal[at++];
    }
  }
  return out;
}

/// Of two letters and more.
template <class F>
void for_each_word(std::string_view text, F&& f) {
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const bool letter = at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])) != 0 &&
                        static_cast<unsigned char>(text[at]) < 128;
    if (letter) continue;
    if (at - begin >= 2) f(text.substr(begin, at - begin));
    begin = at + 1;
  }
}

bool is_source(const std::filesystem::path& path) {
  return path.extension() == ".cpp" || path.extension() == ".hpp";
}

void add_file(const std::filesystem::path& path, std::vector<SourceText>& all) {
  Words words;
  words.watch = [&](std::string_view key, bool) {
    all.push_back({std::string(key), path.filename().native()});
  };
  for (const std::string& literal : Scanner(contents_of(path)).literals()) {
    if (literal.find('\x01') != std::string::npos || !is_valid_utf8(literal)) continue;
    std::string room;
    words.translated(with_own_words(literal), room);
  }
}

}  // namespace

std::vector<SourceText> source_texts(const std::filesystem::path& path) {
  std::vector<SourceText> all;
  if (std::filesystem::is_regular_file(path)) {
    add_file(path, all);
    return all;
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
    if (entry.is_regular_file() && is_source(entry.path())) add_file(entry.path(), all);
  return all;
}

FileWords words_by_file(const std::vector<SourceText>& texts) {
  FileWords all;
  for (const SourceText& text : texts)
    for_each_word(text.key, [&](std::string_view word) { all[text.file].emplace(word); });
  return all;
}

bool said_in(const FileWords& files, std::string_view key) {
  const auto units = files.find("number_format.cpp");  // "GiB" belongs to the number, wherever it is said
  return std::any_of(files.begin(), files.end(), [&](const auto& file) {
    bool all = true;
    for_each_word(key, [&](std::string_view word) {
      all = all && (file.second.contains(word) || (units != files.end() && units->second.contains(word)));
    });
    return all;
  });
}

bool has_pieces_of(std::string_view key, std::string_view text) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find("{}", at), text.size());
    std::string_view piece = text.substr(at, end - at);
    while (!piece.empty() && (piece.front() == ' ' || piece.front() == '"')) piece.remove_prefix(1);
    while (!piece.empty() && (piece.back() == ' ' || piece.back() == '"')) piece.remove_suffix(1);
    if (has_words(piece) && key.find(piece) == std::string_view::npos) return false;
    at = end + 2;
  }
  return true;
}

bool is_sentence(std::string_view text) {
  int words = 0;
  for_each_word(text, [&](std::string_view) { ++words; });
  return words >= 4 || (words >= 2 && text.ends_with('.'));
}

}  // namespace attnscope
