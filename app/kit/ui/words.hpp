// app/kit/ui: the string table. The code has its texts in English; the English text is the key of its
// translation in a table. assets/languages/README.md describes the file.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace attnscope {

/// A translation: literals[0], argument arguments[0], literals[1], …; one literal more than arguments.
struct Phrase {
  std::vector<std::string> literals;
  std::vector<std::size_t> arguments;  // which of the key's placeholders, from 0
};

/// The form in which a table has a text: "{}" for numbers, own words, inner texts and the contents of
/// straight quotes.
struct Key {
  std::string text;
  std::vector<std::string_view> arguments;  // views of the text; those of inner texts have their marks
  std::vector<bool> is_number;              // of each argument
};
/// The key of one part of a text, see Words.
Key key_of(std::string_view part);
/// Whether there is anything to translate: two letters of the Latin alphabet in a row.
bool has_words(std::string_view text);

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

/// A language: its own name, how it writes numbers and quotations, and its words.
struct LanguageTable {
  std::string name;
  std::string decimal = ".", thousands = ",";
  std::string quote_begin = "“", quote_end = "”";  // for a quotation outside translated words
  std::unordered_map<std::string, Phrase, TextHash, std::equal_to<>> phrases;
};

/// The table in the text of a file. Throws Error that names `where`, the line, what was found and what was
/// expected.
LanguageTable read_table(std::string_view text, const std::string& where);
/// The table of a language. Throws Error for a code that has no file, and for a file that is not a table.
LanguageTable load_table(const std::filesystem::path& assets, std::string_view code);

/// A language that can be chosen; English, which needs no table, comes first.
struct Language {
  std::string code, name;  // "de", "Deutsch"
};
inline constexpr std::string_view english = "en";
/// Every table in `assets/languages`, in the order of their codes.
std::vector<Language> list_languages(const std::filesystem::path& assets);
/// The language that the values of LANGUAGE and LANG select ("de_AT:fr", "de_DE.UTF-8"), else English.
std::string preferred_language(std::string_view language, std::string_view lang,
                               const std::vector<Language>& there);

/// Translates texts into the chosen language. A text is translated in parts: sentence by sentence, and at " ·
/// " and two or more spaces. Numbers have the language's decimal sign everywhere but in own words, in
/// straight quotes and in parts that stay English. For one thread.
class Words {
 public:
  /// Changes the language for all later texts.
  void speak(LanguageTable table);
  void speak_english();
  bool is_english() const { return english_; }

  /// The text to draw, without marks. It is valid until the next call and while `text` and `room` live. A
  /// part that the table does not have stays English.
  std::string_view translated(std::string_view text, std::string& room) const;

  /// For tests: called with the key of every part of a new text, and whether the table has it.
  std::function<void(std::string_view key, bool known)> watch;

 private:
  std::string translated(std::string_view text) const;
  void append(std::string& to, std::string_view part) const;
  std::string said_argument(std::string_view argument, bool is_number) const;
  /// "0.46" as "0,46" in languages with a decimal comma; a list like "0,1" stays a list.
  std::string said_number(std::string_view number) const;
  /// Own words; their numbers are converted if own_number() marked them.
  std::string said_own(std::string_view word) const;
  /// An untranslated text with its numbers converted.
  void append_numbers(std::string& to, std::string_view text) const;
  /// The same with the language's quotation marks, except inside own words.
  void append_literal(std::string& to, std::string_view text) const;
  /// Translates a part whose only words are in its inner texts.
  void append_arguments(std::string& to, std::string_view part) const;

  static constexpr std::size_t most_kept = 4096;
  bool english_ = true;
  LanguageTable table_;
  mutable std::unordered_map<std::string, std::string, TextHash, std::equal_to<>> kept_;
};

}  // namespace attnscope
