// tests/robot: the texts of an expression.
#include <algorithm>

#include "app/kit/ui/own_words.hpp"
#include "tests/robot/source_program.hpp"

namespace attnscope {
namespace {

constexpr std::size_t most_texts = 600;
const std::string unknown(1, unknown_piece);
/// The text of an expression with too many texts to list: it is refused.
const std::string too_many = unknown + "…";

}  // namespace

/// Lives while another expression is evaluated because the first one uses its text.
struct SourceProgram::Crossing {
  explicit Crossing(SourceProgram& of)
      : program(of), was_crossed(of.is_crossed_), was_piece(of.is_piece_), depth(of.glue_depth_) {
    program.is_piece_ |= program.glue_depth_ > 0;
    program.is_crossed_ = true;
    program.glue_depth_ = 0;
  }
  ~Crossing() {
    program.is_crossed_ = was_crossed;
    program.is_piece_ = was_piece;
    program.glue_depth_ = depth;
  }
  Crossing(const Crossing&) = delete;
  Crossing& operator=(const Crossing&) = delete;
  SourceProgram& program;
  bool was_crossed, was_piece;
  int depth;
};

/// Lives while a text is evaluated that is then kept: it is whole where nothing was left out of it that an
/// evaluation around it is still working on.
struct SourceProgram::Whole {
  explicit Whole(SourceProgram& of) : program(of), depth(of.depth()), outer(of.cut_) { program.cut_ = never; }
  ~Whole() { program.cut_ = std::min(outer, is() ? never : program.cut_); }
  Whole(const Whole&) = delete;
  Whole& operator=(const Whole&) = delete;
  bool is() const { return program.cut_ >= depth; }
  bool lacks_part() const { return program.cut_ != never; }
  SourceProgram& program;
  std::size_t depth, outer;
};

/// No text is one that is not known, but where it would only be a part of itself.
SourceProgram::Texts SourceProgram::or_unknown(Texts all, const Whole& of) {
  return all.empty() && !of.lacks_part() ? Texts{unknown} : all;
}

/// False where the text is a part of itself: it adds nothing then.
template <typename Key>
bool SourceProgram::begin(std::map<Key, std::size_t>& doing, const Key& key) {
  const auto [at, is_new] = doing.try_emplace(key, depth());
  if (!is_new) cut_ = std::min(cut_, at->second);
  return is_new;
}

SourceProgram::Texts SourceProgram::evaluate(TokenRange range) {
  range = without_parentheses(range);
  if (range.empty()) return {""};
  // c ? a : b
  std::size_t question = range.end;
  int open = 0;
  for (std::size_t i = range.begin; i < range.end; i = after(range, i)) {
    if (at(range, i).is("?")) {
      if (open++ == 0) question = i;
    } else if (at(range, i).is(":") && open > 0 && --open == 0) {
      Texts all = evaluate({range.file, question + 1, i});
      all.merge(evaluate({range.file, i + 1, range.end}));
      return all;
    }
  }
  for (std::size_t i = range.begin; i < range.end; i = after(range, i))
    for (const char* sign : {"==", "!=", "&&", "||", "!", "<=", ">=", "=", "+="})
      if (at(range, i).is(sign)) return {unknown};
  const std::vector<TokenRange> terms = split(range, "+");
  if (terms.size() > 1) {
    ++glue_depth_;
    Texts all = product(terms);
    --glue_depth_;
    return all;
  }
  return primary(range);
}

SourceProgram::Texts SourceProgram::product(const std::vector<TokenRange>& terms) {
  Texts all{""};
  for (const TokenRange& term : terms) {
    Texts longer;
    const Texts more = evaluate(term);
    for (const std::string& text : all)
      for (const std::string& end : more) longer.insert(text + end);
    if (longer.size() > most_texts) return {too_many};
    all = std::move(longer);
  }
  return all;
}

SourceProgram::Texts SourceProgram::primary(const TokenRange& range) {
  const SourceToken& first = at(range, range.begin);
  const std::size_t size = range.end - range.begin;
  if (first.kind == SourceToken::Kind::Text && size == 1) {
    if (marks_ && is_piece_) glued_.emplace(range.file, range.begin);
    if (marks_ && is_crossed_ && !is_piece_) alone_.emplace(range.file, range.begin);
    if (!is_crossed_) taken_.emplace(range.file, range.begin);
    return {first.text};
  }
  if (first.kind == SourceToken::Kind::Character && size == 1) return {first.text};
  if (first.kind == SourceToken::Kind::Name && size == 1) return variable(range);
  if (first.kind == SourceToken::Kind::Name && at(range, range.end - 1).is("]") &&
      at(range, range.end - 1).mate == range.begin + 1)
    return elements(range);
  if (at(range, range.end - 1).is(")")) {
    const std::size_t open = at(range, range.end - 1).mate;
    if (open > range.begin && at(range, open - 1).kind == SourceToken::Kind::Name) {
      bool is_path = true;
      for (std::size_t i = range.begin; i + 1 < open; ++i)
        is_path &= at(range, i).kind == SourceToken::Kind::Name || at(range, i).is("::");
      const std::string& name = at(range, open - 1).text;
      if (is_path) return call(range, open - 1, open);
      if (writes_number(name)) return {"1"};
      if (name == "say" || name == "said") return {own("x")};
      if (name != "value" && name != "string" && by_name_.contains(name) && by_name_[name].size() == 1)
        return call(range, open - 1, open);
    }
  }
  return {unknown};
}

/// NAME[i]: of NAME = {…}, NAME[]{…} or NAME{…} in the same file.
SourceProgram::Texts SourceProgram::elements(const TokenRange& use) {
  const std::string& name = at(use, use.begin).text;
  const Function* inside = function_at(use.file, use.begin);
  const TokenRange whole{use.file, 1, files_[use.file].tokens.size()};
  for (const TokenRange& scope :
       {inside != nullptr ? TokenRange{use.file, inside->body.begin, use.begin} : TokenRange{}, whole}) {
    for (std::size_t i = scope.begin; i + 2 < scope.end; ++i) {
      if (!at(use, i).is_word(name) || at(use, i - 1).is(".")) continue;
      std::size_t open = i + 1;
      if (at(use, open).is("[") && at(use, open).mate == open + 1) open += 2;
      if (at(use, open).is("=")) ++open;
      if (!at(use, open).is("{")) continue;
      const Crossing crossing(*this);
      Texts all;
      for (const TokenRange& each : split({use.file, open + 1, at(use, open).mate}, ","))
        all.merge(at(use, each.begin).is("{") ? Texts{unknown} : evaluate(each));
      return all;
    }
  }
  return {unknown};
}

SourceProgram::Texts SourceProgram::call(const TokenRange& range, std::size_t name_at, std::size_t open) {
  const std::string& name = at(range, name_at).text;
  const std::vector<TokenRange> arguments = split({range.file, open + 1, range.end - 1}, ",");
  if (writes_number(name)) return {"1"};
  if (name == "own" || name == "own_number" || name == "inner") return {own("x")};
  if (name == "counted" && arguments.size() == 3) return counted(arguments);
  if (name == "in_quotes") return {"\"" + own("x") + "\""};
  if (is_one_of(name, {"string", "string_view"}) && arguments.empty()) return {""};
  if (is_one_of(name, {"string", "string_view", "plain"}) && arguments.size() == 1)
    return evaluate(arguments[0]);
  if (name == "format" && name_at >= 2 && at(range, name_at - 2).is_word("fmt")) return formatted(arguments);
  if (const Function* inside = function_at(range.file, range.begin)) {
    // A lambda of this function.
    for (std::size_t i = inside->body.begin; i + 2 < range.begin; ++i) {
      if (!at(range, i).is_word(name) || !at(range, i + 1).is("=") || !at(range, i + 2).is("[")) continue;
      std::size_t brace = i + 2;
      while (!at(range, brace).is("{")) brace = after(range, brace);
      return returned({range.file, brace + 1, at(range, brace).mate});
    }
  }
  return called(range, name, arguments.size());
}

/// The texts that the functions of this name return, of those that fit best.
SourceProgram::Texts SourceProgram::called(const TokenRange& range, const std::string& name,
                                           std::size_t arguments) {
  const Whole whole(*this);
  Texts all;
  for (const Function* each : meant(range.file, name, arguments, true)) all.merge(returned(each->body));
  return or_unknown(std::move(all), whole);
}

/// fmt::format: a placeholder with a colon is a number.
SourceProgram::Texts SourceProgram::formatted(const std::vector<TokenRange>& arguments) {
  if (arguments.empty()) return {unknown};
  Texts all;
  for (const std::string& pattern : evaluate(arguments[0])) all.merge(formatted(pattern, arguments));
  return all;
}

SourceProgram::Texts SourceProgram::formatted(const std::string& pattern,
                                              const std::vector<TokenRange>& arguments) {
  Texts all{""};
  std::size_t next = 1;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    Texts ends{std::string(1, pattern[i])};
    const std::size_t close = pattern[i] == '{' ? pattern.find('}', i) : std::string::npos;
    if ((pattern[i] == '{' || pattern[i] == '}') && pattern.substr(i + 1, 1) == pattern.substr(i, 1)) {
      ++i;
    } else if (close != std::string::npos) {
      const std::size_t which = next++;
      ++glue_depth_;
      if (pattern.substr(i, close - i).find(':') != std::string::npos)
        ends = {"1"};
      else
        ends = which < arguments.size() ? evaluate(arguments[which]) : Texts{unknown};
      --glue_depth_;
      i = close;
    }
    Texts longer;
    for (const std::string& text : all)
      for (const std::string& end : ends) longer.insert(text + end);
    if (longer.size() > most_texts) return {too_many};
    all = std::move(longer);
  }
  return all;
}

/// The texts behind `return`, without those of lambdas.
SourceProgram::Texts SourceProgram::returned(const TokenRange& body) {
  const auto key = std::pair(body, is_piece());
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  const Whole whole(*this);
  if (!begin(doing_, body)) return {};
  const Crossing crossing(*this);
  Texts all;
  for (std::size_t i = body.begin; i < body.end; ++i) {
    i = behind_lambda(body, i);
    if (!at(body, i).is_word("return")) continue;
    std::size_t stop = i + 1;
    while (stop < body.end && !at(body, stop).is(";")) stop = after(body, stop);
    const bool is_nothing = stop == i + 3 && at(body, i + 1).is("{");
    if (stop > i + 1) all.merge(is_nothing ? Texts{""} : evaluate({body.file, i + 1, stop}));
  }
  doing_.erase(body);
  if (all.size() > most_texts) all = {too_many};
  if (whole.is()) known_[key] = all;
  return all;
}

SourceProgram::Texts SourceProgram::variable(const TokenRange& use) {
  const std::string& name = at(use, use.begin).text;
  if (name == "true" || name == "false" || name == "nullptr") return {unknown};
  const auto work = std::pair(use, is_piece());
  if (const auto known = known_.find(work); known != known_.end()) return known->second;
  const Crossing crossing(*this);
  const Whole whole(*this);
  Texts all = variable_value(use, name);
  if (whole.is()) known_[work] = all;
  return all;
}

SourceProgram::Texts SourceProgram::variable_value(const TokenRange& use, const std::string& name) {
  if (const Function* inside = function_at(use.file, use.begin)) {
    const Texts found = assigned(inside->body, name, use.begin);
    if (!found.empty()) return found;
    const auto parameter_at = std::find(inside->parameters.begin(), inside->parameters.end(), name);
    if (parameter_at != inside->parameters.end())
      return parameter_of({inside->name, use.file, by_name_[inside->name].size() > 1},
                          static_cast<std::size_t>(parameter_at - inside->parameters.begin()));
    if (const Texts given = lambda_parameter(*inside, use, name); !given.empty()) return given;
  }
  // A function that is passed to its caller.
  if (const auto functions = by_name_.find(name); functions != by_name_.end())
    for (const auto& [file, index] : functions->second)
      if (file == use.file && files_[file].functions[index].gives_text) return called(use, name, 0);
  const auto found = constants_.find(name);
  if (found == constants_.end()) return {unknown};
  const bool is_here = std::any_of(found->second.begin(), found->second.end(),
                                   [&](const TokenRange& each) { return each.file == use.file; });
  const Whole whole(*this);
  Texts all;
  for (const TokenRange& each : found->second)
    if ((is_here ? each.file == use.file : files_[each.file].name.ends_with(".hpp")) && begin(doing_, each)) {
      all.merge(evaluate(each));
      doing_.erase(each);
    }
  return or_unknown(std::move(all), whole);
}

/// All texts that calls pass to it.
SourceProgram::Texts SourceProgram::parameter_of(const Called& function, std::size_t index) {
  const Parameter key(function.name + (function.is_local ? std::to_string(function.file) : ""), index);
  const auto work = std::pair(key, is_piece());
  if (const auto known = known_parameters_.find(work); known != known_parameters_.end()) return known->second;
  const Whole whole(*this);
  if (!begin(doing_parameters_, key)) return {};
  const Crossing crossing(*this);
  Texts all;
  const auto calls = calls_.find(function.name);
  if (calls != calls_.end())
    for (const Call& each : calls->second) {
      if (each.arguments.size() <= index) continue;
      if (function.is_local && each.file != function.file) continue;
      const TokenRange& argument = each.arguments[index];
      // The definition itself: a type in front of the name.
      if (argument.end - argument.begin > 1 &&
          at(argument, argument.end - 1).kind == SourceToken::Kind::Name &&
          (at(argument, argument.end - 2).kind == SourceToken::Kind::Name ||
           at(argument, argument.end - 2).is("&")))
        continue;
      if (argument.end - argument.begin >= 1 && at(argument, argument.end - 1).is_word("string_view"))
        continue;
      all.merge(evaluate(argument));
    }
  doing_parameters_.erase(key);
  all = or_unknown(std::move(all), whole);
  if (all.size() > most_texts) all = {too_many};
  if (whole.is()) known_parameters_[work] = all;
  return all;
}

/// The texts assigned to a variable of a function before a place; empty: there is no such variable.
SourceProgram::Texts SourceProgram::assigned(const TokenRange& scope, const std::string& name,
                                             std::size_t before) {
  const Whole whole(*this);
  Texts all;
  bool is_known = false;
  for (std::size_t i = scope.begin; i + 1 < before; ++i) {
    if (!at(scope, i).is_word(name) || at(scope, i - 1).is(".") || at(scope, i - 1).is("->")) continue;
    const bool adds = at(scope, i + 1).is("+=");
    const bool braces = (at(scope, i + 1).is("{") || at(scope, i + 1).is("(")) && i > scope.begin &&
                        is_one_of(at(scope, i - 1).text, {"string", "string_view"});
    if (!adds && !braces && !at(scope, i + 1).is("=")) {
      if (is_one_of(at(scope, i - 1).text, {"string"}) &&
          (at(scope, i + 1).is(";") || at(scope, i + 1).is(",")))
        is_known = all.insert("").second || is_known;
      continue;
    }
    std::size_t stop = i + 2;
    if (braces)
      stop = at(scope, i + 1).mate;
    else
      while (stop < scope.end && !at(scope, stop).is(";") && !at(scope, stop).is(",")) {
        if (at(scope, stop).is(")")) break;
        stop = after(scope, stop);
      }
    const TokenRange value{scope.file, i + 2, stop};
    if (stop > before || !begin(doing_, value)) continue;
    is_known = true;
    Texts more;
    if (adds) {
      ++glue_depth_;
      const Texts ends = evaluate(value);
      --glue_depth_;
      for (const std::string& text : all)
        for (const std::string& end : ends) more.insert(text + end);
      if (all.size() + more.size() > most_texts) more = all = {too_many};
    } else {
      more = evaluate(value);
    }
    doing_.erase(value);
    all.merge(more);
  }
  return is_known ? or_unknown(std::move(all), whole) : all;
}

/// The texts of `left` after `left += right`.
SourceProgram::Texts SourceProgram::lengthened(const TokenRange& left, const TokenRange& right) {
  Texts before{unknown};
  const Function* inside = function_at(left.file, left.begin);
  if (!left.empty() && inside != nullptr && at(left, left.end - 1).kind == SourceToken::Kind::Name &&
      (left.end - left.begin == 1 || !(at(left, left.end - 2).is(".") || at(left, left.end - 2).is("->")))) {
    const Crossing crossing(*this);
    before = assigned(inside->body, at(left, left.end - 1).text, left.end - 1);
    if (before.empty()) before = {unknown};
  }
  const Texts ends = evaluate(right);
  Texts all;
  for (const std::string& text : before)
    for (const std::string& end : ends) all.insert(text + end);
  return all.size() > most_texts ? Texts{too_many} : all;
}

}  // namespace attnscope
