// app/lessons/text: numbers in a lesson's prose and the conditions of its steps are expressions that are computed,
// never typed: "entropy(2) / ln(6)", "weight(2, 4) > 0.9 and not divided". This file knows no results: the
// caller that evaluates an expression looks up its names and functions.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope::lessons {

/// Returns the value of a name or a call; arguments are numbers. Words in quotes are part of the name, see
/// name_parts(). Throws Error with a sentence for an unknown name or arguments that do not fit.
using LookUp = std::function<double(std::string_view name, std::span<const double> arguments)>;

/// Immutable. Numbers, + − * / ^ with the usual precedence (^ binds to the right), comparisons
/// < <= > >= == != (1 or 0), and, or, not, parentheses, names and calls, whose first arguments may be
/// words in quotes. Built in: pi, sqrt, exp, ln, abs, min, max, round, log2; the rest is looked up.
class Expression {
 public:
  /// Throws Error with a sentence that tells what was found at which character and what was expected; also
  /// for more than 1000 numbers, names and operators, or a nesting of more than 64. `line`: the expression's
  /// line in its file, from 1; 0: it is in no file.
  static Expression parse(std::string_view text, int line = 0);

  double evaluate(const LookUp&) const;
  /// Whether the value is a number other than 0.
  bool holds(const LookUp&) const;
  const std::string& text() const { return text_; }
  int line() const { return line_; }

  /// A name or call that is looked up, with its number of arguments and the expression's line.
  struct Name {
    std::string name;
    std::size_t arguments = 0;
    int line = 0;
  };
  std::vector<Name> names() const;
  /// Whether it looks up no name: its value is computed from numbers alone.
  bool is_constant() const { return names().empty(); }

  struct Node;

 private:
  std::string text_;
  int line_ = 0;
  std::shared_ptr<const Node> root_;
};

/// `length("residual", 2)` is looked up as `length "residual"` with the argument 2: its name and the words in
/// quotes, as views of the given name.
struct NameParts {
  std::string_view name;
  std::vector<std::string_view> words;
};
NameParts name_parts(std::string_view name);

/// The format of a value: ".2f" two decimals, ".3g" three significant digits, "d" whole, "%" percent without
/// decimals, empty: the instrument's usual format.
struct NumberStyle {
  enum class Kind : std::uint8_t { Usual, Fixed, Significant, Whole, Percent };
  Kind kind = Kind::Usual;
  int places = 2;
};
/// Throws Error with a sentence.
NumberStyle parse_number_style(std::string_view text);
/// With a true minus; "n/a" for NaN.
std::string written(double value, const NumberStyle&);
/// The formatted value of an expression; "…" if it is not known yet or cannot be computed.
std::string written(const Expression&, const LookUp&, const NumberStyle&);

}  // namespace attnscope::lessons
