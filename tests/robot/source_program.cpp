#include "tests/robot/source_program.hpp"

#include <algorithm>

namespace attnscope {

/// Whether a literal or fmt::format is in the expression itself, not in a function that it calls.
bool SourceProgram::makes_text(const TokenRange& range) const {
  for (std::size_t i = range.begin; i < range.end; i = after(range, i)) {
    if (at(range, i).kind == SourceToken::Kind::Text) return true;
    if (at(range, i).is("(")) {
      const SourceToken& name = i > range.begin ? at(range, i - 1) : at(range, i);
      const bool is_call = i > range.begin && name.kind == SourceToken::Kind::Name;
      if ((!is_call || is_one_of(name.text, {"string", "string_view", "format"})) &&
          makes_text({range.file, i + 1, at(range, i).mate}))
        return true;
    }
  }
  return false;
}

/// Whether an argument is a variable or a call without a literal of its own.
bool SourceProgram::is_name_or_call(const TokenRange& range) const {
  if (range.empty() || at(range, range.begin).kind != SourceToken::Kind::Name) return false;
  if (range.end - range.begin == 1) {
    const Function* inside = function_at(range.file, range.begin);
    const std::string& name = at(range, range.begin).text;
    return inside == nullptr ||
           std::find(inside->parameters.begin(), inside->parameters.end(), name) == inside->parameters.end();
  }
  const bool ends = at(range, range.end - 1).is(")");
  if (!ends) return false;
  const std::size_t open = at(range, range.end - 1).mate;
  return open == range.begin + 1 && by_name_.contains(at(range, range.begin).text);
}

/// An argument, or a statement, whose text is the one it assigns or returns.
void SourceProgram::statement(TokenRange range, const Argument& argument, std::vector<ProgramText>* out) {
  bool adds = false, is_argument = true;
  TokenRange left = range;  // of an assignment
  for (std::size_t i = range.begin; i < range.end; i = after(range, i)) {
    const SourceToken& token = at(range, i);
    if (!token.is_word("return") && !token.is("=") && !token.is("+=")) continue;
    is_argument = false;
    adds = token.is("+=");
    if (i > range.begin && !token.is_word("return") && at(range, i - 1).kind == SourceToken::Kind::Name &&
        is_only_id({range.file, i - 1, i}, at(range, i - 1).text))
      return;
    left.end = i;
    range.begin = i + 1;
  }
  const auto& [callee, place, count] = argument;
  if (range.empty() || (is_argument && is_id(range, callee, place, count))) return;
  if (callee == "format" && place == 0) return;  // taken with its arguments
  const bool is_drawn = is_argument && shows(range.file, callee, place, count);
  if (is_drawn && range.end - range.begin > 4 && at(range, range.end - 3).is_word("c_str")) range.end -= 4;
  bool is_new = false,
       is_piece = true;  // its literals: one that no outer expression has taken; all joined
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (at(range, i).kind != SourceToken::Kind::Text) continue;
    is_new |= !taken_.contains({range.file, i});
    is_piece &= glued_.contains({range.file, i}) && !alone_.contains({range.file, i});
  }
  const bool makes = is_new && makes_text(range);
  // Without a literal: a variable or a call, whose text was made elsewhere, and texts that Ui itself draws.
  const bool passes =
      is_name_or_call(range) ? out == nullptr || is_drawn : is_argument && draws(callee, place);
  if (!makes && !passes) return;
  if (callee == "append" || callee == "insert") adds = true;
  const Texts texts = adds ? lengthened(left, range) : evaluate(range);
  if (out == nullptr || (makes && is_piece && !is_drawn)) return;
  for (const std::string& text : texts)
    out->push_back({text, files_[range.file].name, at(range, range.begin).line});
}

void SourceProgram::walk(const TokenRange& range, const std::string& callee, std::vector<ProgramText>* out) {
  std::size_t place = 0;
  for (const TokenRange& part : split(range, ";")) {
    const std::vector<TokenRange> all = split(part, ",");
    for (const TokenRange& each : all) statement(each, {callee, place++, all.size()}, out);
  }
  for (std::size_t i = range.begin; i < range.end; i = after(range, i)) {
    if (!at(range, i).opens()) continue;
    std::string name;
    if (at(range, i).is("(") && i > range.begin && at(range, i - 1).kind == SourceToken::Kind::Name)
      name = at(range, i - 1).text;
    const std::size_t behind = at(range, i).mate + 1;
    if (name.empty() && behind + 1 < range.end && at(range, behind).is(".") &&
        at(range, behind + 1).is_word("c_str") && !is_drawn_argument({range.file, i, i + 1}))
      name = "c_str";
    if (at(range, i).is("{")) name = callee.empty() ? "{" : callee + "{";
    // own() marks a text that is not of the interface; counted() gives a text with its number.
    if (!is_one_of(name, {"own", "own_number", "counted"}))
      walk({range.file, i + 1, at(range, i).mate}, name, out);
  }
}

SourceProgram::Texts SourceProgram::counted(const std::vector<TokenRange>& arguments) {
  Texts all;
  ++glue_depth_;
  for (const std::size_t which : {1, 2})
    for (const std::string& text : evaluate(arguments[which])) all.insert("1 " + text);
  --glue_depth_;
  return all;
}

/// Functions that write a number.
bool SourceProgram::writes_number(std::string_view name) {
  return is_one_of(name, {"to_string", "grouped", "fixed", "tight", "tiny", "bytes", "metric", "in_cell",
                          "score_in_cell", "tick", "significant"});
}

/// The end of the lambda that begins with this bracket; the bracket itself where it begins none.
std::size_t SourceProgram::behind_lambda(const TokenRange& body, std::size_t bracket) const {
  std::size_t next = at(body, bracket).is("[") ? at(body, bracket).mate + 1 : body.end;
  if (next >= body.end || !at(body, next).is("(")) return bracket;
  next = at(body, next).mate + 1;
  const auto is_type = [&](const SourceToken& token) {
    return token.kind == SourceToken::Kind::Name || token.is("->") || token.is("::");
  };
  while (next < body.end && is_type(at(body, next))) ++next;
  return next < body.end && at(body, next).is("{") ? at(body, next).mate : bracket;
}

/// The texts given to `name` as a parameter of a lambda of the function; empty: it is no such parameter.
SourceProgram::Texts SourceProgram::lambda_parameter(const Function& function, const TokenRange& use,
                                                     const std::string& name) {
  for (std::size_t i = function.body.begin; i + 2 < use.begin; ++i) {
    if (!at(use, i).is("[") || !at(use, i - 1).is("=")) continue;
    const std::size_t list = at(use, i).mate + 1;
    if (!at(use, list).is("(")) continue;
    std::size_t brace = at(use, list).mate + 1;
    while (brace < use.begin && !at(use, brace).is("{")) brace = after(use, brace);
    if (brace >= use.begin || at(use, brace).mate < use.begin) continue;
    std::size_t place = 0;
    for (const TokenRange& each : split({use.file, list + 1, at(use, list).mate}, ",")) {
      if (at(use, each.end - 1).is_word(name))
        return parameter_of({at(use, i - 2).text, use.file, true}, place);
      ++place;
    }
  }
  return {};
}

std::vector<ProgramText> SourceProgram::texts() {
  std::vector<ProgramText> all;
  marks_ = true;
  for (std::size_t i = 0; i < files_.size(); ++i) walk({i, 0, files_[i].tokens.size()}, "", nullptr);
  marks_ = false;
  taken_.clear();
  for (std::size_t i = 0; i < files_.size(); ++i) walk({i, 0, files_[i].tokens.size()}, "", &all);
  return all;
}

}  // namespace attnscope
