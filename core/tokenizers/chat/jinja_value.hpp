// core/tokenizers/chat: the values that a template computes with, as Python has them. What this program
// does not know to be the same as in Python throws Error, a sentence.
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
  std::int64_t number = 0;                         // of a boolean, too
  std::shared_ptr<const std::string> string = {};  // of a text; the name of a function
  std::shared_ptr<Values> values = {};             // of lists, mappings and namespaces
  const Macro* macro = nullptr;

  bool is(Kind other) const { return kind == other; }
  bool is_text() const { return kind == Kind::text; }
  bool is_number() const { return kind == Kind::boolean || kind == Kind::integer; }
  /// Of a text or a function; throws where there is none.
  const std::string& text() const;
  const Value* field(std::string_view name) const;  // of a mapping or a namespace; null where there is none
};

/// A list or a mapping; how deep it nests and how many values are in it, so that it can be compared, written
/// and destroyed.
struct Values {
  List list = {};
  Fields fields = {};
  std::size_t depth = 1, count = 1;
};

Value none();
Value boolean(bool);
Value integer(std::int64_t);
Value function(std::string name);
/// Throws where it is too deep or has a value that no list may have. `lazy` is what Python's generators and
/// views are: it can be gone through, and be put into a list.
Value list_of(List, bool lazy = false);
Value mapping_of(Fields);

/// What rendering may use: texts of 4 MB, 64 MB of them together, two million steps. Throws beyond it.
class Budget {
 public:
  Value text(std::string);
  void step(std::size_t count = 1);
  /// Of what goes through a text or through all of a list, as often as `times`.
  void look_at(const Value&, std::size_t times = 1);

 private:
  std::size_t bytes_ = 0, steps_ = 0;
};

/// "a text", "a list", …
std::string kind_of(const Value&);
bool is_true(const Value&);
bool equal(const Value&, const Value&);
bool less(const Value&, const Value&);
/// `item` in `container`.
bool contains(const Value& container, const Value& item);
/// As it is printed; lists and mappings are refused.
std::string printed(const Value&);
/// What a loop goes through.
List items_of(const Value&, Budget&);
std::vector<std::string_view> characters_of(std::string_view text);
/// As json.dumps(…, ensure_ascii=False) writes it; `indent` < 0: on one line.
std::string json_of(const Value&, std::int64_t indent, std::size_t level = 0);

/// value[index], and value.name where `is_attribute`.
Value item_of(const Value&, const Value& index, Budget&);
Value attribute_of(const Value&, const std::string& name);
struct Cut {
  const Value *begin = nullptr, *end = nullptr;  // null where not given
  bool is_backwards = false;                     // [::-1]
};
Value slice_of(const Value&, const Cut&, Budget&);
/// +, -, *, ~, // and %.
Value computed(std::string_view sign, const Value& left, const Value& right, Budget&);

struct Arguments {
  List given;
  Fields named;
};
/// Those that cannot call back: all but map, select, reject, selectattr and rejectattr.
Value filtered(const std::string& name, const Value&, const Arguments&, Budget&);
Value method_of(const std::string& name, const Value&, const Arguments&, Budget&);
bool tested(const std::string& name, const Value&);

[[noreturn]] void fail_undefined();

}  // namespace attnscope::tokenizers::jinja
