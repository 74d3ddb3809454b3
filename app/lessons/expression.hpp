// app/lessons: numbers in a lesson's prose and the conditions of its steps are expressions that are computed,
// never typed: "entropy(2) / ln(6)", "weight(2, 4) > 0.9 and not divided". Knows no result: names and
// functions are looked up by the caller that evaluates.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope::lessons {

/// What a name or a call is worth; arguments are numbers. Words in quotes belong to the name, see
/// name_parts(). Throws Error with a sentence for a name that it does not know or arguments that do not fit.
using LookUp = std::function<double(std::string_view name, std::span<const double> arguments)>;

/// Immutable. Numbers, + − * / ^ with the usual precedence (^ binds to the right), comparisons
/// < <= > >= == != (1 or 0), and, or, not, parentheses, names and calls, whose first arguments may be
/// words in quotes. Built in: pi, sqrt, exp, ln, abs, min, max, round, log2; the rest is looked up.
class Expression {
 public:
  /// Throws Error with a sentence that says what was found at which character and what was expected; also for
  /// more than 1000 numbers, names and operators, or a nesting of more than 64. `line`: of the file that it
  /// stands in, from 1; 0: of none.
  static Expression parse(std::string_view text, int line = 0);

  double evaluate(const LookUp&) const;
  /// True where the value is a number other than 0.
  bool holds(const LookUp&) const;
  const std::string& text() const { return text_; }
  int line() const { return line_; }

  /// Names and calls that are looked up, with how many arguments each has, and the expression's line.
  struct Name {
    std::string name;
    std::size_t arguments = 0;
    int line = 0;
  };
  std::vector<Name> names() const;
  /// Whether it asks for nothing that is shown: its value is computed from numbers alone.
  bool is_constant() const { return names().empty(); }

  struct Node;

 private:
  std::string text_;
  int line_ = 0;
  std::shared_ptr<const Node> root_;
};

/// `length("residual", 2)` is looked up as `length "residual"` with the argument 2: its name and the words in
/// quotes, which refer to the name that is given.
struct NameParts {
  std::string_view name;
  std::vector<std::string_view> words;
};
NameParts name_parts(std::string_view name);

/// How a value is written: ".2f" two places, ".3g" three significant digits, "d" whole, "%" percent without
/// places, empty: as the instrument writes numbers.
struct NumberStyle {
  enum class Kind : std::uint8_t { Usual, Fixed, Significant, Whole, Percent };
  Kind kind = Kind::Usual;
  int places = 2;
};
/// Throws Error with a sentence.
NumberStyle parse_number_style(std::string_view text);
/// With a true minus; "n/a" for what is no number.
std::string written(double value, const NumberStyle&);
/// What an expression gives, written; "…" where it is not known yet or cannot be computed.
std::string written(const Expression&, const LookUp&, const NumberStyle&);

}  // namespace attnscope::lessons
