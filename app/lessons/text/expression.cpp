#include "app/lessons/text/expression.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/powers_of_ten.hpp"
#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace attnscope::lessons {

struct Expression::Node {
  enum class Kind : std::uint8_t { Number, Call, Operation };
  Kind kind = Kind::Number;
  double value = 0;  // Number
  std::string name;  // Call: the name to look up; Operation: its operator
  std::vector<std::shared_ptr<const Node>> children;
};

namespace {

using Node = Expression::Node;
using NodePtr = std::shared_ptr<const Node>;

// A recursive walk is as deep as the tree: "1+1+1" leans to the left.
constexpr int most_depth = 64, most_nodes = 1000;

/// Functions that need no look-up.
struct BuiltIn {
  std::string_view name;
  std::size_t arguments;
  double (*call)(std::span<const double>);
};
constexpr std::array<BuiltIn, 9> built_in{{
    {"pi", 0, [](std::span<const double>) { return std::numbers::pi; }},
    {"sqrt", 1, [](std::span<const double> x) { return std::sqrt(x[0]); }},
    {"exp", 1, [](std::span<const double> x) { return std::exp(x[0]); }},
    {"ln", 1, [](std::span<const double> x) { return std::log(x[0]); }},
    {"abs", 1, [](std::span<const double> x) { return std::abs(x[0]); }},
    {"round", 1, [](std::span<const double> x) { return std::round(x[0]); }},
    {"min", 2, [](std::span<const double> x) { return std::min(x[0], x[1]); }},
    {"max", 2, [](std::span<const double> x) { return std::max(x[0], x[1]); }},
    {"log2", 1, [](std::span<const double> x) { return std::log2(x[0]); }},
}};
const BuiltIn* find_built_in(std::string_view name) {
  const auto found = std::ranges::find(built_in, name, &BuiltIn::name);
  return found == built_in.end() ? nullptr : &*found;
}

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_name_part(char c) {
  return is_name_start(c) || std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.';
}

/// Recursive descent, in order of precedence: or, and, not, comparison, sum, product, sign, power, primary.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  NodePtr whole() {
    NodePtr node = any();
    skip_space();
    if (at_ < text_.size()) fail("an operator or the end");
    return node;
  }

 private:
  [[noreturn]] void fail(std::string_view expected) const {
    const std::string found = at_ < text_.size() ? in_quotes(text_.substr(at_), 12) : "its end";
    throw Error(fmt::format("In the expression {}, {} was found at character {} where {} was expected.",
                            in_quotes(text_), found, at_ + 1, expected));
  }

  void go_deeper() {
    if (++depth_ > most_depth)
      throw Error(
          fmt::format("The expression {} is nested more than {} deep.", in_quotes(text_), most_depth));
  }
  NodePtr made(Node node) {
    if (++nodes_ > most_nodes)
      throw Error(
          fmt::format("The expression {} has more than {} numbers, names and operators: {} were found up to "
                      "character {} where at most {} were expected.",
                      in_quotes(text_), most_nodes, nodes_, at_, most_nodes));
    return std::make_shared<const Node>(std::move(node));
  }
  NodePtr operation(std::string_view sign, std::vector<NodePtr> children) {
    return made({.kind = Node::Kind::Operation,
                 .value = 0,
                 .name = std::string(sign),
                 .children = std::move(children)});
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(std::string_view sign) {
    skip_space();
    if (!text_.substr(at_).starts_with(sign)) return false;
    // The word "and" is not found in "andes".
    if (is_name_start(sign[0]) && at_ + sign.size() < text_.size() && is_name_part(text_[at_ + sign.size()]))
      return false;
    at_ += sign.size();
    return true;
  }

  NodePtr any() {
    go_deeper();
    NodePtr left = all();
    while (take("or")) left = operation("or", {left, all()});
    --depth_;
    return left;
  }
  NodePtr all() {
    NodePtr left = negated();
    while (take("and")) left = operation("and", {left, negated()});
    return left;
  }
  NodePtr negated() {
    bool turned = false;
    while (take("not")) turned = !turned;
    NodePtr node = compared();
    return turned ? operation("not", {node}) : node;
  }
  NodePtr compared() {
    NodePtr left = sum();
    for (const std::string_view sign : {"<=", ">=", "==", "!=", "<", ">"})
      if (take(sign)) return operation(sign, {left, sum()});
    return left;
  }
  NodePtr sum() {
    NodePtr left = product();
    for (;;) {
      if (take("+"))
        left = operation("+", {left, product()});
      else if (take("-") || take("−"))
        left = operation("-", {left, product()});
      else
        return left;
    }
  }
  NodePtr product() {
    NodePtr left = signed_power();
    for (;;) {
      if (take("*") || take("·") || take("×"))
        left = operation("*", {left, signed_power()});
      else if (take("/"))
        left = operation("/", {left, signed_power()});
      else
        return left;
    }
  }
  NodePtr signed_power() {
    go_deeper();
    NodePtr node;
    if (take("-") || take("−")) {
      node = operation("negative", {signed_power()});
    } else {
      node = single();
      if (take("^")) node = operation("^", {node, signed_power()});
    }
    --depth_;
    return node;
  }

  NodePtr single() {
    skip_space();
    if (take("(")) {
      NodePtr inside = any();
      if (!take(")")) fail("\")\"");
      return inside;
    }
    if (at_ >= text_.size()) fail("a number or a name");
    if (is_name_start(text_[at_])) return named();
    double value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, trouble] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (trouble != std::errc() || end == begin) fail("a number or a name");
    at_ += static_cast<std::size_t>(end - begin);
    return made({.kind = Node::Kind::Number, .value = value, .name = {}, .children = {}});
  }

  NodePtr named() {
    Node node;
    node.kind = Node::Kind::Call;
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
    node.name = text_.substr(begin, at_ - begin);
    for (const std::string_view word : {"and", "or", "not"})
      if (node.name == word) {
        at_ = begin;
        fail("a number or a name");
      }
    if (take("(")) {
      if (!take(")")) {
        do take_argument(node);
        while (take(","));
        if (!take(")")) fail("\",\" or \")\"");
      }
    }
    if (const BuiltIn* const known = find_built_in(node.name);
        known != nullptr && known->arguments != node.children.size())
      throw Error(fmt::format("In the expression {}, {} has {} arguments; it takes {}.", in_quotes(text_),
                              node.name, node.children.size(), known->arguments));
    return made(std::move(node));
  }

  /// Words in quotes become part of the name that is looked up; they come before all numbers.
  void take_argument(Node& call) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != '"') return call.children.push_back(any());
    if (!call.children.empty()) fail("a number (words in quotes come first)");
    const std::size_t end = text_.find('"', at_ + 1);
    if (end == text_.npos) {
      at_ = text_.size();
      fail("\"\"\"");
    }
    call.name += ' ';
    call.name += text_.substr(at_, end + 1 - at_);
    at_ = end + 1;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0, nodes_ = 0;
};

double apply(const std::string& sign, double a, double b) {
  const auto truth = [](bool is) { return is ? 1.0 : 0.0; };
  if (sign == "+") return a + b;
  if (sign == "-") return a - b;
  if (sign == "*") return a * b;
  if (sign == "/") return a / b;
  if (sign == "^") return std::pow(a, b);
  if (sign == "<") return truth(a < b);
  if (sign == "<=") return truth(a <= b);
  if (sign == ">") return truth(a > b);
  if (sign == ">=") return truth(a >= b);
  if (sign == "==") return truth(a == b);
  return truth(a != b);
}

bool is_true(double value) { return value != 0 && !std::isnan(value); }

double value_of(const Node& node, const LookUp& look_up) {
  if (node.kind == Node::Kind::Number) return node.value;
  if (node.kind == Node::Kind::Operation) {
    const double a = value_of(*node.children[0], look_up);
    if (node.name == "negative") return -a;
    if (node.name == "not") return is_true(a) ? 0 : 1;
    if (node.name == "and" || node.name == "or") {
      if (is_true(a) == (node.name == "or")) return is_true(a) ? 1 : 0;
      return is_true(value_of(*node.children[1], look_up)) ? 1 : 0;
    }
    return apply(node.name, a, value_of(*node.children[1], look_up));
  }
  std::vector<double> arguments;
  for (const NodePtr& child : node.children) arguments.push_back(value_of(*child, look_up));
  if (const BuiltIn* const known = find_built_in(node.name)) return known->call(arguments);
  return look_up(node.name, arguments);
}

void collect(const Node& node, std::vector<Expression::Name>& names) {
  if (node.kind == Node::Kind::Call && find_built_in(node.name) == nullptr)
    names.push_back({node.name, node.children.size(), 0});
  for (const NodePtr& child : node.children) collect(*child, names);
}

}  // namespace

Expression Expression::parse(std::string_view text, int line) {
  Expression made;
  made.text_ = text;
  made.line_ = line;
  made.root_ = Parser(made.text_).whole();
  return made;
}

double Expression::evaluate(const LookUp& look_up) const { return value_of(*root_, look_up); }
bool Expression::holds(const LookUp& look_up) const { return is_true(evaluate(look_up)); }

NameParts name_parts(std::string_view name) {
  NameParts parts;
  const std::size_t quote = name.find(" \"");
  parts.name = name.substr(0, quote);
  for (std::size_t at = quote; at != name.npos;) {
    const std::size_t end = name.find('"', at + 2);
    parts.words.emplace_back(name.substr(at + 2, end - at - 2));
    at = name.find(" \"", end + 1);
  }
  return parts;
}

std::vector<Expression::Name> Expression::names() const {
  std::vector<Name> all;
  collect(*root_, all);
  for (Name& name : all) name.line = line_;
  return all;
}

NumberStyle parse_number_style(std::string_view text) {
  using Kind = NumberStyle::Kind;
  if (text.empty()) return {};
  if (text == "d") return {Kind::Whole, 0};
  if (text == "%") return {Kind::Percent, 0};
  if (text.size() == 3 && text[0] == '.' && text[1] >= '0' && text[1] <= '9' &&
      (text[2] == 'f' || text[2] == 'g'))
    return {text[2] == 'f' ? Kind::Fixed : Kind::Significant, text[1] - '0'};
  throw Error(fmt::format(
      "A number cannot be written as \"{}\"; expected \".2f\", \".3g\", \"d\", \"%\" or nothing.", text));
}

std::string written(double value, const NumberStyle& style) {
  if (std::isnan(value)) return "n/a";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  switch (style.kind) {
    case NumberStyle::Kind::Usual: return tight(value);
    case NumberStyle::Kind::Fixed: return fixed(value, style.places);
    case NumberStyle::Kind::Whole: return fixed(value, 0);
    case NumberStyle::Kind::Percent: return fixed(100 * value, 0) + " %";
    case NumberStyle::Kind::Significant: break;
  }
  return significant(value, std::max(1, style.places));
}

std::string written(const Expression& expression, const LookUp& numbers, const NumberStyle& style) {
  try {
    return written(expression.evaluate(numbers), style);
  } catch (const Error&) {
    return "…";
  }
}

}  // namespace attnscope::lessons
