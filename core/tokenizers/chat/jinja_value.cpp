#include "core/tokenizers/chat/jinja_value.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"
#include "core/tokenizers/text/characters.hpp"

namespace attnscope::tokenizers::jinja {
namespace {

using Kind = Value::Kind;
constexpr std::size_t longest_text = 4 << 20, most_text_bytes = 64 << 20, most_jinja_steps = 2'000'000,
                      most_values = 1'000'000, deepest_value = 20;

std::size_t depth_of(const Value& value) {
  constexpr std::array refused{Kind::names, Kind::macro, Kind::function, Kind::lazy, Kind::undefined};
  if (std::ranges::find(refused, value.kind) != refused.end())
    throw Error(fmt::format("It puts {} into a list or a mapping, which is not supported.", kind_of(value)));
  return value.values ? value.values->depth : 0;
}

void add_to(Values& values, const Value& one) {
  values.depth = std::max(values.depth, depth_of(one) + 1);
  values.count += one.values ? one.values->count : 1;
}

Value with_values(Kind kind, Values values) {
  if (values.depth > deepest_value) throw Error("It nests lists and mappings too deep.");
  if (values.count > most_values) throw Error("It makes a list or a mapping that is too large.");
  Value made;
  made.kind = kind;
  made.values = std::make_shared<Values>(std::move(values));
  return made;
}

/// Whether Python defines this attribute for the value's type: then m.name is a method, not an item.
bool is_python_name(const Value& value, std::string_view name) {
  constexpr std::string_view
      of_mappings = " clear copy fromkeys get items keys pop popitem setdefault update values ",
      of_lists = " append clear copy count extend index insert pop remove reverse sort ",
      of_numbers =
          " as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag "
          "is_integer numerator real to_bytes ",
      of_texts =
          " capitalize casefold center count encode endswith expandtabs find format format_map "
          "index isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric "
          "isprintable isspace istitle isupper join ljust lower lstrip maketrans partition "
          "removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split "
          "splitlines startswith strip swapcase title translate upper zfill ";
  const std::string_view all = value.is(Kind::mapping) ? of_mappings
                               : value.is(Kind::list)  ? of_lists
                               : value.is_number()     ? of_numbers
                               : value.is_text()       ? of_texts
                                                       : "";
  return name.starts_with('_') || all.find(fmt::format(" {} ", name)) != all.npos;
}

void check_python_name(const Value& value, std::string_view name) {
  if (is_python_name(value, name))
    throw Error(
        fmt::format("It reads {} of {}, which is not supported.", in_quotes(name, 40), kind_of(value)));
}

std::int64_t bound(const Value* given, std::int64_t otherwise, std::int64_t size) {
  if (!given || given->is(Kind::none)) return otherwise;
  if (!given->is(Kind::integer)) throw Error(fmt::format("It cuts at {}, not a number.", kind_of(*given)));
  const std::int64_t at = given->number < 0 ? given->number + size : given->number;
  return std::clamp<std::int64_t>(at, 0, size);
}

std::int64_t of_numbers(std::string_view sign, std::int64_t a, std::int64_t b) {
  std::int64_t made = 0;
  if (sign == "//" || sign == "%") {
    if (b <= 0) throw Error("It divides by something else than a number above 0.");
    const std::int64_t rest = (a % b + b) % b;
    return sign == "%" ? rest : (a - rest) / b;
  }
  const bool overflows = sign == "+"   ? __builtin_add_overflow(a, b, &made)
                         : sign == "-" ? __builtin_sub_overflow(a, b, &made)
                                       : __builtin_mul_overflow(a, b, &made);
  constexpr std::int64_t largest = std::int64_t{1} << 62;
  if (overflows || made > largest || made < -largest) throw Error("It computes a number that is too large.");
  return made;
}

std::string repeated(const std::string& text, std::int64_t count) {
  if (count > 0 && text.size() > longest_text / static_cast<std::size_t>(count))
    throw Error("It makes a text of more than 4 MB.");
  std::string made;
  for (std::int64_t i = 0; i < count; ++i) made += text;
  return made;
}

}  // namespace

const std::string& Value::text() const {
  if (!string) {
    if (kind == Kind::undefined) fail_undefined();
    throw Error(fmt::format("It uses {} where a text was expected.", kind_of(*this)));
  }
  return *string;
}
const Value* Value::field(std::string_view name) const {
  if (!values) return nullptr;
  const auto found =
      std::ranges::find(values->fields, name, [](const auto& one) -> std::string_view { return one.first; });
  return found == values->fields.end() ? nullptr : &found->second;
}

Value none() { return {.kind = Kind::none}; }
Value boolean(bool value) { return {.kind = Kind::boolean, .number = value}; }
Value integer(std::int64_t value) { return {.kind = Kind::integer, .number = value}; }
Value function(std::string name) {
  return {.kind = Kind::function, .string = std::make_shared<const std::string>(std::move(name))};
}
Value list_of(List list, bool lazy) {
  Values values;
  for (const Value& one : list) add_to(values, one);
  values.list = std::move(list);
  return with_values(lazy ? Kind::lazy : Kind::list, std::move(values));
}
Value mapping_of(Fields fields) {
  Values values;
  for (auto& [name, value] : fields) {
    add_to(values, value);
    const auto same = std::ranges::find(values.fields, name, [](const auto& one) { return one.first; });
    if (same != values.fields.end())
      same->second = std::move(value);
    else
      values.fields.emplace_back(name, std::move(value));
  }
  return with_values(Kind::mapping, std::move(values));
}

Value Budget::text(std::string text) {
  bytes_ += text.size();
  if (text.size() > longest_text) throw Error("It makes a text of more than 4 MB.");
  if (bytes_ > most_text_bytes) throw Error("It makes texts of more than 64 MB together.");
  return {.kind = Kind::text, .string = std::make_shared<const std::string>(std::move(text))};
}
void Budget::step(std::size_t count) {
  steps_ += count;
  if (steps_ > most_jinja_steps) throw Error("It does not come to an end.");
}

void Budget::look_at(const Value& value, std::size_t times) {
  constexpr std::size_t bytes_a_step = 1024;
  if (value.is_text()) step(value.text().size() * times / bytes_a_step);
  if (value.values) step(value.values->count / 2);
}

std::string kind_of(const Value& value) {
  switch (value.kind) {
    case Kind::undefined: return "something that is not defined";
    case Kind::none: return "none";
    case Kind::boolean: return "true or false";
    case Kind::integer: return "a number";
    case Kind::text: return "a text";
    case Kind::list: return "a list";
    case Kind::lazy: return "what a filter or a mapping gives one by one (without | list)";
    case Kind::mapping: return "a mapping";
    case Kind::names: return "a namespace()";
    case Kind::macro: return "a macro";
    case Kind::function: return fmt::format("the function {}()", printable(value.text()));
  }
  return {};
}

void fail_undefined() {
  throw Error("it writes something that is not defined, or reads a part of it, such as a missing bos_token.");
}

bool is_true(const Value& value) {
  switch (value.kind) {
    case Kind::undefined:
    case Kind::none: return false;
    case Kind::boolean:
    case Kind::integer: return value.number != 0;
    case Kind::text: return !value.text().empty();
    case Kind::list: return !value.values->list.empty();
    case Kind::mapping: return !value.values->fields.empty();
    case Kind::macro:
    case Kind::function: return true;
    default: throw Error(fmt::format("It asks whether {} is true, which is not supported.", kind_of(value)));
  }
}

bool equal(const Value& a, const Value& b) {
  for (const Value* one : {&a, &b})
    if (one->is(Kind::lazy) || one->is(Kind::names) || one->is(Kind::macro) || one->is(Kind::function))
      throw Error(fmt::format("It compares {}, which is not supported.", kind_of(*one)));
  if (a.is_number() && b.is_number()) return a.number == b.number;
  if (a.kind != b.kind) return false;
  if (a.is_text()) return a.text() == b.text();
  if (a.is(Kind::list)) return std::ranges::equal(a.values->list, b.values->list, equal);
  if (!a.is(Kind::mapping)) return true;
  return a.values->fields.size() == b.values->fields.size() &&
         std::ranges::all_of(a.values->fields, [&](const auto& field) {
           const Value* other = b.field(field.first);
           return other && equal(field.second, *other);
         });
}

bool less(const Value& a, const Value& b) {
  if (a.is(Kind::integer) && b.is(Kind::integer)) return a.number < b.number;
  if (a.is_text() && b.is_text()) return a.text() < b.text();
  throw Error(
      fmt::format("It asks whether {} is less than {}, which is not supported.", kind_of(a), kind_of(b)));
}

bool contains(const Value& container, const Value& item) {
  const auto fail = [&] {
    throw Error(
        fmt::format("It looks for {} in {}, which is not supported.", kind_of(item), kind_of(container)));
  };
  switch (container.kind) {
    case Kind::undefined: return false;
    case Kind::text:
      if (!item.is_text()) fail();
      return container.text().find(item.text()) != std::string::npos;
    case Kind::list:
      return std::ranges::any_of(container.values->list, [&](const Value& one) { return equal(one, item); });
    case Kind::mapping:
      if (item.values) fail();
      return item.is_text() && container.field(item.text());
    default: fail();
  }
  return false;
}

std::string printed(const Value& value) {
  switch (value.kind) {
    case Kind::undefined: return "";
    case Kind::none: return "None";
    case Kind::boolean: return value.number ? "True" : "False";
    case Kind::integer: return std::to_string(value.number);
    case Kind::text: return value.text();
    default: throw Error(fmt::format("It writes {}, which is not supported.", kind_of(value)));
  }
}

std::vector<std::string_view> characters_of(std::string_view text) {
  std::vector<std::string_view> characters;
  for (std::size_t at = 0; at < text.size(); at += characters.back().size()) {
    std::size_t size = 1;
    while (at + size < text.size() && is_continuation(text[at + size])) ++size;
    characters.push_back(text.substr(at, size));
  }
  return characters;
}

List items_of(const Value& value, Budget& budget) {
  List items;
  switch (value.kind) {
    case Kind::undefined: return {};
    case Kind::list:
    case Kind::lazy: return value.values->list;
    case Kind::mapping:
      for (const auto& [name, field] : value.values->fields) {
        items.push_back({.kind = Kind::text, .string = std::make_shared<const std::string>(name)});
      }
      return items;
    case Kind::text:
      budget.step(value.text().size());
      for (const std::string_view one : characters_of(value.text()))
        items.push_back({.kind = Kind::text, .string = std::make_shared<const std::string>(one)});
      return items;
    default: throw Error(fmt::format("It goes through {}, which has no items.", kind_of(value)));
  }
}

Value attribute_of(const Value& value, const std::string& name) {
  if (value.is(Kind::undefined)) fail_undefined();
  if (value.is(Kind::lazy) || value.is(Kind::macro) || value.is(Kind::function))
    throw Error(
        fmt::format("It reads {} of {}, which is not supported.", in_quotes(name, 40), kind_of(value)));
  check_python_name(value, name);
  const Value* field = value.is(Kind::mapping) || value.is(Kind::names) ? value.field(name) : nullptr;
  return field ? *field : Value{};
}

Value item_of(const Value& value, const Value& index, Budget& budget) {
  if (index.is_text()) {
    const Value* field = value.is(Kind::mapping) ? value.field(index.text()) : nullptr;
    return field ? *field : attribute_of(value, index.text());
  }
  if (value.is(Kind::undefined)) fail_undefined();
  if (!index.is(Kind::integer) || !(value.is_text() || value.is(Kind::list)))
    throw Error(fmt::format("It reads {} at a place that is {}, which is not supported.", kind_of(value),
                            kind_of(index)));
  const auto pick = [&](const auto& all) {
    const auto size = static_cast<std::int64_t>(all.size());
    const std::int64_t at = index.number < 0 ? index.number + size : index.number;
    if (at < 0 || at >= size) throw Error("It asks for a place that a list or a text does not have.");
    return all[static_cast<std::size_t>(at)];
  };
  if (value.is(Kind::list)) return pick(value.values->list);
  budget.look_at(value);
  const std::vector<std::string_view> characters = characters_of(value.text());
  return budget.text(std::string(pick(characters)));
}

Value slice_of(const Value& value, const Cut& cut, Budget& budget) {
  const auto pick = [&](auto all) {
    const auto size = static_cast<std::int64_t>(all.size());
    const std::int64_t begin = bound(cut.begin, 0, size), end = std::max(bound(cut.end, size, size), begin);
    decltype(all) made(all.begin() + begin, all.begin() + end);
    if (cut.is_backwards) std::ranges::reverse(made);
    return made;
  };
  if (value.is(Kind::list)) return list_of(pick(value.values->list));
  std::string text;
  for (const std::string_view one : pick(characters_of(value.text()))) text += one;
  return budget.text(std::move(text));
}

Value computed(std::string_view sign, const Value& a, const Value& b, Budget& budget) {
  if (sign == "~") return budget.text(printed(a) + printed(b));
  if (a.is(Kind::undefined) || b.is(Kind::undefined)) fail_undefined();
  if (a.is(Kind::integer) && b.is(Kind::integer)) return integer(of_numbers(sign, a.number, b.number));
  if (sign == "+" && a.is_text() && b.is_text()) return budget.text(a.text() + b.text());
  if (sign == "+" && a.is(Kind::list) && b.is(Kind::list)) {
    List both = a.values->list;
    std::ranges::copy(b.values->list, std::back_inserter(both));
    budget.step(both.size());
    return list_of(std::move(both));
  }
  if (sign == "*" && a.is_text() && b.is(Kind::integer)) return budget.text(repeated(a.text(), b.number));
  throw Error(fmt::format("It computes {} {} {}, which is not supported.", kind_of(a), sign, kind_of(b)));
}

}  // namespace attnscope::tokenizers::jinja
