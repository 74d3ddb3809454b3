// core/tokenizers/chat: evaluates the expressions of a template.
#pragma once

#include <map>
#include <string>

#include "core/text/day.hpp"
#include "core/tokenizers/chat/jinja.hpp"
#include "core/tokenizers/chat/jinja_tree.hpp"

namespace attnscope::tokenizers::jinja {

/// Thrown by raise_exception().
struct Raised {
  std::string text;
};

struct Loop {
  const List& items;
  std::size_t at = 0;
};

/// Variables of one loop iteration, call or block.
struct Scope {
  std::map<std::string, Value> variables = {};
  const Scope* outer = nullptr;
  const Loop* loop = nullptr;
  bool is_condition = false;  // of `for … if …`, which Jinja evaluates lazily
};

/// The value, if a variable may hold it. Throws Error for one that can be iterated only once.
Value kept(Value);
/// Throws Error if a namespace() cannot have the field.
void check_field(const std::string& name, const Value&);

/// Throws Error and Raised.
class Evaluator {
 public:
  Evaluator(const Day& today, Budget& budget) : today_(today), budget_(budget) {}
  virtual ~Evaluator() = default;

  Value value(const Expression&, const Scope&);
  Value variable(const std::string& name, const Scope&) const;
  bool asks_date() const { return asks_date_; }

 private:
  virtual Value call_macro(const Macro&, const Arguments&) = 0;

  Value value_here(const Expression&, const Scope&);
  Value list(const Expression&, const Scope&);
  Value mapping(const Expression&, const Scope&);
  Value slice(const Expression&, const Scope&);
  Value comparison(const Expression&, const Scope&);
  bool compared(const std::string& sign, const Value&, const Value&);
  Arguments arguments(const Expression&, const Scope&);
  void look_at(const Value&, const Arguments&);
  Value call(const Expression&, const Scope&);
  Value function_of(const std::string& name, const Arguments&);
  Value range(const List& limits);
  Value filter(const Expression&, const Scope&);
  Value field_of(const Value& item, const Value& name);
  bool passes(const Value&, const List& given, std::size_t at);
  Value mapped(const Value&, const Arguments&);

  const Day& today_;
  Budget& budget_;
  int depth_ = 0;
  bool asks_date_ = false;
};

}  // namespace attnscope::tokenizers::jinja
