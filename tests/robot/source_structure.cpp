#include "tests/robot/source_structure.hpp"

#include <algorithm>
#include <array>

namespace attnscope {
namespace {

/// Functions that draw a text, and which argument it is.
constexpr std::array<std::pair<std::string_view, std::size_t>, 8> drawn{{{"text", 2},
                                                                         {"upright_text", 2},
                                                                         {"paragraph", 3},
                                                                         {"text_width", 0},
                                                                         {"fitted", 0},
                                                                         {"say", 0},
                                                                         {"tell", 0},
                                                                         {"inner", 0}}};

}  // namespace

bool SourceStructure::is_control(std::string_view name) {
  return is_one_of(name, {"if", "for", "while", "switch", "catch", "return", "sizeof", "decltype",
                          "static_assert", "noexcept", "alignas", "constexpr"});
}

bool SourceStructure::is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void SourceStructure::add(std::string file, std::string_view source) {
  files_.push_back({std::move(file), tokens_of(source), {}});
  const std::size_t number = files_.size() - 1;
  find_functions(files_.back(), {number, 0, files_.back().tokens.size()}, false);
  for (std::size_t i = 0; i < files_.back().functions.size(); ++i)
    by_name_[files_.back().functions[i].name].emplace_back(number, i);
  find_calls(number);
  find_lambdas(number);
}

/// The token after this one, or after the group that it opens.
std::size_t SourceStructure::after(const TokenRange& range, std::size_t i) const {
  return at(range, i).opens() ? at(range, i).mate + 1 : i + 1;
}

std::vector<TokenRange> SourceStructure::split(const TokenRange& range, std::string_view sign) const {
  std::vector<TokenRange> all;
  std::size_t begin = range.begin;
  for (std::size_t i = range.begin; i < range.end; i = after(range, i)) {
    if (!at(range, i).is(sign)) continue;
    all.push_back({range.file, begin, i});
    begin = i + 1;
  }
  if (begin < range.end || !all.empty()) all.push_back({range.file, begin, range.end});
  return all;
}

TokenRange SourceStructure::without_parentheses(TokenRange range) const {
  while (!range.empty() && at(range, range.begin).is("(") && at(range, range.begin).mate == range.end - 1) {
    ++range.begin;
    --range.end;
  }
  return range;
}

const SourceStructure::Function* SourceStructure::function_at(std::size_t file, std::size_t token) const {
  for (const Function& each : files_[file].functions)
    if (each.body.begin <= token && token < each.body.end) return &each;
  return nullptr;
}

/// Functions and classes in a scope that is no function's.
void SourceStructure::find_functions(File& file, const TokenRange& scope, bool is_local) {
  const auto& [number, begin, end] = scope;
  const std::vector<SourceToken>& all = file.tokens;
  std::size_t start = begin;  // of the declaration
  for (std::size_t i = begin; i < end; ++i) {
    if (all[i].is(";")) start = i + 1;
    if (all[i].is("(") || all[i].is("[")) i = all[i].mate;
    if (!all[i].is("{")) continue;
    const std::size_t open = i;
    i = all[i].mate;
    std::size_t list = end;  // of the parameters
    bool is_scope = false, is_value = false;
    for (std::size_t j = start; j < open; j = all[j].opens() ? all[j].mate + 1 : j + 1) {
      is_scope |= is_one_of(all[j].text, {"namespace", "class", "struct", "union"}) &&
                  all[j].kind == SourceToken::Kind::Name && list == end;
      is_value |= all[j].is("=") && list == end;
      if (all[j].is("(") && j > start && all[j - 1].kind == SourceToken::Kind::Name && list == end) list = j;
    }
    if (list != end && !is_value) {
      Function made{all[list - 1].text, {}, {}, {number, open + 1, all[open].mate}, false, is_local};
      for (std::size_t j = start; j + 1 < list; ++j)
        made.gives_text |= is_one_of(all[j].text, {"string", "string_view", "char", "auto"});
      made.parameters = names_of({number, list + 1, all[list].mate});
      made.takes_id = ids_of({number, list + 1, all[list].mate});
      file.functions.push_back(std::move(made));
    } else if (is_scope && !is_value) {
      find_functions(file, {number, open + 1, all[open].mate},
                     is_local || all[open - 1].is_word("namespace"));
    } else if (open > start && all[open - 1].kind == SourceToken::Kind::Name) {
      constants_[all[open - 1].text].push_back({number, open + 1, all[open].mate});
      continue;
    } else {
      continue;
    }
    start = i + 1;
  }
  find_constants(number, begin, end);
}

/// NAME = … ; outside functions.
void SourceStructure::find_constants(std::size_t number, std::size_t begin, std::size_t end) {
  const std::vector<SourceToken>& all = files_[number].tokens;
  for (std::size_t i = begin; i + 1 < end; ++i) {
    if (all[i].opens()) {
      i = all[i].mate;
      continue;
    }
    if (all[i].kind != SourceToken::Kind::Name || !all[i + 1].is("=")) continue;
    bool is_constant = false;
    for (std::size_t j = i; j-- > begin && !all[j].is(";") && !all[j].is("}");)
      is_constant |= all[j].is_word("constexpr") || all[j].is_word("const");
    if (!is_constant) continue;
    std::size_t stop = i + 2;
    while (stop < end && !all[stop].is(";") && !all[stop].is(",")) stop = after({number, 0, 0}, stop);
    constants_[all[i].text].push_back({number, i + 2, stop});
  }
}

void SourceStructure::find_calls(std::size_t file) {
  const std::vector<SourceToken>& all = files_[file].tokens;
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].is("(") && all[i - 1].kind == SourceToken::Kind::Name && !is_control(all[i - 1].text))
      calls_[all[i - 1].text].push_back({file, split({file, i + 1, all[i].mate}, ",")});
}

/// NAME = [](parameters) { … }.
void SourceStructure::find_lambdas(std::size_t file) {
  const std::vector<SourceToken>& all = files_[file].tokens;
  for (std::size_t i = 0; i + 2 < all.size(); ++i) {
    if (all[i].kind != SourceToken::Kind::Name || !all[i + 1].is("=") || !all[i + 2].is("[")) continue;
    const std::size_t list = all[i + 2].mate + 1;
    if (!all[list].is("(")) continue;
    std::size_t brace = all[list].mate + 1;
    while (brace < all.size() && !all[brace].is("{")) ++brace;
    const TokenRange parameters{file, list + 1, all[list].mate};
    lambdas_[{file, all[i].text}] = {
        all[i].text, names_of(parameters), ids_of(parameters), {file, brace + 1, all[brace].mate}, true};
  }
}

std::vector<std::string> SourceStructure::names_of(const TokenRange& parameters) const {
  std::vector<std::string> names;
  for (const TokenRange& each : split(parameters, ",")) {
    names.emplace_back();
    for (std::size_t j = each.begin; j < each.end && !at(each, j).is("="); j = after(each, j))
      if (at(each, j).kind == SourceToken::Kind::Name) names.back() = at(each, j).text;
  }
  return names;
}

/// Which parameters are `const char*`.
std::vector<bool> SourceStructure::ids_of(const TokenRange& parameters) const {
  std::vector<bool> ids;
  for (const TokenRange& each : split(parameters, ",")) {
    bool is_character = false, is_pointer = false;
    for (std::size_t j = each.begin; j < each.end && !at(each, j).is("="); j = after(each, j)) {
      is_character |= at(each, j).is_word("char");
      is_pointer |= at(each, j).is("*");
    }
    ids.push_back(is_character && is_pointer);
  }
  return ids;
}

std::vector<const SourceStructure::Function*> SourceStructure::meant(std::size_t file,
                                                                     const std::string& name,
                                                                     std::size_t arguments,
                                                                     bool gives_text) const {
  std::vector<const Function*> all;
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return all;
  for (const auto& [where, index] : found->second) {
    const Function& each = files_[where].functions[index];
    if (each.parameters.size() >= arguments && (where == file || !each.is_local) &&
        (each.gives_text || !gives_text))
      all.push_back(&each);
  }
  const auto prefer = [&](auto&& is_better) {
    if (std::any_of(all.begin(), all.end(), is_better))
      std::erase_if(all, [&](const Function* each) { return !is_better(each); });
  };
  prefer([&](const Function* each) { return each->body.file == file; });
  if (gives_text) prefer([&](const Function* each) { return each->parameters.size() == arguments; });
  return all;
}

/// Whether the argument at `place` is a name for the robot and Dear ImGui, not a text.
bool SourceStructure::is_id(const TokenRange& call, const std::string& callee, std::size_t place,
                            std::size_t count) const {
  if (callee == "c_str") return true;
  if (shows(call.file, callee, place, count)) return false;
  const auto takes_id = [&](const Function& each) {
    return place < each.takes_id.size() && each.takes_id[place];
  };
  if (const auto lambda = lambdas_.find({call.file, callee}); lambda != lambdas_.end())
    return takes_id(lambda->second);
  const std::vector<const Function*> all = meant(call.file, callee, count);
  return std::any_of(all.begin(), all.end(), [&](const Function* each) { return takes_id(*each); });
}

bool SourceStructure::draws(std::string_view callee, std::size_t place) {
  return std::find(drawn.begin(), drawn.end(), std::pair(callee, place)) != drawn.end();
}

/// A button shows its label unless it is given other words.
bool SourceStructure::shows(std::size_t file, const std::string& callee, std::size_t place,
                            std::size_t count) const {
  if (callee == "button") return place == 1 && count < 5;
  if (callee == "menu_row" || callee == "section_header") return place == 1;
  if (std::any_of(drawn.begin(), drawn.end(), [&](const auto& each) { return each.first == callee; }))
    return draws(callee, place);
  if (const auto lambda = lambdas_.find({file, callee}); lambda != lambdas_.end())
    return shows_parameter(lambda->second, place);
  const std::vector<const Function*> all = meant(file, callee, count);
  return std::any_of(all.begin(), all.end(),
                     [&](const Function* each) { return shows_parameter(*each, place); });
}

/// Whether a function passes this parameter on to a drawing function.
bool SourceStructure::shows_parameter(const Function& function, std::size_t place) const {
  if (place >= function.parameters.size()) return false;
  const TokenRange& body = function.body;
  const Passed key(body, place);
  if (const auto known = shown_.find(key); known != shown_.end()) return known->second;
  if (!asked_.insert(key).second) return false;
  ++asking_;
  bool is_drawn = false;
  for (std::size_t i = body.begin + 1; i < body.end && !is_drawn; ++i) {
    if (!at(body, i).is("(") || at(body, i - 1).kind != SourceToken::Kind::Name) continue;
    const std::vector<TokenRange> arguments = split({body.file, i + 1, at(body, i).mate}, ",");
    for (std::size_t which = 0; which < arguments.size() && !is_drawn; ++which) {
      const TokenRange& each = arguments[which];
      is_drawn = each.end - each.begin == 1 && at(body, each.begin).is_word(function.parameters[place]) &&
                 shows(body.file, at(body, i - 1).text, which, arguments.size());
    }
  }
  if (is_drawn) shown_[key] = true;
  if (--asking_ > 0) return is_drawn;
  // Functions can call each other in a circle: only now is a no to those inside certain.
  if (!is_drawn)
    for (const Passed& each : asked_) shown_[each] = false;
  asked_.clear();
  return is_drawn;
}

/// Whether the token is in an argument that is drawn.
bool SourceStructure::is_drawn_argument(const TokenRange& token) const {
  std::size_t place = 0, i = token.begin;
  while (i-- > 0) {
    if (at(token, i).is(",")) ++place;
    if (at(token, i).is(")") || at(token, i).is("}") || at(token, i).is("]")) i = at(token, i).mate;
    if (at(token, i).is(";") || at(token, i).is("{")) return false;
    if (at(token, i).is("(") && at(token, i).mate > token.begin) break;
  }
  if (i == 0 || at(token, i - 1).kind != SourceToken::Kind::Name) return false;
  return shows(token.file, at(token, i - 1).text, place,
               split({token.file, i + 1, at(token, i).mate}, ",").size());
}

/// Whether a variable is used only for names: `variable.c_str()`.
bool SourceStructure::is_only_id(const TokenRange& name, const std::string& variable) const {
  const Function* inside = function_at(name.file, name.begin);
  if (inside == nullptr) return false;
  int uses = 0;
  for (std::size_t i = inside->body.begin; i + 2 < inside->body.end; ++i) {
    if (!at(name, i).is_word(variable) || at(name, i + 1).is("=") || at(name, i + 1).is("+=")) continue;
    if (at(name, i - 1).is(".") || at(name, i - 1).is("->") || at(name, i - 1).is("::")) continue;
    if (!at(name, i + 1).is(".") || !at(name, i + 2).is_word("c_str")) return false;
    if (is_drawn_argument({name.file, i, i + 1})) return false;
    ++uses;
  }
  return uses > 0;
}

}  // namespace attnscope
