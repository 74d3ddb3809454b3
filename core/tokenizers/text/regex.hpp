// core/tokenizers/text: the pattern that a tokenizer searches for: a string, or an expression in Oniguruma's
// dialect with Unicode's classes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/tokenizers/text/characters.hpp"

namespace attnscope::tokenizers {

/// Immutable and thread-safe; copies share the compiled expression.
class Regex {
 public:
  /// Throws Error quoting the expression if it does not compile.
  explicit Regex(std::string expression);

  /// All matches from left to right without overlaps, including empty ones, but none right behind another
  /// match. None in an empty text. `text` must be valid UTF-8. Throws Error if the expression needs more
  /// steps than any sensible one.
  void find_all(std::string_view text, std::vector<Range>& found) const;
  const std::string& expression() const { return expression_; }

 private:
  struct Compiled;
  std::string expression_;
  std::shared_ptr<const Compiled> compiled_;
};

using Pattern = std::variant<std::string, Regex>;
/// The same for a string or an expression; the string must not be empty.
void find_all(const Pattern&, std::string_view text, std::vector<Range>& found);

}  // namespace attnscope::tokenizers
