#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"
#include "core/tokenizers/chat/jinja_tree.hpp"

namespace attnscope::tokenizers::jinja {
namespace {

constexpr int deepest_statement = 40;

class TemplateReader {
 public:
  explicit TemplateReader(const std::vector<JinjaPiece>& pieces) : pieces_(pieces) {}

  Body read() {
    Body made = body({});
    if (at_ < pieces_.size()) throw Error(fmt::format("Unexpected {}.", word()));
    return made;
  }

 private:
  bool is_tag() const { return at_ < pieces_.size() && pieces_[at_].kind == '%'; }
  /// The first word of the current tag.
  std::string word() const {
    const std::vector<Token> tokens = tokens_of(pieces_[at_].text);
    return tokens[0].kind == Token::Kind::name ? tokens[0].text : "tag";
  }

  /// Reads statements until one of `ends`, which is not consumed.
  Body body(const std::vector<std::string>& ends) {
    if (++depth_ > deepest_statement) throw Error("Tags nest too deep.");
    Body made;
    while (at_ < pieces_.size()) {
      const JinjaPiece& piece = pieces_[at_];
      if (piece.kind == 'd') {
        made.push_back({.kind = Statement::Kind::data, .text = piece.text});
        ++at_;
      } else if (piece.kind == '{') {
        TagReader tag(piece.text);
        made.push_back({.kind = Statement::Kind::output, .expression = tag.expression()});
        tag.expect_end();
        ++at_;
      } else if (std::ranges::find(ends, word()) != ends.end() || word().starts_with("e")) {
        if (std::ranges::find(ends, word()) == ends.end()) throw Error(fmt::format("Unexpected {}.", word()));
        break;
      } else {
        made.push_back(statement());
      }
    }
    --depth_;
    return made;
  }

  Body body_of(const std::string& opening, const std::vector<std::string>& ends) {
    Body made = body(ends);
    if (at_ == pieces_.size()) throw Error(fmt::format("Unterminated {}.", opening));
    return made;
  }

  void end(const std::string& name) {
    TagReader tag(pieces_[at_++].text);
    tag.expect_name(name);
    tag.expect_end();
  }

  Statement statement() {
    const std::string name = word();
    TagReader tag(pieces_[at_++].text);
    if (name != "tag") tag.takes_name(name);
    if (name == "set") return set(tag);
    if (name == "if") return branches(tag);
    if (name == "for") return loop(tag);
    if (name == "macro") return macro(tag);
    if (name == "break" || name == "continue") {
      tag.expect_end();
      if (loops_ == 0) throw Error(fmt::format("Unexpected {}.", name));
      return {.kind = name == "break" ? Statement::Kind::leave : Statement::Kind::next};
    }
    if (name == "generation") {
      tag.expect_end();
      const int loops = std::exchange(loops_, 0);
      ++inner_;
      Statement made{.kind = Statement::Kind::generation, .body = body_of(name, {"endgeneration"})};
      --inner_;
      loops_ = loops;
      end("endgeneration");
      return made;
    }
    throw Error(fmt::format("It has the tag {}, which is not supported.", in_quotes(name, 40)));
  }

  Statement set(TagReader& tag) {
    Statement made{.kind = Statement::Kind::set, .names = {tag.name()}};
    if (tag.takes_sign(".")) {
      made.kind = Statement::Kind::set_field;
      made.names.push_back(tag.name());
    } else if (tag.takes_sign(",")) {
      throw Error("It sets several variables at once, which is not supported.");
    }
    if (tag.takes_sign("=")) {
      made.expression = tag.expression();
      tag.expect_end();
      return made;
    }
    tag.expect_end();
    if (made.kind == Statement::Kind::set_field)
      throw Error("It sets a field to a block, which is not supported.");
    made.kind = Statement::Kind::set_block;
    const int loops = std::exchange(loops_, 0);
    ++inner_;
    made.body = body_of("set", {"endset"});
    --inner_;
    loops_ = loops;
    end("endset");
    return made;
  }

  Statement branches(TagReader& first) {
    Statement made{.kind = Statement::Kind::branches};
    made.branches.push_back({.condition = first.or_expression(), .body = {}});
    first.expect_end();
    for (;;) {
      const bool is_else = !made.branches.back().condition;
      made.branches.back().body = body_of("if", is_else ? std::vector<std::string>{"endif"}
                                                        : std::vector<std::string>{"elif", "else", "endif"});
      if (word() == "endif") break;
      TagReader tag(pieces_[at_++].text);
      if (tag.takes_name("elif"))
        made.branches.push_back({.condition = tag.or_expression(), .body = {}});
      else if (tag.takes_name("else"))
        made.branches.push_back({});
      tag.expect_end();
    }
    end("endif");
    return made;
  }

  Statement loop(TagReader& tag) {
    Statement made{.kind = Statement::Kind::loop, .names = {tag.name()}};
    while (tag.takes_sign(",")) made.names.push_back(tag.name());
    tag.expect_name("in");
    made.expression = tag.or_expression();
    if (tag.takes_name("if")) made.condition = tag.expression();
    tag.expect_end();
    ++inner_;
    ++loops_;
    made.body = body_of("for", {"else", "endfor"});
    --loops_;
    if (word() == "else") {
      end("else");
      made.otherwise = body_of("for", {"endfor"});
    }
    --inner_;
    end("endfor");
    return made;
  }

  Statement macro(TagReader& tag) {
    // A macro in an inner scope could use variables that no longer exist when it is called.
    if (inner_ > 0)
      throw Error("It defines a macro inside a loop, a macro or a block, which is not supported.");
    Statement made{.kind = Statement::Kind::macro, .macro = std::make_unique<Macro>()};
    made.macro->name = tag.name();
    tag.expect_sign("(");
    auto& parameters = made.macro->parameters;
    while (!tag.takes_sign(")")) {
      if (!parameters.empty()) tag.expect_sign(",");
      std::string name = tag.name();
      ExpressionPtr otherwise = tag.takes_sign("=") ? tag.expression() : nullptr;
      if (!otherwise && !parameters.empty() && parameters.back().second)
        throw Error("A macro has a parameter without a default behind one with a default.");
      parameters.emplace_back(std::move(name), std::move(otherwise));
    }
    tag.expect_end();
    const int loops = std::exchange(loops_, 0);
    ++inner_;
    made.macro->body = body_of("macro", {"endmacro"});
    --inner_;
    loops_ = loops;
    end("endmacro");
    return made;
  }

  const std::vector<JinjaPiece>& pieces_;
  std::size_t at_ = 0;
  int depth_ = 0, loops_ = 0;
  int inner_ = 0;  // enclosing loops, macros and blocks
};

}  // namespace

Body template_tree(const std::vector<JinjaPiece>& pieces) { return TemplateReader(pieces).read(); }

}  // namespace attnscope::tokenizers::jinja
