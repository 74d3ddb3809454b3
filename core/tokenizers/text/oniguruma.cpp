#include "core/tokenizers/text/oniguruma.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"
#include "core/tokenizers/text/grapheme_cluster.hpp"
#include "core/tokenizers/text/oniguruma_class.hpp"

namespace attnscope::tokenizers {
namespace {

constexpr std::size_t nothing = std::string::npos;

class Translator {
 public:
  Translator(std::string_view expression, const IsScript& is_script) : text_{expression, is_script} {}

  std::string translate() {
    groups_.push_back({});
    while (!text_.at_end()) take_one();
    made_.append(groups_[0].pending, ')');  // PCRE2 reports a group without its end
    return std::move(made_);
  }

 private:
  struct Group {
    std::size_t begin = 0;    // in the translated expression
    std::size_t pending = 0;  // groups opened for (?i) that end with this one
    bool was_caseless = false;
    bool is_look = false;
  };

  void take_one() {
    const std::size_t at = text_.at;
    if (text_.take("(")) return open_group(at);
    if (text_.take(")")) return end_group(at);
    if (text_.take("|")) return put("|", nothing);
    if (text_.take("^")) return put("^", nothing);
    if (text_.take("$")) return put("$", nothing);
    if (text_.take(".")) return put(".", made_.size());
    if (text_.take("[")) return put(take_class(text_), made_.size());
    if (text_.take("\\")) return take_escape(at);
    if (take_quantifier()) return;
    const std::string_view character = text_.character();
    const bool is_sign = std::string_view("{}]").find(character) != std::string_view::npos;
    put(is_sign ? "\\" + std::string(character) : std::string(character), made_.size());
  }

  /// `atom`: start of the item that a quantifier would repeat.
  void put(std::string_view text, std::size_t atom) {
    made_ += text;
    atom_ = atom;
    is_repeated_ = false;
  }

  void open_group(std::size_t at) {
    Group group{.begin = made_.size(), .was_caseless = text_.caseless};
    if (text_.take("?#")) {
      const std::size_t end = text_.all.find(')', text_.at);
      if (end == nothing) text_.refuse("a comment without its end", at);
      text_.at = end + 1;
      return;
    }
    std::string opening = "(";
    if (text_.take("?")) {
      opening += "?";
      if (text_.begins("<") && !text_.begins("<=") && !text_.begins("<!")) {
        const std::size_t end = text_.all.find('>', text_.at);
        if (end == nothing) text_.refuse("a group's name without its end", at);
        opening += text_.all.substr(text_.at, end + 1 - text_.at);
        text_.at = end + 1;
      } else if (!take_look(opening, group)) {
        if (take_options(at, opening)) return;
      }
    }
    groups_.push_back(group);
    put(opening, nothing);
  }

  bool take_look(std::string& opening, Group& group) {
    for (const std::string_view sign : {":", ">", "=", "!", "<=", "<!"}) {
      if (!text_.take(sign)) continue;
      opening += sign;
      group.is_look = sign != ":" && sign != ">";
      return true;
    }
    return false;
  }

  /// Reads (?i-m: or (?i-m); true for the latter, which holds to the end of its group.
  bool take_options(std::size_t at, std::string& opening) {
    bool sets = true;
    while (!text_.at_end() && !text_.begins(":") && !text_.begins(")")) {
      const char letter = text_.all[text_.at++];
      if (letter == '-') sets = false;
      if (letter == 'i') text_.caseless = sets;
      if (letter == 'm') {
        opening += 's';  // Ruby's m lets the dot match any character
      } else if (letter == 'i' || letter == '-' || letter == 's') {
        opening += letter;
      } else {
        text_.refuse(
            fmt::format("a group that begins with \"(?{}\"", printable(std::string_view(&letter, 1))), at);
      }
    }
    if (text_.take(":")) {
      opening += ":";
      return false;
    }
    if (!text_.take(")")) text_.refuse("a group without its end", at);
    ++groups_.back().pending;
    put(opening + ":", nothing);
    return true;
  }

  void end_group(std::size_t at) {
    if (groups_.size() < 2) text_.refuse("a \")\" that closes nothing", at);
    const Group group = groups_.back();
    close_group();
    put(")", group.is_look ? nothing : group.begin);
  }

  void close_group() {
    made_.append(groups_.back().pending, ')');
    text_.caseless = groups_.back().was_caseless;
    groups_.pop_back();
  }

  void take_escape(std::size_t at) {
    CharacterSet set;
    if (take_set(text_, false, set)) return put(as_class(set), made_.size());
    if (text_.begins("b") || text_.begins("B")) {
      CharacterSet word;
      OnigurumaText letter{"w", text_.is_script};
      take_set(letter, false, word);
      const std::string is_word = as_class(word);
      const bool inside = text_.all[text_.at++] == 'B';
      const auto sides = [&](const char* second) {
        return fmt::format("(?:(?<={0})(?{1}{0})|(?<!{0})(?{2}{0}))", is_word, second,
                           *second == '!' ? '=' : '!');
      };
      return put(sides(inside ? "=" : "!"), nothing);
    }
    for (const char* sign : {"A", "Z", "z", "G"})
      if (text_.take(sign)) return put("\\" + std::string(sign), nothing);
    if (text_.take("R")) return put("\\R", made_.size());
    if (text_.take("X")) {
      // Inside an expression a match may start within a cluster; Oniguruma looks back there.
      if (text_.all != "\\X") text_.refuse("a \\X beside other things", at);
      return put(grapheme_cluster_expression(), made_.size());
    }
    if (text_.take("K")) return put("\\K", nothing);
    if (text_.take("N")) return put(R"([^\n])", made_.size());
    if (text_.take("O")) return put(R"([\x{0}-\x{10ffff}])", made_.size());
    if (!text_.at_end() && text_.all[text_.at] >= '1' && text_.all[text_.at] <= '9')
      return put(fmt::format("\\{}", text_.all[text_.at++]), made_.size());
    if (text_.begins("k<") || text_.begins("g<")) {
      const std::size_t end = text_.all.find('>', text_.at);
      if (end == nothing) text_.refuse("a name without its end", at);
      put("\\" + std::string(text_.all.substr(text_.at, end + 1 - text_.at)), made_.size());
      text_.at = end + 1;
      return;
    }
    char32_t character = 0;
    if (!take_escaped_character(text_, character)) text_.refuse("an escape that is not known", at);
    put(code_point(character), made_.size());
  }

  /// Reads *, +, ?, {1}, {1,}, {,3} or {1,3}; a repeated item can be repeated again.
  bool take_quantifier() {
    const std::size_t at = text_.at;
    std::string sign;
    bool may_be_possessive = true, may_be_lazy = true;
    for (const char* one : {"*", "+", "?"})
      if (sign.empty() && text_.take(one)) sign = one;
    if (sign.empty()) {
      const std::optional<std::string> interval = take_interval();
      if (!interval) return false;
      sign = *interval;
      may_be_possessive = false;
      may_be_lazy = sign.find(',') != nothing;  // {3}? means {3} or nothing
    }
    if (atom_ == nothing) text_.refuse("a repetition of nothing", at);
    if (may_be_lazy && text_.take("?")) {
      sign += '?';
    } else if (may_be_possessive && text_.take("+")) {
      sign += '+';
    }
    if (is_repeated_) {
      made_.insert(atom_, "(?:");
      made_ += ')';
    }
    made_ += sign;
    is_repeated_ = true;
    return true;
  }

  std::optional<std::string> take_interval() {
    if (!text_.begins("{")) return std::nullopt;
    const std::size_t end = text_.all.find('}', text_.at);
    if (end == nothing) return std::nullopt;
    const std::string_view inside = text_.all.substr(text_.at + 1, end - text_.at - 1);
    const std::size_t comma = inside.find(',');
    const std::string_view low = inside.substr(0, comma);
    const std::string_view high = comma == nothing ? low : inside.substr(comma + 1);
    const auto is_number = [](std::string_view digits) {
      return digits.size() < 6 && std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
    };
    if (!is_number(low) || !is_number(high) || (low.empty() && high.empty())) return std::nullopt;
    const auto value = [](std::string_view digits) {
      int number = 0;
      std::from_chars(digits.data(), digits.data() + digits.size(), number);
      return number;
    };
    if (!high.empty() && value(high) < value(low))
      text_.refuse("a repetition with a least above its most", text_.at);
    text_.at = end + 1;
    if (comma == nothing) return fmt::format("{{{}}}", low);
    return fmt::format("{{{},{}}}", low.empty() ? "0" : low, high);
  }

  OnigurumaText text_;
  std::string made_;
  std::vector<Group> groups_;
  std::size_t atom_ = nothing;
  bool is_repeated_ = false;
};

}  // namespace

std::string from_oniguruma(std::string_view expression, const IsScript& is_script) {
  return Translator(expression, is_script).translate();
}

}  // namespace attnscope::tokenizers
