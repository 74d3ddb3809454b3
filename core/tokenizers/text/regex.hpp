// core/tokenizers/text: what a tokenizer looks for in a text: a string, or an expression in Oniguruma's
// dialect with Unicode's classes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/tokenizers/text/characters.hpp"

namespace attnscope::tokenizers {

/// Immutable; copies share what was compiled. May be used by several threads at once.
class Regex {
 public:
  /// Throws Error, which quotes the expression, when it does not compile.
  explicit Regex(std::string expression);

  /// Every match from left to right, none overlapping; empty ones too, but not right behind another match.
  /// None in an empty text. `text` must be valid UTF-8. Throws Error when the expression needs more steps
  /// than any honest one.
  void find_all(std::string_view text, std::vector<Range>& found) const;
  const std::string& expression() const { return expression_; }

 private:
  struct Compiled;
  std::string expression_;
  std::shared_ptr<const Compiled> compiled_;
};

using Pattern = std::variant<std::string, Regex>;
/// The same for either; the string must not be empty.
void find_all(const Pattern&, std::string_view text, std::vector<Range>& found);

}  // namespace attnscope::tokenizers
