#include <array>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"
#include "core/text/whole_text.hpp"
#include "core/tokenizers/chat/jinja_tree.hpp"

namespace attnscope::tokenizers::jinja {
namespace {

using Node = Expression::Kind;
constexpr int deepest_expression = 100;

bool is_name_begin(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_tag_digit(char c) { return c >= '0' && c <= '9'; }

/// A string literal as jinja_source.hpp writes it; `at` is behind its opening quote, then behind its closing
/// one.
std::string string_at(std::string_view tag, std::size_t& at) {
  std::string text;
  for (; at < tag.size() && tag[at] != '"'; ++at) {
    if (tag[at] == '\\') ++at;
    if (at < tag.size()) text += tag[at];
  }
  ++at;
  return text;
}

Token sign_at(std::string_view tag, std::size_t& at) {
  constexpr std::string_view signs = "+-*~%.:|,=<>()[]{}";
  for (const std::string_view sign : {"==", "!=", "<=", ">=", "//"})
    if (tag.substr(at).starts_with(sign)) {
      at += sign.size();
      return {Token::Kind::sign, std::string(sign)};
    }
  if (signs.find(tag[at]) == signs.npos)
    throw Error(fmt::format("A tag has {}, which is not supported.", in_quotes(tag.substr(at), 1)));
  return {Token::Kind::sign, std::string(1, tag[at++])};
}

ExpressionPtr node(Node kind, std::string text = {}) {
  auto made = std::make_unique<Expression>();
  made->kind = kind;
  made->text = std::move(text);
  return made;
}
ExpressionPtr node(Node kind, std::string text, ExpressionPtr first) {
  auto made = node(kind, std::move(text));
  made->parts.push_back(std::move(first));
  return made;
}
ExpressionPtr node(Node kind, std::string text, ExpressionPtr first, ExpressionPtr second) {
  auto made = node(kind, std::move(text), std::move(first));
  made->parts.push_back(std::move(second));
  return made;
}
ExpressionPtr constant(Value value) {
  auto made = node(Node::constant);
  made->value = std::move(value);
  return made;
}

}  // namespace

std::vector<Token> tokens_of(std::string_view tag) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < tag.size();) {
    const char c = tag[at];
    const std::size_t begin = at;
    if (std::string_view(" \t\n\r\f\v").find(c) != std::string_view::npos) {
      ++at;
    } else if (c == '"') {
      tokens.push_back({Token::Kind::text, string_at(tag, ++at)});
    } else if (is_name_begin(c)) {
      while (at < tag.size() && (is_name_begin(tag[at]) || is_tag_digit(tag[at]))) ++at;
      tokens.push_back({Token::Kind::name, std::string(tag.substr(begin, at - begin))});
    } else if (is_tag_digit(c)) {
      while (at < tag.size() && is_tag_digit(tag[at])) ++at;
      const bool is_whole = at == tag.size() || !(is_name_begin(tag[at]) || tag[at] == '.');
      if (!is_whole || (c == '0' && at - begin > 1))
        throw Error(fmt::format("It has a number like {}, where only whole ones are supported.",
                                in_quotes(tag.substr(begin, at - begin + 2), 20)));
      tokens.push_back({Token::Kind::number, std::string(tag.substr(begin, at - begin))});
    } else {
      tokens.push_back(sign_at(tag, at));
    }
  }
  tokens.push_back({Token::Kind::end, "the end of a tag"});
  return tokens;
}

const Token& TagReader::token(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}
bool TagReader::is(Token::Kind kind, std::string_view text, std::size_t ahead) const {
  return token(ahead).kind == kind && token(ahead).text == text;
}
bool TagReader::takes(Token::Kind kind, std::string_view text) {
  if (!is(kind, text)) return false;
  ++at_;
  return true;
}
void TagReader::fail() const {
  throw Error(fmt::format("Unexpected {} in a tag.",
                          token().kind == Token::Kind::text ? "text" : printable(token().text)));
}
void TagReader::expect_sign(std::string_view sign) {
  if (!takes_sign(sign)) fail();
}
void TagReader::expect_name(std::string_view name) {
  if (!takes_name(name)) fail();
}
void TagReader::expect_end() const {
  if (!at_end()) fail();
}
std::string TagReader::name() {
  constexpr std::array<std::string_view, 23> kept{"true",   "false",   "True",   "False",     "none", "None",
                                                  "and",    "or",      "not",    "in",        "is",   "if",
                                                  "else",   "elif",    "for",    "loop",      "self", "super",
                                                  "caller", "varargs", "kwargs", "namespace", "range"};
  if (token().kind != Token::Kind::name) fail();
  for (const std::string_view name : kept)
    if (token().text == name) throw Error(fmt::format("It gives the name {} to something of its own.", name));
  return tokens_[at_++].text;
}

ExpressionPtr TagReader::expression() {
  if (++depth_ > deepest_expression) throw Error("An expression nests too deep.");
  ExpressionPtr made = either();
  while (takes_name("if")) {
    ExpressionPtr condition = either();
    made = node(Node::choice, "", std::move(condition), std::move(made));
    made->parts.push_back(takes_name("else") ? expression() : nullptr);
  }
  --depth_;
  return made;
}

ExpressionPtr TagReader::either() {
  ExpressionPtr made = both();
  while (takes_name("or")) made = node(Node::either, "", std::move(made), both());
  return made;
}
ExpressionPtr TagReader::both() {
  ExpressionPtr made = negation();
  while (takes_name("and")) made = node(Node::both, "", std::move(made), negation());
  return made;
}
ExpressionPtr TagReader::negation() {
  if (!takes_name("not")) return comparison();
  if (++depth_ > deepest_expression) throw Error("An expression nests too deep.");
  ExpressionPtr made = node(Node::negation, "", negation());
  --depth_;
  return made;
}

std::string TagReader::comparing_sign() {
  for (const char* sign : {"==", "!=", "<=", ">=", "<", ">"})
    if (takes_sign(sign)) return sign;
  if (takes_name("in")) return "in";
  if (is(Token::Kind::name, "not") && is(Token::Kind::name, "in", 1)) {
    at_ += 2;
    return "not in";
  }
  return {};
}
ExpressionPtr TagReader::comparison() {
  ExpressionPtr made = sum();
  std::string sign = comparing_sign();
  if (sign.empty()) return made;
  made = node(Node::compare, "", std::move(made));
  for (; !sign.empty(); sign = comparing_sign()) {
    made->signs.push_back(sign);
    made->parts.push_back(sum());
  }
  return made;
}

ExpressionPtr TagReader::sum() {
  ExpressionPtr made = joined();
  for (;;) {
    const std::string sign = token().text;
    if (!takes_sign("+") && !takes_sign("-")) return made;
    made = node(Node::binary, sign, std::move(made), joined());
  }
}
ExpressionPtr TagReader::joined() {
  ExpressionPtr made = product();
  while (takes_sign("~")) made = node(Node::binary, "~", std::move(made), product());
  return made;
}
ExpressionPtr TagReader::product() {
  ExpressionPtr made = unary(true);
  for (;;) {
    const std::string sign = token().text;
    if (!takes_sign("*") && !takes_sign("//") && !takes_sign("%")) return made;
    made = node(Node::binary, sign, std::move(made), unary(true));
  }
}

ExpressionPtr TagReader::unary(bool filters) {
  if (++depth_ > deepest_expression) throw Error("An expression nests too deep.");
  ExpressionPtr made;
  if (takes_sign("-"))
    made = node(Node::minus, "", unary(false));
  else
    made = primary();
  made = with_parts(std::move(made));
  --depth_;
  return filters ? with_filters(std::move(made)) : std::move(made);
}

ExpressionPtr TagReader::primary() {
  const Token first = token();
  if (first.kind == Token::Kind::name) return constant_name();
  if (first.kind == Token::Kind::text) {
    std::string text;
    for (; token().kind == Token::Kind::text; ++at_) text += token().text;
    Budget budget;
    return constant(budget.text(std::move(text)));
  }
  if (first.kind == Token::Kind::number) {
    const auto number = whole_text_as<std::int64_t>(first.text);
    if (!number) throw Error("It has a number that is too large.");
    ++at_;
    return constant(integer(*number));
  }
  if (takes_sign("(")) {
    ExpressionPtr made = expression();
    if (is(Token::Kind::sign, ",")) throw Error("It has a tuple, (a, b), which is not supported.");
    expect_sign(")");
    return made;
  }
  if (takes_sign("[")) return list();
  if (takes_sign("{")) return mapping();
  fail();
}

ExpressionPtr TagReader::constant_name() {
  const std::string text = token().text;
  for (const char* word : {"and", "or", "not", "in", "is", "if", "else", "for"})
    if (text == word) fail();
  ++at_;
  if (text == "true" || text == "True") return constant(boolean(true));
  if (text == "false" || text == "False") return constant(boolean(false));
  if (text == "none" || text == "None") return constant(none());
  return node(Node::name, text);
}

ExpressionPtr TagReader::list() {
  auto made = node(Node::list);
  while (!takes_sign("]")) {
    if (!made->parts.empty()) expect_sign(",");
    if (takes_sign("]")) break;
    made->parts.push_back(expression());
  }
  return made;
}
ExpressionPtr TagReader::mapping() {
  auto made = node(Node::mapping);
  while (!takes_sign("}")) {
    if (!made->parts.empty()) expect_sign(",");
    if (takes_sign("}")) break;
    made->parts.push_back(expression());
    expect_sign(":");
    made->parts.push_back(expression());
  }
  return made;
}

ExpressionPtr TagReader::with_parts(ExpressionPtr made) {
  for (;;) {
    if (takes_sign(".")) {
      if (token().kind != Token::Kind::name) fail();
      made = node(Node::attribute, token().text, std::move(made));
      ++at_;
    } else if (takes_sign("[")) {
      made = subscript(std::move(made));
    } else if (takes_sign("(")) {
      made = node(Node::call, "", std::move(made));
      arguments(*made);
    } else {
      return made;
    }
  }
}

ExpressionPtr TagReader::subscript(ExpressionPtr of) {
  const auto is_bound = [&] { return !is(Token::Kind::sign, ":") && !is(Token::Kind::sign, "]"); };
  ExpressionPtr begin = is_bound() ? expression() : nullptr;
  if (begin && takes_sign("]")) return node(Node::item, "", std::move(of), std::move(begin));
  expect_sign(":");
  ExpressionPtr made = node(Node::slice, "", std::move(of), std::move(begin));
  made->parts.push_back(is_bound() ? expression() : nullptr);
  if (takes_sign(":")) {
    expect_sign("-");
    made->negated = !made->parts[1] && !made->parts[2] && token().text == "1";
    if (!made->negated) throw Error("It cuts with steps in another way than [::-1], which is not supported.");
    ++at_;
  }
  expect_sign("]");
  return made;
}

ExpressionPtr TagReader::with_filters(ExpressionPtr made) {
  for (;;) {
    if (takes_sign("|")) {
      if (token().kind != Token::Kind::name) fail();
      made = node(Node::filter, token().text, std::move(made));
      ++at_;
      if (takes_sign("(")) arguments(*made);
    } else if (takes_name("is")) {
      made = test(std::move(made));
    } else if (is(Token::Kind::sign, "(")) {
      fail();
    } else {
      return made;
    }
  }
}

ExpressionPtr TagReader::test(ExpressionPtr of) {
  const bool negated = takes_name("not");
  if (token().kind != Token::Kind::name) fail();
  ExpressionPtr made = node(Node::test, token().text, std::move(of));
  made->negated = negated;
  ++at_;
  // Jinja reads anything that begins a value here as an argument, even "if" and "in".
  const bool is_over = token().kind == Token::Kind::end || is(Token::Kind::name, "and") ||
                       is(Token::Kind::name, "or") || is(Token::Kind::name, "else");
  const bool is_sign = token().kind == Token::Kind::sign &&
                       std::string_view("([{").find(token().text[0]) == std::string_view::npos;
  if (!is_over && !is_sign)
    throw Error(fmt::format("It gives the test {} something, or something else follows it.", made->text));
  return made;
}

void TagReader::arguments(Expression& call) {
  for (bool first = true; !takes_sign(")"); first = false) {
    if (!first) expect_sign(",");
    if (takes_sign(")")) break;
    if (token().kind == Token::Kind::name && is(Token::Kind::sign, "=", 1)) {
      std::string named = token().text;
      for (const auto& [other, value] : call.named)
        if (other == named) throw Error(fmt::format("It gives the argument {} twice.", named));
      at_ += 2;
      call.named.emplace_back(std::move(named), expression());
    } else if (!call.named.empty()) {
      throw Error("An argument without a name stands behind one with a name.");
    } else {
      call.parts.push_back(expression());
    }
  }
}

}  // namespace attnscope::tokenizers::jinja
