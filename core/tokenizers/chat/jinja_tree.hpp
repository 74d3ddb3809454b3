// core/tokenizers/chat: the syntax tree of a template, parsed from its pieces (jinja_source.hpp).
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/tokenizers/chat/jinja_source.hpp"
#include "core/tokenizers/chat/jinja_value.hpp"

namespace attnscope::tokenizers::jinja {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

struct Expression {
  enum class Kind {
    constant,   // value
    name,       // text
    list,       // parts
    mapping,    // parts: keys and values alternating
    attribute,  // parts[0].text
    item,       // parts[0][parts[1]]
    slice,      // parts[0][parts[1]:parts[2]], null if missing; [::-1] if `negated`
    call,       // parts[0](other parts, named)
    filter,     // parts[0] | text(other parts, named)
    test,       // parts[0] is text; "is not" if `negated`
    minus,      // -parts[0]
    negation,   // not parts[0]
    binary,     // parts[0] text parts[1]
    compare,    // parts[0] signs[0] parts[1] signs[1] parts[2] …
    both,       // parts[0] and parts[1]
    either,     // parts[0] or parts[1]
    choice      // parts[1] if parts[0] else parts[2], null if missing
  };
  Kind kind = Kind::constant;
  std::string text = {};
  std::vector<ExpressionPtr> parts = {};
  std::vector<std::pair<std::string, ExpressionPtr>> named = {};
  std::vector<std::string> signs = {};
  Value value = {};
  bool negated = false;
};

struct Statement;
using Body = std::vector<Statement>;

struct Branch {
  ExpressionPtr condition;  // null: else
  Body body;
};

struct Macro {
  std::string name;
  std::vector<std::pair<std::string, ExpressionPtr>> parameters;  // null: no default
  Body body;
};

struct Statement {
  enum class Kind {
    data,        // text
    output,      // expression
    set,         // names = expression
    set_block,   // names[0] = body
    set_field,   // names[0].names[1] = expression
    branches,    // if
    loop,        // for names in expression if condition: body; otherwise
    macro,       // macro
    generation,  // body
    leave,       // break
    next         // continue
  };
  Kind kind = Kind::data;
  std::string text = {};
  std::vector<std::string> names = {};
  ExpressionPtr expression = {}, condition = {};
  Body body = {}, otherwise = {};
  std::vector<Branch> branches = {};
  std::unique_ptr<Macro> macro = {};
};

/// Throws Error if Jinja could not parse the template, or if it uses unsupported features.
Body template_tree(const std::vector<JinjaPiece>&);

/// A token of a tag.
struct Token {
  enum class Kind { end, name, text, number, sign };
  Kind kind = Kind::end;
  std::string text;
};
std::vector<Token> tokens_of(std::string_view tag);

/// Parses one tag from left to right.
class TagReader {
 public:
  explicit TagReader(std::string_view tag) : tokens_(tokens_of(tag)) {}

  ExpressionPtr expression();
  /// An expression without `a if b else c`, as Jinja expects behind `if`, `elif` and `in`.
  ExpressionPtr or_expression() { return either(); }
  bool at_end() const { return token().kind == Token::Kind::end; }
  bool takes_name(std::string_view name) { return takes(Token::Kind::name, name); }
  bool takes_sign(std::string_view sign) { return takes(Token::Kind::sign, sign); }
  void expect_sign(std::string_view sign);
  void expect_name(std::string_view name);
  void expect_end() const;
  /// Throws Error if the next token is not a name, or a name that cannot be assigned.
  std::string name();

 private:
  const Token& token(std::size_t ahead = 0) const;
  bool is(Token::Kind kind, std::string_view text, std::size_t ahead = 0) const;
  bool takes(Token::Kind, std::string_view text);
  [[noreturn]] void fail() const;

  ExpressionPtr either();
  ExpressionPtr both();
  ExpressionPtr negation();
  ExpressionPtr comparison();
  std::string comparing_sign();
  ExpressionPtr sum();
  ExpressionPtr joined();
  ExpressionPtr product();
  ExpressionPtr unary(bool with_filters);
  ExpressionPtr primary();
  ExpressionPtr constant_name();
  ExpressionPtr list();
  ExpressionPtr mapping();
  ExpressionPtr with_parts(ExpressionPtr);
  ExpressionPtr with_filters(ExpressionPtr);
  ExpressionPtr subscript(ExpressionPtr);
  ExpressionPtr test(ExpressionPtr);
  void arguments(Expression& call);

  const std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace attnscope::tokenizers::jinja
