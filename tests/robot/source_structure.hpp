// tests/robot: C++ sources as functions, lambdas, constants and calls, as far as following a text needs.
#pragma once

#include <compare>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/robot/source_tokens.hpp"

namespace attnscope {

/// Tokens [begin, end) of a file.
struct TokenRange {
  std::size_t file = 0, begin = 0, end = 0;
  auto operator<=>(const TokenRange&) const = default;
  bool empty() const { return begin >= end; }
};

class SourceStructure {
 public:
  /// Throws Error where brackets do not match.
  void add(std::string file, std::string_view source);

 protected:
  static bool is_control(std::string_view name);
  static bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names);

  struct Function {
    std::string name;
    std::vector<std::string> parameters;
    std::vector<bool> takes_id;  // a parameter that is `const char*`: a name for the robot and Dear ImGui
    TokenRange body;
    bool gives_text = false;
    bool is_local = false;  // in a namespace without a name: only its file calls it
  };
  struct Call {
    std::size_t file = 0;
    std::vector<TokenRange> arguments;
  };
  struct File {
    std::string name;
    std::vector<SourceToken> tokens;
    std::vector<Function> functions;
  };

  const SourceToken& at(const TokenRange& range, std::size_t i) const { return files_[range.file].tokens[i]; }
  /// The token after this one, or after the group that it opens.
  std::size_t after(const TokenRange& range, std::size_t i) const;
  /// Splits at a sign outside of all brackets of the range.
  std::vector<TokenRange> split(const TokenRange&, std::string_view sign) const;
  TokenRange without_parentheses(TokenRange) const;
  /// The functions that a call in this file can mean: those of the file itself; if it has none, those of
  /// other files that are not local to them. Some parameters can have defaults. `gives_text`: only of those
  /// that give one, and those with just as many parameters, if there are any.
  std::vector<const Function*> meant(std::size_t file, const std::string& name, std::size_t arguments,
                                     bool gives_text = false) const;
  /// Null: the token is in no function.
  const Function* function_at(std::size_t file, std::size_t token) const;

  /// Whether the argument at `place` is a name for the robot and Dear ImGui, not a text.
  bool is_id(const TokenRange& call, const std::string& callee, std::size_t place, std::size_t count) const;
  /// Whether the argument at `place` is drawn, or said, by Ui itself or a replacement of it.
  static bool draws(std::string_view callee, std::size_t place);
  /// The same for a function that passes it on. `count`: how many arguments the call has.
  bool shows(std::size_t file, const std::string& callee, std::size_t place, std::size_t count) const;
  /// Whether a variable is used only for names: `variable.c_str()`.
  bool is_only_id(const TokenRange& name, const std::string& variable) const;
  /// Whether the token is in an argument that is drawn.
  bool is_drawn_argument(const TokenRange& token) const;

  std::vector<File> files_;
  std::map<std::string, std::vector<std::pair<std::size_t, std::size_t>>> by_name_;  // file, function
  std::map<std::string, std::vector<Call>> calls_;
  std::map<std::string, std::vector<TokenRange>> constants_;
  std::map<std::pair<std::size_t, std::string>, Function> lambdas_;  // file, name

 private:
  void find_functions(File&, const TokenRange& scope, bool is_local);
  void find_constants(std::size_t file, std::size_t begin, std::size_t end);
  void find_calls(std::size_t file);
  void find_lambdas(std::size_t file);
  bool shows_parameter(const Function&, std::size_t place) const;
  std::vector<std::string> names_of(const TokenRange& parameters) const;
  std::vector<bool> ids_of(const TokenRange& parameters) const;

  using Passed = std::pair<TokenRange, std::size_t>;  // the body of a function, and which parameter
  mutable std::map<Passed, bool> shown_;
  mutable std::set<Passed> asked_;  // since the outermost question: no, as far as is known
  mutable int asking_ = 0;
};

}  // namespace attnscope
