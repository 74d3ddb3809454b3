// core/tokenizers/chat: the values of a template, with Python's semantics. Operations that might differ from
// Python throw Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attnscope::tokenizers::jinja {

struct Macro;
struct Value;
struct Values;
using List = std::vector<Value>;
using Fields = std::vector<std::pair<std::string, Value>>;  // in the order in which they are made

struct Value {
  enum class Kind { undefined, none, boolean, integer, text, list, lazy, mapping, names, macro, function };

  Kind kind = Kind::undefined;
  std::int64_t number = 0;                         // also of a boolean
  std::shared_ptr<const std::string> string = {};  // of a text; of a function its name
  std::shared_ptr<Values> values = {};             // of a list, a mapping or a namespace
  const Macro* macro = nullptr;

  bool is(Kind other) const { return kind == other; }
  bool is_text() const { return kind == Kind::text; }
  bool is_number() const { return kind == Kind::boolean || kind == Kind::integer; }
  /// The string of a text or a function; throws Error for other kinds.
  const std::string& text() const;
  const Value* field(std::string_view name) const;  // of a mapping or a namespace; null if there is none
};

/// A list or a mapping, with its nesting depth and its number of values, which limit the cost of comparing,
/// printing and destroying it.
struct Values {
  List list = {};
  Fields fields = {};
  std::size_t depth = 1, count = 1;
};

Value none();
Value boolean(bool);
Value integer(std::int64_t);
Value function(std::string name);
/// Throws Error if it nests too deep or has a value that lists cannot hold. `lazy`: like Python's generators
/// and views, it can be iterated and converted to a list.
Value list_of(List, bool lazy = false);
Value mapping_of(Fields);

/// The limits of rendering: texts of 4 MB, 64 MB of texts together, two million steps. Throws Error beyond
/// them.
class Budget {
 public:
  Value text(std::string);
  void step(std::size_t count = 1);
  /// Counts the steps of going `times` times through a text or all of a list.
  void look_at(const Value&, std::size_t times = 1);

 private:
  std::size_t bytes_ = 0, steps_ = 0;
};

/// "a text", "a list", …
std::string kind_of(const Value&);
bool is_true(const Value&);
bool equal(const Value&, const Value&);
bool less(const Value&, const Value&);
/// Whether `item` is in `container`.
bool contains(const Value& container, const Value& item);
/// The value as Jinja prints it; throws Error for lists and mappings.
std::string printed(const Value&);
/// The items of a loop over the value.
List items_of(const Value&, Budget&);
std::vector<std::string_view> characters_of(std::string_view text);
/// JSON as json.dumps(…, ensure_ascii=False) writes it; `indent` < 0: on one line.
std::string json_of(const Value&, std::int64_t indent, std::size_t level = 0);

/// value[index], or value.name if `is_attribute`.
Value item_of(const Value&, const Value& index, Budget&);
Value attribute_of(const Value&, const std::string& name);
struct Cut {
  const Value *begin = nullptr, *end = nullptr;  // null if missing
  bool is_backwards = false;                     // [::-1]
};
Value slice_of(const Value&, const Cut&, Budget&);
/// Evaluates +, -, *, ~, // and %.
Value computed(std::string_view sign, const Value& left, const Value& right, Budget&);

struct Arguments {
  List given;
  Fields named;
};
/// Applies the filters that call no other filter or test: all but map, select, reject, selectattr and
/// rejectattr.
Value filtered(const std::string& name, const Value&, const Arguments&, Budget&);
Value method_of(const std::string& name, const Value&, const Arguments&, Budget&);
bool tested(const std::string& name, const Value&);

[[noreturn]] void fail_undefined();

}  // namespace attnscope::tokenizers::jinja
