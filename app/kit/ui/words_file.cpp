// app/kit/ui: string tables as files: one "< English" line and one "> translation" line after it.
#include <algorithm>
#include <fstream>
#include <optional>

#include <fmt/format.h>

#include "app/kit/ui/own_words.hpp"
#include "app/kit/ui/words.hpp"
#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr std::size_t most_words_bytes = 4'000'000;
constexpr std::string_view template_file = "english.txt";

/// Letters, digits, dashes and underscores: a code from a command line or a session cannot name another
/// directory.
bool is_code(std::string_view code) {
  return !code.empty() && code.size() <= 16 && std::all_of(code.begin(), code.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

std::filesystem::path path_of(const std::filesystem::path& assets, std::string_view code) {
  return assets / "languages" / (std::string(code) + ".txt");
}

class TableReader {
 public:
  TableReader(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  LanguageTable read() {
    if (text_.size() > most_words_bytes)
      throw Error(fmt::format("{} has {} bytes, expected a table of words with at most {}.", where_,
                              text_.size(), most_words_bytes));
    if (const auto bad = first_invalid_utf8(text_))
      throw Error(fmt::format("{}: byte {} is not UTF-8, expected a table of words.", where_, *bad));
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
    while (!text_.empty()) take(next_line());
    if (key_) refuse("the end", "\"> \" and the translation of line " + std::to_string(line_));
    if (table_.name.empty())
      throw Error(where_ + " does not say its language, expected a line like \"language Deutsch\".");
    return std::move(table_);
  }

 private:
  std::string_view next_line() {
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    std::string_view line = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == '\t'))
      line.remove_suffix(1);
    ++line_;
    return line;
  }

  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const {
    throw Error(fmt::format("{}, line {}: found {}, expected {}.", where_, line_, found, expected));
  }

  void take(std::string_view line) {
    constexpr std::string_view name = "language ", decimal = "decimal ", quotes = "quotes ";
    if (line.starts_with('>')) {
      take_translation(rest_of(line));
    } else if (key_) {
      refuse(in_quotes(line, 60), "\"> \" and the translation of the line before");
    } else if (line.starts_with('<')) {
      take_key(rest_of(line));
    } else if (line.starts_with(name)) {
      if (!table_.name.empty()) refuse("a second language", "one");
      table_.name = line.substr(name.size());
    } else if (line.starts_with(decimal)) {
      take_decimal(line.substr(decimal.size()));
    } else if (line.starts_with(quotes)) {
      take_quotes(line.substr(quotes.size()));
    } else if (!line.empty() && !line.starts_with('#')) {
      refuse(in_quotes(line, 60),
             R"(a line that begins with "#", "<", ">", "language", "decimal" or "quotes")");
    }
  }

  /// With a decimal comma, thousands are divided by a no-break space: a point would be read as a decimal
  /// point.
  void take_decimal(std::string_view sign) {
    if (sign != "." && sign != ",") refuse(in_quotes(sign, 60), R"("." or ",")");
    table_.decimal = sign;
    table_.thousands = sign == "," ? "\u00a0" : ",";
  }

  void take_quotes(std::string_view marks) {
    const std::size_t gap = marks.find(' ');
    const std::string_view end = marks.substr(std::min(gap, marks.size() - 1) + 1);
    if (gap == 0 || end.empty() || end.find(' ') != std::string_view::npos)
      refuse(in_quotes(marks, 60), "the two marks of a quotation with a space between them");
    table_.quote_begin = marks.substr(0, gap);
    table_.quote_end = end;
  }

  std::string_view rest_of(std::string_view line) const {
    line.remove_prefix(1);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (std::any_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }))
      refuse("a control character", "none");
    return line;
  }

  void take_key(std::string_view key) {
    const Phrase phrase = phrase_of(key, true);
    // The key of the text with own words in every place must be the key itself, or no text ever matches it.
    std::string sample = phrase.literals.front();
    for (std::size_t i = 0; i < phrase.arguments.size(); ++i) sample += own("x") + phrase.literals[i + 1];
    const std::string canonical = key_of(sample).text;
    if (canonical != key || !has_words(canonical))
      refuse(in_quotes(key, 60),
             has_words(canonical) ? in_quotes(canonical, 60) + ", as numbers are written" : "words");
    if (table_.phrases.contains(key)) refuse(in_quotes(key, 60) + " a second time", "it once");
    key_ = key;
    places_ = phrase.arguments.size();
  }

  void take_translation(std::string_view text) {
    if (!key_) refuse("a translation", "\"< \" and the English text before it");
    const std::string key = std::move(*key_);
    key_.reset();
    Phrase phrase = text.empty() ? phrase_of(key, true) : phrase_of(text, false);
    std::vector<std::size_t> used = phrase.arguments;
    std::sort(used.begin(), used.end());
    for (std::size_t i = 0; i < std::max(used.size(), places_); ++i) {
      if (i < used.size() && used[i] == i && i < places_) continue;
      refuse(in_quotes(text, 60), fmt::format("each of {} placeholders once", places_));
    }
    if (!text.empty()) table_.phrases.emplace(key, std::move(phrase));
  }

  /// A text with "{}", "{2}", "{{" and "}}". A key has only "{}".
  Phrase phrase_of(std::string_view text, bool is_key) const {
    Phrase phrase{{""}, {}};
    bool counted = false, numbered = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::string_view rest = text.substr(i);
      if (rest.starts_with("{{") || rest.starts_with("}}")) {
        phrase.literals.back() += rest[0];
        ++i;
      } else if (rest.starts_with("{}")) {
        counted = true;
        phrase.arguments.push_back(phrase.arguments.size());
        phrase.literals.emplace_back();
        ++i;
      } else if (!is_key && rest.size() >= 3 && rest[0] == '{' && rest[1] >= '1' && rest[1] <= '9' &&
                 rest[2] == '}') {
        numbered = true;
        phrase.arguments.push_back(static_cast<std::size_t>(rest[1] - '1'));
        phrase.literals.emplace_back();
        i += 2;
      } else if (rest[0] == '{' || rest[0] == '}') {
        refuse(in_quotes(rest.substr(0, 8)), is_key ? R"("{}" or "{{")" : R"("{}", "{1}" or "{{")");
      } else {
        phrase.literals.back() += rest[0];
      }
    }
    if (counted && numbered) refuse(in_quotes(text, 60), "placeholders that all have a number, or none");
    return phrase;
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t line_ = 0, places_ = 0;
  std::optional<std::string> key_;  // waits for its translation
  LanguageTable table_;
};

std::string table_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(most_words_bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  return text;
}

/// The language's name in its table; its code if the table has none.
std::string name_in(std::string_view text, const std::string& code) {
  constexpr std::string_view start = "language ";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t last = line.find_last_not_of("\r ");
    if (line.starts_with(start) && last >= start.size() && is_valid_utf8(line))
      return std::string(line.substr(start.size(), last + 1 - start.size()));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return code;
}

}  // namespace

LanguageTable read_table(std::string_view text, const std::string& where) {
  return TableReader(text, where).read();
}

LanguageTable load_table(const std::filesystem::path& assets, std::string_view code) {
  const std::filesystem::path path = path_of(assets, code);
  std::error_code missing;
  if (!is_code(code) || !std::filesystem::is_regular_file(path, missing)) {
    std::string there;
    for (const Language& language : list_languages(assets))
      there += (there.empty() ? "" : ", ") + language.code;
    throw Error(fmt::format("There is no language {}; there are: {}.", in_quotes(code, 40), there));
  }
  return read_table(table_bytes(path), in_quotes(path.native()));
}

std::vector<Language> list_languages(const std::filesystem::path& assets) {
  std::vector<Language> languages{{std::string(english), "English"}};
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(assets / "languages", missing)) {
    const std::string code = entry.path().stem().native();
    std::error_code unreadable;
    if (entry.path().extension() != ".txt" || entry.path().filename() == template_file || !is_code(code) ||
        code == english || !entry.is_regular_file(unreadable))
      continue;
    languages.push_back({code, name_in(table_bytes(entry.path()), code)});
  }
  std::sort(languages.begin() + 1, languages.end(),
            [](const Language& a, const Language& b) { return a.code < b.code; });
  return languages;
}

std::string preferred_language(std::string_view language, std::string_view lang,
                               const std::vector<Language>& there) {
  std::string requests = std::string(language) + ":" + std::string(lang);
  std::string_view left = requests;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(':'), left.size());
    const std::string_view request = left.substr(0, end),
                           code = request.substr(0, request.find_first_of("_.@"));
    left.remove_prefix(std::min(end + 1, left.size()));
    for (const Language& known : there)
      if (known.code == code) return known.code;
  }
  return std::string(english);
}

}  // namespace attnscope
