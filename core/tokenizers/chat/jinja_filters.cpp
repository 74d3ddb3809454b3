#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"
#include "core/tokenizers/chat/jinja_value.hpp"
#include "core/tokenizers/text/characters.hpp"

namespace attnscope::tokenizers::jinja {
namespace {

using Kind = Value::Kind;

struct Sides {
  bool begin = true, end = true;
};
/// Strips `chars`, or white space if `chars` is null.
std::string stripped_at(const std::string& text, const Value* chars, Sides sides) {
  const std::vector<std::string_view> all = characters_of(text);
  const std::vector<std::string_view> set =
      chars ? characters_of(chars->text()) : std::vector<std::string_view>{};
  const auto goes = [&](std::string_view one) {
    return chars ? std::ranges::find(set, one) != set.end() : is_python_space(decode_at(one, 0).value);
  };
  std::size_t begin = 0, end = all.size();
  while (sides.begin && begin < end && goes(all[begin])) ++begin;
  while (sides.end && end > begin && goes(all[end - 1])) --end;
  std::string made;
  for (std::size_t i = begin; i < end; ++i) made += all[i];
  return made;
}

/// Whether the character certainly has no other case; Python's case tables are not available here.
bool has_no_case(char32_t c) {
  return (c >= 0x2000 && c < 0x2070) || (c >= 0x3000 && c < 0x3040) || (c >= 0x4E00 && c < 0xA000) ||
         (c >= 0xE000 && c < 0xF900);  // punctuation, Chinese, private use
}

/// Applies upper, lower, capitalize or title.
std::string with_case(std::string_view name, const std::string& text) {
  bool is_first = true, follows = false;  // `follows`: the previous character is a letter
  std::string made;
  for (const std::string_view character : characters_of(text)) {
    char c = character[0];
    if (character.size() > 1 && !has_no_case(decode_at(character, 0).value))
      throw Error(fmt::format("It uses {} with a text that has {}, which is not supported: only ASCII is.",
                              name, in_quotes(character)));
    const bool up = name == "upper" || (name == "title" && !follows) || (name == "capitalize" && is_first);
    const bool is_small = c >= 'a' && c <= 'z', is_large = c >= 'A' && c <= 'Z';
    if (up && is_small) c = static_cast<char>(c - 'a' + 'A');
    if (!up && is_large) c = static_cast<char>(c - 'A' + 'a');
    made += c;
    made += character.substr(1);
    follows = is_small || is_large;
    is_first = false;
  }
  return made;
}

/// Replaces the first `most` matches, or all if `most` is negative.
std::string replaced(const std::string& text, const std::string& from, const std::string& to,
                     std::int64_t most) {
  std::string made;
  std::size_t at = 0;
  constexpr std::size_t longest = 4 << 20;
  if (from.empty()) throw Error("It replaces an empty text, which is not supported.");
  for (std::size_t next; most != 0 && (next = text.find(from, at)) != text.npos; --most) {
    made.append(text, at, next - at);
    made += to;
    at = next + from.size();
    if (made.size() > longest) throw Error("It makes a text of more than 4 MB.");
  }
  return made.append(text, at);
}

List split_at(const std::string& text, const std::string& at, std::int64_t most, Budget& budget) {
  if (at.empty()) throw Error("It splits at an empty text.");
  List parts;
  std::size_t begin = 0;
  for (std::size_t end; most != 0 && (end = text.find(at, begin)) != text.npos; --most) {
    parts.push_back(budget.text(text.substr(begin, end - begin)));
    budget.step();
    begin = end + at.size();
  }
  parts.push_back(budget.text(text.substr(begin)));
  return parts;
}

std::string joined_items(const Value& items, const std::string& between, Budget& budget) {
  std::string made;
  bool first = true;
  constexpr std::size_t longest = 4 << 20;
  for (const Value& one : items_of(items, budget)) {
    if (!std::exchange(first, false)) made += between;
    made += printed(one);
    if (made.size() > longest) throw Error("It makes a text of more than 4 MB.");
  }
  return made;
}

std::string json_string(const std::string& text) {
  std::string made = "\"";
  for (const char c : text) {
    constexpr std::string_view special = "\"\\\n\r\t\b\f", letters_of = "\"\\nrtbf";
    if (const std::size_t at = special.find(c); at != special.npos) {
      made += '\\';
      made += letters_of[at];
    } else if (static_cast<unsigned char>(c) < 0x20) {
      made += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      made += c;
    }
  }
  return made + '"';
}

class Call {
 public:
  Call(const char* what, const std::string& name, const Arguments& arguments)
      : what_(what), name_(name), arguments_(arguments) {}

  /// Throws Error for fewer or more positional arguments, or for other named ones.
  void expect(std::size_t least, std::size_t most, std::initializer_list<std::string_view> named = {}) const {
    bool known = arguments_.given.size() >= least && arguments_.given.size() <= most;
    for (const auto& [name, value] : arguments_.named) known &= std::ranges::find(named, name) != named.end();
    if (!known)
      throw Error(
          fmt::format("It gives the {} {} other arguments than are supported.", what_, printable(name_)));
  }
  const Value* at(std::size_t place, std::string_view name = {}) const {
    const Value* found = place < arguments_.given.size() ? &arguments_.given[place] : nullptr;
    for (const auto& [other, value] : arguments_.named)
      if (other == name)
        found = found ? throw Error(fmt::format("It gives the argument {} twice.", name)) : &value;
    return found;
  }
  std::int64_t whole(std::size_t place, std::string_view name, std::int64_t otherwise) const {
    const Value* given = at(place, name);
    if (!given) return otherwise;
    if (!given->is(Kind::integer))
      throw Error(
          fmt::format("It gives the {} {} {} for a number.", what_, printable(name_), kind_of(*given)));
    return given->number;
  }

 private:
  const char* what_;
  const std::string& name_;
  const Arguments& arguments_;
};

Value size_of(const Value& value) {
  switch (value.kind) {
    case Kind::undefined: return integer(0);
    case Kind::text: return integer(static_cast<std::int64_t>(characters_of(value.text()).size()));
    case Kind::list: return integer(static_cast<std::int64_t>(value.values->list.size()));
    case Kind::mapping: return integer(static_cast<std::int64_t>(value.values->fields.size()));
    default: throw Error(fmt::format("It asks for the length of {}.", kind_of(value)));
  }
}

Value fields_of(const Value& value, bool names, bool fields) {
  if (!value.is(Kind::mapping)) throw Error(fmt::format("It asks for the fields of {}.", kind_of(value)));
  List made;
  for (const auto& [name, field] : value.values->fields) {
    const Value key{.kind = Kind::text, .string = std::make_shared<const std::string>(name)};
    made.push_back(!fields ? key : !names ? field : list_of({key, field}));
  }
  return list_of(std::move(made), true);
}

Value end_of(const Value& value, bool first, Budget& budget) {
  // Python iterates these values forwards only.
  if (!first && !value.is(Kind::list) && !value.is_text())
    throw Error(fmt::format("It asks for the last one of {}.", kind_of(value)));
  const List items = items_of(value, budget);
  return items.empty() ? Value{} : first ? items.front() : items.back();
}

/// Calls a method of a string.
Value text_method(const std::string& name, const std::string& text, const Call& call, Budget& budget) {
  if (name == "strip" || name == "lstrip" || name == "rstrip") {
    call.expect(0, 1);
    return budget.text(stripped_at(text, call.at(0), {.begin = name != "rstrip", .end = name != "lstrip"}));
  }
  if (name == "split") {
    call.expect(1, 2, {"maxsplit"});
    return list_of(split_at(text, call.at(0)->text(), call.whole(1, "maxsplit", -1), budget));
  }
  if (name == "startswith" || name == "endswith") {
    call.expect(1, 1);
    const std::string& part = call.at(0)->text();
    return boolean(name == "startswith" ? text.starts_with(part) : text.ends_with(part));
  }
  if (name == "upper" || name == "lower" || name == "capitalize" || name == "title") {
    call.expect(0, 0);
    return budget.text(with_case(name, text));
  }
  if (name == "replace") {
    call.expect(2, 3);
    return budget.text(replaced(text, call.at(0)->text(), call.at(1)->text(), call.whole(2, "", -1)));
  }
  if (name == "join") {
    call.expect(1, 1);
    for (const Value& one : items_of(*call.at(0), budget))
      if (!one.is_text()) throw Error(fmt::format("It joins {} as if it were a text.", kind_of(one)));
    return budget.text(joined_items(*call.at(0), text, budget));
  }
  throw Error(fmt::format("Unknown method: {}() of a text is not supported.", printable(name)));
}

Value with_default(const Value& value, const Call& call) {
  call.expect(0, 2, {"default_value", "boolean"});
  const Value* boolean_given = call.at(1, "boolean");
  const bool replaces =
      value.is(Kind::undefined) || (boolean_given && is_true(*boolean_given) && !is_true(value));
  const Value* otherwise = call.at(0, "default_value");
  if (!otherwise) throw Error("It uses the filter default without a value, which is not supported.");
  return replaces ? *otherwise : value;
}

}  // namespace

std::string json_of(const Value& value, std::int64_t indent, std::size_t level) {
  const auto line = [&](std::size_t at) {
    return indent < 0 ? std::string() : "\n" + std::string(at * static_cast<std::size_t>(indent), ' ');
  };
  const bool is_list = value.is(Kind::list);
  if (value.is(Kind::none)) return "null";
  if (value.is(Kind::boolean)) return value.number ? "true" : "false";
  if (value.is(Kind::integer)) return std::to_string(value.number);
  if (value.is_text()) return json_string(value.text());
  if (!is_list && !value.is(Kind::mapping))
    throw Error(fmt::format("It writes {} as JSON, which is not supported.", kind_of(value)));
  std::string made;
  const auto add = [&](const std::string& one) {
    made += (made.empty() ? "" : indent < 0 ? ", " : ",") + line(level + 1) + one;
    constexpr std::size_t longest = 4 << 20;
    if (made.size() > longest) throw Error("It makes a text of more than 4 MB.");
  };
  if (is_list)
    for (const Value& one : value.values->list) add(json_of(one, indent, level + 1));
  else
    for (const auto& [name, field] : value.values->fields)
      add(json_string(name) + ": " + json_of(field, indent, level + 1));
  if (!made.empty()) made += line(level);
  return (is_list ? "[" : "{") + made + (is_list ? "]" : "}");
}

Value filtered(const std::string& name, const Value& value, const Arguments& arguments, Budget& budget) {
  const Call call("filter", name, arguments);
  if (name == "default" || name == "d") return with_default(value, call);
  if (name == "join") {
    call.expect(0, 1, {"d"});
    const Value* between = call.at(0, "d");
    return budget.text(joined_items(value, between ? between->text() : "", budget));
  }
  if (name == "tojson") {
    call.expect(0, 0, {"indent", "ensure_ascii"});
    if (const Value* ascii = call.at(1, "ensure_ascii"); ascii && is_true(*ascii))
      throw Error("It uses the filter tojson with ensure_ascii, which is not supported.");
    const Value* given = call.at(1, "indent");
    const std::int64_t indent = given && given->is(Kind::none) ? -1 : call.whole(1, "indent", -1);
    constexpr std::int64_t most_indent = 100;
    if (indent > most_indent || (given && !given->is(Kind::none) && indent < 0))
      throw Error("It uses the filter tojson with an indent that is not supported.");
    return budget.text(json_of(value, indent));
  }
  if (name == "replace") {
    call.expect(2, 2);
    return budget.text(replaced(printed(value), call.at(0)->text(), call.at(1)->text(), -1));
  }
  if (name == "trim") {
    call.expect(0, 0);
    return budget.text(stripped_at(printed(value), nullptr, {}));
  }
  if (name == "upper" || name == "lower" || name == "capitalize") {
    call.expect(0, 0);
    return budget.text(with_case(name, printed(value)));
  }
  const bool is_end = name == "first" || name == "last", is_size = name == "length" || name == "count";
  if (!is_end && !is_size && name != "list" && name != "string" && name != "items")
    throw Error(fmt::format("It calls the filter {}, which is not known here.", printable(name)));
  call.expect(0, 0);
  if (is_end) return end_of(value, name == "first", budget);
  if (is_size) return size_of(value);
  if (name == "list") return list_of(items_of(value, budget));
  if (name == "items") return value.is(Kind::undefined) ? list_of({}, true) : fields_of(value, true, true);
  return budget.text(printed(value));
}

Value method_of(const std::string& name, const Value& value, const Arguments& arguments, Budget& budget) {
  const Call call("method", name, arguments);
  if (value.is(Kind::undefined)) fail_undefined();
  if (value.is_text()) return text_method(name, value.text(), call, budget);
  if (value.is(Kind::mapping)) {
    if (name == "get") {
      call.expect(1, 2);
      const Value* field = value.field(call.at(0)->text());
      return field ? *field : arguments.given.size() > 1 ? arguments.given[1] : none();
    }
    const bool names = name != "values", fields = name != "keys";
    if (name == "items" || !names || !fields) {
      call.expect(0, 0);
      return fields_of(value, names, fields);
    }
  }
  throw Error(fmt::format("Unknown method: {}() of {} is not supported.", printable(name), kind_of(value)));
}

bool tested(const std::string& name, const Value& value) {
  if (name == "defined") return !value.is(Kind::undefined);
  if (name == "undefined") return value.is(Kind::undefined);
  if (name == "none") return value.is(Kind::none);
  if (name == "string") return value.is_text();
  if (name == "mapping") return value.is(Kind::mapping);
  if (name == "boolean") return value.is(Kind::boolean);
  if (name == "integer") return value.is(Kind::integer);
  if (name == "number") return value.is_number();
  if (name == "true" || name == "false")
    return value.is(Kind::boolean) && (value.number != 0) == (name == "true");
  const bool is_known = name == "iterable" || name == "sequence";
  if (!is_known)
    throw Error(
        fmt::format("It asks whether something is {}, a test that is not known here.", printable(name)));
  // In Python, the answer for these depends on how a library implements them.
  if (value.is(Kind::lazy) || value.is(Kind::names) || value.is(Kind::macro) || value.is(Kind::function))
    throw Error(fmt::format("It asks whether {} is {}, which is not supported.", kind_of(value), name));
  return value.is_text() || value.is(Kind::list) || value.is(Kind::mapping) || value.is(Kind::undefined);
}

}  // namespace attnscope::tokenizers::jinja
