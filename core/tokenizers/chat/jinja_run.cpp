#include "core/tokenizers/chat/jinja_run.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/tokenizers/chat/jinja_evaluator.hpp"

namespace attnscope::tokenizers::jinja {
namespace {

using Kind = Value::Kind;
using Do = Statement::Kind;

constexpr int deepest_call = 40;

enum class Flow { on, next, leave };

Value value_of(const nlohmann::ordered_json& json, Budget& budget) {
  if (json.is_null()) return none();
  if (json.is_boolean()) return boolean(json.get<bool>());
  if (json.is_string()) return budget.text(json.get<std::string>());
  if (json.is_array()) {
    List list;
    for (const auto& one : json) list.push_back(value_of(one, budget));
    return list_of(std::move(list));
  }
  Fields fields;
  for (const auto& [name, field] : json.items()) fields.emplace_back(name, value_of(field, budget));
  return mapping_of(std::move(fields));
}

/// One rendering.
class Runner : Evaluator {
 public:
  explicit Runner(const Day& today) : Evaluator(today, budget_) {}

  using Evaluator::asks_date;

  std::string run(const Body& body, const std::string& variables) {
    Budget given;
    const auto json = nlohmann::ordered_json::parse(variables);
    for (const auto& [name, value] : json.items()) root_.variables[name] = value_of(value, given);
    for (const char* name : {"raise_exception", "strftime_now", "range", "namespace"})
      root_.variables.try_emplace(name, function(name));
    std::string text;
    render(body, root_, text);
    return text;
  }

 private:
  void write(const std::string& piece, std::string& out) {
    out += budget_.text(piece).text();
    constexpr std::size_t longest = 4 << 20;
    if (out.size() > longest) throw Error("It makes a text of more than 4 MB.");
  }

  Flow render(const Body& body, Scope& scope, std::string& out) {
    for (const Statement& one : body)
      if (const Flow flow = render(one, scope, out); flow != Flow::on) return flow;
    return Flow::on;
  }

  Flow render(const Statement& one, Scope& scope, std::string& out) {
    budget_.step();
    switch (one.kind) {
      case Do::data: write(one.text, out); break;
      case Do::output: write(printed(value(*one.expression, scope)), out); break;
      case Do::set: scope.variables[one.names[0]] = kept(value(*one.expression, scope)); break;
      case Do::set_field: set_field(one, scope); break;
      case Do::set_block: {
        std::string text;
        Scope inner{.outer = &scope, .loop = scope.loop};
        render(one.body, inner, text);
        scope.variables[one.names[0]] = budget_.text(std::move(text));
        break;
      }
      case Do::generation: {
        Scope inner{.outer = &scope, .loop = scope.loop};
        render(one.body, inner, out);
        break;
      }
      case Do::branches:
        for (const Branch& branch : one.branches)
          if (!branch.condition || is_true(value(*branch.condition, scope)))
            return render(branch.body, scope, out);
        break;
      case Do::loop: return render_loop(one, scope, out);
      case Do::macro: {
        Value macro{.kind = Kind::macro};
        macro.macro = one.macro.get();
        scope.variables[one.macro->name] = macro;
        break;
      }
      case Do::leave: return Flow::leave;
      case Do::next: return Flow::next;
    }
    return Flow::on;
  }

  void set_field(const Statement& one, Scope& scope) {
    const Value names = variable(one.names[0], scope);
    if (!names.is(Kind::names))
      throw Error(fmt::format("It sets a field of {}, which is no namespace().", one.names[0]));
    Value field = kept(value(*one.expression, scope));
    check_field(one.names[1], field);
    for (auto& [name, old] : names.values->fields)
      if (name == one.names[1]) {
        old = std::move(field);
        return;
      }
    names.values->fields.emplace_back(one.names[1], std::move(field));
  }
  void bind(const std::vector<std::string>& names, const Value& item, Scope& scope) {
    if (names.size() == 1) {
      scope.variables[names[0]] = item;
      return;
    }
    if (!item.is(Kind::list) || item.values->list.size() != names.size())
      throw Error(fmt::format("It takes {} apart into {} variables.", kind_of(item), names.size()));
    for (std::size_t i = 0; i < names.size(); ++i) scope.variables[names[i]] = item.values->list[i];
  }

  Flow render_loop(const Statement& one, Scope& scope, std::string& out) {
    List items = items_of(value(*one.expression, scope), budget_);
    budget_.step(items.size() / 2);
    if (one.condition) {
      List chosen;
      for (Value& item : items) {
        Scope inner{.outer = &scope, .is_condition = true};
        bind(one.names, item, inner);
        if (is_true(value(*one.condition, inner))) chosen.push_back(item);
      }
      items = std::move(chosen);
    }
    Loop loop{.items = items};
    bool came_to_end = false;  // an iteration ended without break or continue; if none, Jinja runs `else`
    for (; loop.at < items.size(); ++loop.at) {
      Scope inner{.outer = &scope, .loop = &loop};
      bind(one.names, items[loop.at], inner);
      const Flow flow = render(one.body, inner, out);
      if (flow == Flow::leave) break;
      came_to_end |= flow == Flow::on;
    }
    if (came_to_end) return Flow::on;
    Scope inner{.outer = &scope, .loop = scope.loop};
    return render(one.otherwise, inner, out);
  }

  Value call_macro(const Macro& macro, const Arguments& given) override {
    if (given.given.size() > macro.parameters.size())
      throw Error(fmt::format("It gives the macro {} too much.", macro.name));
    if (++calls_ > deepest_call) throw Error("It calls itself too often.");
    Scope scope{.outer = &root_};
    for (std::size_t i = 0; i < macro.parameters.size(); ++i) {
      const auto& [name, otherwise] = macro.parameters[i];
      const auto named = std::ranges::find(given.named, name, [](const auto& one) { return one.first; });
      const bool is_named = named != given.named.end();
      if (is_named && i < given.given.size())
        throw Error(fmt::format("It gives the argument {} twice.", name));
      scope.variables[name] = i < given.given.size() ? given.given[i]
                              : is_named             ? named->second
                              : otherwise            ? kept(value(*otherwise, scope))
                                                     : Value{};
    }
    for (const auto& [name, value] : given.named)
      if (!scope.variables.contains(name))
        throw Error(fmt::format("It gives the macro {} an argument {}.", macro.name, name));
    std::string text;
    render(macro.body, scope, text);
    --calls_;
    return budget_.text(std::move(text));
  }

  Budget budget_;
  Scope root_;
  int calls_ = 0;
};

}  // namespace
}  // namespace attnscope::tokenizers::jinja

namespace attnscope::tokenizers {

JinjaText run_jinja(const std::vector<JinjaPiece>& pieces, const std::string& variables, const Day& today) {
  JinjaText made;
  try {
    const jinja::Body tree = jinja::template_tree(pieces);
    jinja::Runner runner(today);
    made.text = runner.run(tree, variables);
    made.asks_date = runner.asks_date();
  } catch (const jinja::Raised& raised) {
    made.refused = true;
    made.problem = raised.text;
  } catch (const Error& error) {
    made.problem = error.what();
  }
  if (!made.problem.empty()) made.text.clear();
  return made;
}

}  // namespace attnscope::tokenizers
