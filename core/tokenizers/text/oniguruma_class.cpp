#include "core/tokenizers/text/oniguruma_class.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"
#include "core/tokenizers/text/characters.hpp"

namespace attnscope::tokenizers {
namespace {

constexpr const char* word_set = R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc})";
constexpr const char* word_set_alone = R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{b2}\x{b3}\x{b9}\x{bc}-\x{be})";
constexpr const char* any_character = R"([\x{0}-\x{10ffff}])";
constexpr int deepest_class = 50;

struct NamedSet {
  std::string_view name;  // in lower case, without spaces, _ and -
  CharacterSet set;
};

/// Names of \p{…}; PCRE2 knows those of scripts, binary properties and short categories itself.
const std::vector<NamedSet>& named_sets() {
  static const std::vector<NamedSet> sets{{"alnum", {R"(\p{Alphabetic}\p{Nd})"}},
                                          {"alpha", {R"(\p{Alphabetic})"}},
                                          {"blank", {R"(\t\p{Zs})"}},
                                          {"cntrl", {R"(\p{Cc})"}},
                                          {"digit", {R"(\p{Nd})"}},
                                          {"graph", {R"(\p{White_Space}\p{Cc}\p{Cn}\p{Cs})", true}},
                                          {"lower", {R"(\p{Lowercase})"}},
                                          {"print", {R"(\p{Zl}\p{Zp}\p{Cc}\p{Cn}\p{Cs})", true}},
                                          {"punct", {R"(\p{P})"}},
                                          {"space", {R"(\p{White_Space})"}},
                                          {"upper", {R"(\p{Uppercase})"}},
                                          {"xdigit", {"0-9A-Fa-f"}},
                                          {"word", {word_set}},
                                          {"ascii", {R"(\x{0}-\x{7f})"}},
                                          {"assigned", {R"(\p{Cn})", true}},
                                          {"lc", {R"(\p{L&})"}},
                                          {"casedletter", {R"(\p{L&})"}},
                                          {"letter", {R"(\p{L})"}},
                                          {"uppercaseletter", {R"(\p{Lu})"}},
                                          {"lowercaseletter", {R"(\p{Ll})"}},
                                          {"titlecaseletter", {R"(\p{Lt})"}},
                                          {"modifierletter", {R"(\p{Lm})"}},
                                          {"otherletter", {R"(\p{Lo})"}},
                                          {"mark", {R"(\p{M})"}},
                                          {"combiningmark", {R"(\p{M})"}},
                                          {"nonspacingmark", {R"(\p{Mn})"}},
                                          {"spacingmark", {R"(\p{Mc})"}},
                                          {"enclosingmark", {R"(\p{Me})"}},
                                          {"number", {R"(\p{N})"}},
                                          {"decimalnumber", {R"(\p{Nd})"}},
                                          {"letternumber", {R"(\p{Nl})"}},
                                          {"othernumber", {R"(\p{No})"}},
                                          {"punctuation", {R"(\p{P})"}},
                                          {"connectorpunctuation", {R"(\p{Pc})"}},
                                          {"dashpunctuation", {R"(\p{Pd})"}},
                                          {"openpunctuation", {R"(\p{Ps})"}},
                                          {"closepunctuation", {R"(\p{Pe})"}},
                                          {"initialpunctuation", {R"(\p{Pi})"}},
                                          {"finalpunctuation", {R"(\p{Pf})"}},
                                          {"otherpunctuation", {R"(\p{Po})"}},
                                          {"symbol", {R"(\p{S})"}},
                                          {"mathsymbol", {R"(\p{Sm})"}},
                                          {"currencysymbol", {R"(\p{Sc})"}},
                                          {"modifiersymbol", {R"(\p{Sk})"}},
                                          {"othersymbol", {R"(\p{So})"}},
                                          {"separator", {R"(\p{Z})"}},
                                          {"spaceseparator", {R"(\p{Zs})"}},
                                          {"lineseparator", {R"(\p{Zl})"}},
                                          {"paragraphseparator", {R"(\p{Zp})"}},
                                          {"other", {R"(\p{C})"}},
                                          {"control", {R"(\p{Cc})"}},
                                          {"format", {R"(\p{Cf})"}},
                                          {"unassigned", {R"(\p{Cn})"}},
                                          {"privateuse", {R"(\p{Co})"}},
                                          {"surrogate", {R"(\p{Cs})"}}};
  return sets;
}

std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c == ' ' || c == '_' || c == '-') continue;
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  return plain;
}

const NamedSet* find_set(std::string_view plain) {
  const auto& sets = named_sets();
  const auto found = std::ranges::find(sets, plain, &NamedSet::name);
  return found == sets.end() ? nullptr : &*found;
}

/// Case properties, which Oniguruma and PCRE2 treat differently under (?i).
bool is_of_case(std::string_view plain) {
  constexpr std::string_view names[] = {"lu",
                                        "ll",
                                        "lt",
                                        "lc",
                                        "upper",
                                        "lower",
                                        "uppercase",
                                        "lowercase",
                                        "uppercaseletter",
                                        "l&",
                                        "lowercaseletter",
                                        "titlecaseletter",
                                        "casedletter"};
  return std::ranges::find(names, plain) != std::end(names);
}

/// Reads \p{Name}, \p{^Name} or \P{Name}, after the letter.
CharacterSet take_property(OnigurumaText& text, bool negated, const char* word) {
  const std::size_t begin = text.at;
  const std::size_t end = text.all.find('}', begin);
  if (!text.begins("{") || end == text.all.npos) text.refuse("a \\p without a name in braces", begin - 2);
  std::string_view name = text.all.substr(begin + 1, end - begin - 1);
  text.at = end + 1;
  if (name.starts_with('^')) {
    negated = !negated;
    name.remove_prefix(1);
  }
  const std::string plain = plain_name(name);
  const bool has_letters_only = !plain.empty() && std::ranges::all_of(plain, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '&';
  });
  if (!has_letters_only) text.refuse("a \\p{…} with a name that is none", begin - 2);
  if (text.caseless && is_of_case(plain)) text.refuse("a property of case under (?i)", begin - 2);
  if (plain == "word") return {word, negated};
  if (const NamedSet* found = find_set(plain)) return {found->set.inside, found->set.negated != negated};
  // PCRE2's \p{Han} means Script_Extensions, so "sc:" is added.
  return {fmt::format("\\p{{{}{}}}", text.is_script(plain) ? "sc:" : "", plain), negated};
}

char32_t take_number(OnigurumaText& text, int base, std::size_t most_digits) {
  char32_t value = 0;
  std::size_t count = 0;
  for (; count < most_digits && !text.at_end(); ++count, ++text.at) {
    const char c = text.all[text.at];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : 99;
    if (digit >= base) break;
    value = value * static_cast<char32_t>(base) + static_cast<char32_t>(digit);
  }
  if (count == 0) text.refuse("an escape without its digits", text.at);
  return value;
}

/// Reads \x41, \x{1F600} or \u0041, after the letter. A byte above 0x7F would be a part of a character.
char32_t take_hexadecimal(OnigurumaText& text, char letter) {
  const std::size_t begin = text.at - 2;
  char32_t value = 0;
  if (letter == 'u') {
    const std::size_t digits = text.at;
    value = take_number(text, 16, 4);
    if (text.at - digits != 4) text.refuse("a \\u without four digits", begin);
  } else if (text.take("{")) {
    value = take_number(text, 16, 8);
    if (!text.take("}")) text.refuse("a \\x{…} without its end", begin);
  } else {
    value = take_number(text, 16, 2);
    if (value > 0x7F) text.refuse("a \\x of a byte above 7F", begin);
  }
  if (value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
    text.refuse("an escape that is no character", begin);
  return value;
}

/// One operand of &&: a union of characters and nested classes.
struct Operand {
  std::string inside;               // inside a PCRE2 class
  std::vector<std::string> nested;  // expressions for one character each

  bool empty() const { return inside.empty() && nested.empty(); }
  void add(const CharacterSet& set) {
    if (!set.negated) inside += set.inside;
    if (set.negated) nested.push_back(as_class(set));
  }
  std::string expression() const {
    if (nested.empty()) return fmt::format("[{}]", inside);
    if (inside.empty() && nested.size() == 1) return nested[0];
    std::string made = "(?:";
    if (!inside.empty()) made += fmt::format("[{}]|", inside);
    for (const std::string& one : nested) made += one + "|";
    made.back() = ')';
    return made;
  }
};

class ClassReader {
 public:
  ClassReader(OnigurumaText& text, int depth) : text_(text), depth_(depth), begin_(text.at - 1) {
    if (depth > deepest_class) text.refuse("classes nested deeper than 50", begin_);
  }

  std::string read() {
    const bool negated = text_.take("^");
    if (text_.begins("]")) text_.refuse("a class that begins with its end, \"[]\"", begin_);
    while (!text_.take("]")) {
      if (text_.at_end()) text_.refuse("a class without its end", begin_);
      take_one();
    }
    close();
    const bool is_plain = operands_.size() == 1 && operands_[0].nested.empty();
    if (text_.caseless && !is_plain) text_.refuse("a class of classes under (?i)", begin_);
    if (is_plain) return fmt::format("[{}{}]", negated ? "^" : "", operands_[0].inside);
    std::string made;
    for (std::size_t i = 0; i + 1 < operands_.size(); ++i)
      made += fmt::format("(?={})", operands_[i].expression());
    made += operands_.back().expression();
    return negated ? fmt::format("(?:(?!{}){})", made, any_character) : fmt::format("(?:{})", made);
  }

 private:
  void take_one() {
    const std::size_t at = text_.at;
    if (text_.take("&&")) return close();
    if (text_.begins("[:") && take_posix()) return;
    if (text_.take("[")) {
      operand_.nested.push_back(ClassReader(text_, depth_ + 1).read());
      return;
    }
    CharacterSet set;
    const bool escaped = text_.take("\\");
    if (escaped && take_set(text_, true, set)) return operand_.add(set);
    text_.at = at;
    const char32_t first = take_character();
    char32_t last = first;
    if (text_.begins("-") && !text_.begins("-]") && !text_.begins("-[") && !text_.begins("-&&")) {
      const std::size_t dash = text_.at++;
      const std::size_t behind = text_.at;
      if (text_.take("\\") && take_set(text_, true, set)) {
        text_.at = dash;  // [a-\d]: the dash is a literal
      } else {
        text_.at = behind;
        last = take_character();
        if (last < first) text_.refuse("a range that goes backwards", at);
        if (text_.begins("-") && !text_.begins("-]"))
          text_.refuse("a range behind a range", at);  // [a-c-e]: versions of Oniguruma differ
      }
    }
    operand_.inside += code_point(first);
    if (last != first) operand_.inside += "-" + code_point(last);
  }

  char32_t take_character() {
    if (text_.at_end()) text_.refuse("a class without its end", begin_);
    if (!text_.take("\\")) return character_at(text_.character(), 0);
    const std::size_t at = text_.at;
    char32_t found = 0;
    if (text_.take("b")) return 8;
    if (!take_escaped_character(text_, found)) text_.refuse("an escape that is not known in a class", at - 1);
    return found;
  }

  /// Reads [:alpha:] or [:^alpha:]; false for a class that begins with a colon.
  bool take_posix() {
    const std::size_t end = text_.all.find(":]", text_.at + 2);
    if (end == text_.all.npos) return false;
    std::string_view name = text_.all.substr(text_.at + 2, end - text_.at - 2);
    const bool negated = name.starts_with('^');
    if (negated) name.remove_prefix(1);
    constexpr std::string_view names[] = {"alnum", "alpha", "blank", "cntrl", "digit",  "graph", "lower",
                                          "print", "punct", "space", "upper", "xdigit", "word",  "ascii"};
    if (std::ranges::find(names, name) == std::end(names)) return false;
    if (text_.caseless && is_of_case(name)) text_.refuse("a property of case under (?i)", text_.at);
    CharacterSet set = find_set(name)->set;
    if (name == "punct") set.inside += R"(\p{S})";
    set.negated = set.negated != negated;
    operand_.add(set);
    text_.at = end + 2;
    return true;
  }

  void close() {
    if (operand_.empty()) text_.refuse("an && with nothing on one of its sides", begin_);
    operands_.push_back(std::exchange(operand_, {}));
  }

  OnigurumaText& text_;
  int depth_;
  std::size_t begin_;
  Operand operand_;
  std::vector<Operand> operands_;
};

}  // namespace

bool OnigurumaText::take(std::string_view text) {
  if (!begins(text)) return false;
  at += text.size();
  return true;
}

std::string_view OnigurumaText::character() {
  const std::string_view found = all.substr(at, character_size(all[at]));
  at += found.size();
  return found;
}

void OnigurumaText::refuse(std::string_view what, std::size_t where) const {
  throw Error(
      fmt::format("The expression {} is not supported: it has {} at byte {}.", in_quotes(all), what, where));
}

std::string as_class(const CharacterSet& set) {
  return fmt::format("[{}{}]", set.negated ? "^" : "", set.inside);
}

std::string code_point(char32_t character) {
  return fmt::format("\\x{{{:x}}}", static_cast<std::uint32_t>(character));
}

bool take_set(OnigurumaText& text, bool in_class, CharacterSet& to) {
  if (text.at_end()) return false;
  const char letter = text.all[text.at];
  const char lower = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
  const bool negated = lower != letter;
  const char* word = in_class ? word_set : word_set_alone;
  switch (lower) {
    case 'w': to = {word, negated}; break;
    case 'd': to = {R"(\p{Nd})", negated}; break;
    case 's': to = {R"(\p{White_Space})", negated}; break;
    case 'h': to = {"0-9A-Fa-f", negated}; break;
    case 'p':
      ++text.at;
      to = take_property(text, negated, word);
      return true;
    default: return false;
  }
  ++text.at;
  return true;
}

bool take_escaped_character(OnigurumaText& text, char32_t& to) {
  if (text.at_end()) text.refuse("a backslash at its end", text.at - 1);
  const std::string_view found = text.character();
  const char letter = found[0];
  switch (letter) {
    case 'n': to = '\n'; return true;
    case 'r': to = '\r'; return true;
    case 't': to = '\t'; return true;
    case 'v': to = '\v'; return true;
    case 'f': to = '\f'; return true;
    case 'a': to = '\a'; return true;
    case 'e': to = 0x1B; return true;
    case 'x':
    case 'u': to = take_hexadecimal(text, letter); return true;
    case '0':
      --text.at;
      to = take_number(text, 8, 3);
      return true;
    default: break;
  }
  const bool is_plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                        (letter >= '1' && letter <= '9');
  if (is_plain) {
    --text.at;
    return false;
  }
  to = character_at(found, 0);
  return true;
}

std::string take_class(OnigurumaText& text) { return ClassReader(text, 1).read(); }

}  // namespace attnscope::tokenizers
