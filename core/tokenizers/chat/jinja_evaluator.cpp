#include "core/tokenizers/chat/jinja_evaluator.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace attnscope::tokenizers::jinja {
namespace {

using Kind = Value::Kind;
using Node = Expression::Kind;

constexpr int deepest_run = 400;
constexpr std::int64_t longest_range = 100'000;

std::string day_text(const std::string& format, const Day& day) {
  const std::chrono::year_month_day date{std::chrono::year(day.year),
                                         std::chrono::month(static_cast<unsigned>(day.month)),
                                         std::chrono::day(static_cast<unsigned>(day.day))};
  const std::chrono::sys_days days(date), new_year(date.year() / 1 / 1);
  std::tm time{};
  time.tm_year = day.year - 1900;
  time.tm_mon = day.month - 1;
  time.tm_mday = day.day;
  time.tm_wday = static_cast<int>(std::chrono::weekday(days).c_encoding());
  time.tm_yday = static_cast<int>((days - new_year).count());
  std::string text(format.size() * 16 + 64, '\0');
  text.resize(std::strftime(text.data(), text.size(), format.c_str(), &time));
  return text;
}

Value loop_part(const std::string& name, const Scope& scope) {
  for (const Scope* at = &scope; at && !at->loop; at = at->outer)
    if (at->is_condition) throw Error("It uses loop to choose the turns of a loop.");
  if (!scope.loop) throw Error("It uses loop outside of a loop.");
  const Loop& loop = *scope.loop;
  const auto at = static_cast<std::int64_t>(loop.at), size = static_cast<std::int64_t>(loop.items.size());
  if (name == "index") return integer(at + 1);
  if (name == "index0") return integer(at);
  if (name == "revindex") return integer(size - at);
  if (name == "revindex0") return integer(size - at - 1);
  if (name == "first") return boolean(at == 0);
  if (name == "last") return boolean(at == size - 1);
  if (name == "length") return integer(size);
  if (name == "previtem") return at == 0 ? Value{} : loop.items[loop.at - 1];
  if (name == "nextitem") return at == size - 1 ? Value{} : loop.items[loop.at + 1];
  throw Error(fmt::format("It uses loop.{}, which is not supported.", name));
}

bool is_loop(const Expression& node) { return node.kind == Node::name && node.text == "loop"; }

/// ", ".join(…) accepts a value that can be iterated only once.
Value kept_once(const Expression& node, Value value) {
  const bool joins =
      node.kind == Node::call && node.parts[0]->kind == Node::attribute && node.parts[0]->text == "join";
  return joins ? value : kept(std::move(value));
}

}  // namespace

Value kept(Value value) {
  if (value.is(Kind::lazy)) throw Error(fmt::format("It keeps {}, which is not supported.", kind_of(value)));
  return value;
}

void check_field(const std::string& name, const Value& field) {
  if (name.starts_with('_')) throw Error(fmt::format("It sets the field {} of a namespace().", name));
  if (field.is(Kind::names)) throw Error("It keeps a namespace() in a namespace(), which is not supported.");
}

Value Evaluator::variable(const std::string& name, const Scope& scope) const {
  for (const Scope* at = &scope; at; at = at->outer)
    if (const auto found = at->variables.find(name); found != at->variables.end()) {
      for (const Scope* inside = &scope; inside != at; inside = inside->outer)
        if (inside->is_condition && found->second.is(Kind::names))
          throw Error("It chooses the turns of a loop by a namespace(), which is not supported.");
      return found->second;
    }
  constexpr std::array<std::string_view, 10> others{"dict",  "lipsum",  "cycler", "joiner", "self",
                                                    "super", "varargs", "kwargs", "caller", "loop"};
  if (std::ranges::find(others, name) != others.end())
    throw Error(fmt::format("It uses {}, which is not supported.", name));
  return {};
}

Value Evaluator::value(const Expression& node, const Scope& scope) {
  budget_.step();
  if (++depth_ > deepest_run) throw Error("It nests too deep.");
  Value made = value_here(node, scope);
  --depth_;
  return made;
}

Value Evaluator::value_here(const Expression& node, const Scope& scope) {
  const auto part = [&](std::size_t i) { return value(*node.parts[i], scope); };
  switch (node.kind) {
    case Node::constant: return node.value;
    case Node::name: return variable(node.text, scope);
    case Node::list: return list(node, scope);
    case Node::mapping: return mapping(node, scope);
    case Node::attribute:
      if (is_loop(*node.parts[0])) return loop_part(node.text, scope);
      return attribute_of(part(0), node.text);
    case Node::item:
      if (is_loop(*node.parts[0])) throw Error("It reads a part of loop in another way than loop.name.");
      return item_of(part(0), part(1), budget_);
    case Node::slice: return slice(node, scope);
    case Node::call: return call(node, scope);
    case Node::filter: return filter(node, scope);
    case Node::test: return boolean(tested(node.text, part(0)) != node.negated);
    case Node::minus: return computed("-", integer(0), part(0), budget_);
    case Node::negation: return boolean(!is_true(part(0)));
    case Node::binary: {
      const Value left = part(0);
      return computed(node.text, left, part(1), budget_);
    }
    case Node::compare: return comparison(node, scope);
    case Node::both: {
      Value left = part(0);
      return is_true(left) ? part(1) : left;
    }
    case Node::either: {
      Value left = part(0);
      return is_true(left) ? left : part(1);
    }
    case Node::choice: return is_true(part(0)) ? part(1) : node.parts[2] ? part(2) : Value{};
  }
  return {};
}

Value Evaluator::list(const Expression& node, const Scope& scope) {
  List made;
  for (const auto& part : node.parts) made.push_back(value(*part, scope));
  return list_of(std::move(made));
}
Value Evaluator::mapping(const Expression& node, const Scope& scope) {
  Fields made;
  for (std::size_t i = 0; i + 1 < node.parts.size(); i += 2) {
    const Value name = value(*node.parts[i], scope);
    made.emplace_back(
        name.is(Kind::text) ? name.text() : throw Error("It names a field with something else than a text."),
        value(*node.parts[i + 1], scope));
  }
  return mapping_of(std::move(made));
}
Value Evaluator::slice(const Expression& node, const Scope& scope) {
  const Value of = value(*node.parts[0], scope);
  if (of.is(Kind::undefined)) fail_undefined();
  if (!of.is_text() && !of.is(Kind::list))
    throw Error(fmt::format("It cuts {}, which is not supported.", kind_of(of)));
  look_at(of, {});
  std::array<Value, 2> bounds;
  for (std::size_t i = 0; i < 2; ++i)
    if (node.parts[i + 1]) bounds[i] = value(*node.parts[i + 1], scope);
  return slice_of(of,
                  {.begin = node.parts[1] ? &bounds[0] : nullptr,
                   .end = node.parts[2] ? &bounds[1] : nullptr,
                   .is_backwards = node.negated},
                  budget_);
}

Value Evaluator::comparison(const Expression& node, const Scope& scope) {
  Value left = value(*node.parts[0], scope);
  for (std::size_t i = 0; i < node.signs.size(); ++i) {
    Value right = value(*node.parts[i + 1], scope);
    if (!compared(node.signs[i], left, right)) return boolean(false);
    left = std::move(right);
  }
  return boolean(true);
}
bool Evaluator::compared(const std::string& sign, const Value& a, const Value& b) {
  const auto size = [](const Value& one) { return one.is_text() ? one.text().size() + 1 : 1; };
  const bool finds = sign == "in" || sign == "not in";
  budget_.look_at(a, finds ? size(b) : 1);
  budget_.look_at(b);
  if (sign == "==") return equal(a, b);
  if (sign == "!=") return !equal(a, b);
  if (sign == "in") return contains(b, a);
  if (sign == "not in") return !contains(b, a);
  if (sign == "<") return less(a, b);
  if (sign == ">") return less(b, a);
  return sign == "<=" ? !less(b, a) : !less(a, b);
}

Arguments Evaluator::arguments(const Expression& node, const Scope& scope) {
  Arguments made;
  for (std::size_t i = 1; i < node.parts.size(); ++i)
    made.given.push_back(kept_once(node, value(*node.parts[i], scope)));
  for (const auto& [name, one] : node.named)
    made.named.emplace_back(name, kept_once(node, value(*one, scope)));
  return made;
}

/// Counts the cost of an operation on a text or a list with these arguments.
void Evaluator::look_at(const Value& value, const Arguments& given) {
  std::size_t times = 1;
  for (const Value& one : given.given)
    if (one.is_text()) times += one.text().size();
  budget_.look_at(value, times);
}

Value Evaluator::call(const Expression& node, const Scope& scope) {
  const Expression& callee = *node.parts[0];
  if (callee.kind == Node::attribute) {
    if (is_loop(*callee.parts[0]))
      throw Error(fmt::format("It calls loop.{}(), which is not supported.", callee.text));
    const Value of = value(*callee.parts[0], scope);
    const Arguments given = arguments(node, scope);
    look_at(of, given);
    return method_of(callee.text, of, given, budget_);
  }
  const Value called = value(callee, scope);
  if (called.is(Kind::macro)) return call_macro(*called.macro, arguments(node, scope));
  if (!called.is(Kind::function)) {
    if (callee.kind == Node::name)
      throw Error(fmt::format("It calls the function {}, which is not known here.", callee.text));
    throw Error(fmt::format("It calls {}.", kind_of(called)));
  }
  return function_of(called.text(), arguments(node, scope));
}

Value Evaluator::function_of(const std::string& name, const Arguments& given) {
  if (name == "namespace") {
    if (!given.given.empty()) throw Error("It gives namespace() something without a name.");
    for (const auto& [field, value] : given.named) check_field(field, value);
    Value made{.kind = Kind::names};
    made.values = std::make_shared<Values>(Values{.fields = given.named});
    return made;
  }
  if (!given.named.empty()) throw Error(fmt::format("It gives {}() something by name.", name));
  if (name == "range") return range(given.given);
  if (given.given.size() != 1 || !given.given[0].is_text())
    throw Error(fmt::format("{}() was expected to be called with one text.", name));
  if (name == "raise_exception") throw Raised{given.given[0].text()};
  asks_date_ = true;
  return budget_.text(day_text(given.given[0].text(), today_));
}

Value Evaluator::range(const List& limits) {
  if (limits.empty() || limits.size() > 3) throw Error("It gives range() more or fewer than 1 to 3 limits.");
  for (const Value& limit : limits)
    if (!limit.is(Kind::integer) || std::abs(limit.number) > longest_range)
      throw Error("range() has a limit that is no whole number or too large.");
  const std::int64_t begin = limits.size() > 1 ? limits[0].number : 0,
                     end = limits[limits.size() > 1 ? 1 : 0].number,
                     step = limits.size() > 2 ? limits[2].number : 1;
  if (step == 0) throw Error("It gives range() steps of 0.");
  List made;
  for (std::int64_t i = begin; step > 0 ? i < end : i > end; i += step) made.push_back(integer(i));
  budget_.step(made.size());
  return list_of(std::move(made), true);
}

Value Evaluator::filter(const Expression& node, const Scope& scope) {
  const Value of = value(*node.parts[0], scope);
  const Arguments given = arguments(node, scope);
  const std::string& name = node.text;
  look_at(of, given);
  if (name == "map") return mapped(of, given);
  const bool by_field = name == "selectattr" || name == "rejectattr";
  if (!by_field && name != "select" && name != "reject") return filtered(name, of, given, budget_);
  if (!given.named.empty() || given.given.size() < (by_field ? 1 : 0))
    throw Error(fmt::format("It gives the filter {} other arguments than are supported.", name));
  List chosen;
  for (const Value& item : items_of(of, budget_)) {
    const Value tested_value = by_field ? field_of(item, given.given[0]) : item;
    if (passes(tested_value, given.given, by_field ? 1 : 0) == name.starts_with("select"))
      chosen.push_back(item);
  }
  return list_of(std::move(chosen), true);
}

Value Evaluator::field_of(const Value& item, const Value& name) {
  if (name.text().find('.') != std::string::npos ||
      name.text().find_first_not_of("0123456789") == std::string::npos)
    throw Error(fmt::format("It selects by {}, which is not supported.", in_quotes(name.text(), 40)));
  return item_of(item, name, budget_);
}

bool Evaluator::passes(const Value& value, const List& given, std::size_t at) {
  budget_.step();
  if (at == given.size()) return is_true(value);
  const std::string& test = given[at].text();
  if (at + 1 == given.size()) return tested(test, value);
  if (at + 2 == given.size()) {
    if (test == "equalto" || test == "==" || test == "eq") return equal(value, given[at + 1]);
    if (test == "ne" || test == "!=") return !equal(value, given[at + 1]);
    if (test == "in") return contains(given[at + 1], value);
  }
  throw Error(fmt::format("It selects by {}, a test that is not known here.", in_quotes(test, 40)));
}

Value Evaluator::mapped(const Value& of, const Arguments& given) {
  const bool by_field = given.given.empty() && given.named.size() == 1 && given.named[0].first == "attribute";
  if (!by_field && (given.given.size() != 1 || !given.named.empty()))
    throw Error("It gives the filter map other arguments than are supported.");
  List made;
  for (const Value& item : items_of(of, budget_))
    made.push_back(by_field ? field_of(item, given.named[0].second)
                            : kept(filtered(given.given[0].text(), item, {}, budget_)));
  return list_of(std::move(made), true);
}

}  // namespace attnscope::tokenizers::jinja
