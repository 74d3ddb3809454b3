// tests/robot: the texts that the sources can make: literals, fmt::format and texts joined from them with +
// and +=, through variables, parameters and functions.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/robot/source_structure.hpp"

namespace attnscope {

/// Marks a part of a text that the scanner cannot resolve.
inline constexpr char unknown_piece = '\x01';

struct ProgramText {
  std::string text;  // numbers as "1", own words and inner texts as own("x")
  std::string file;  // as it was added
  int line = 0;
  bool operator==(const ProgramText&) const = default;
};

class SourceProgram : public SourceStructure {
 public:
  /// Every text that an expression of these files makes by itself, after all files were added. Without pieces
  /// that are only joined into others, and names that a function takes as `const char*` without drawing them.
  std::vector<ProgramText> texts();

 private:
  using Texts = std::set<std::string>;
  using Literal = std::pair<std::size_t, std::size_t>;    // file, token
  using Parameter = std::pair<std::string, std::size_t>;  // of a function, counted from 0
  struct Crossing;
  struct Whole;
  struct Called {
    std::string name;
    std::size_t file = 0;
    bool is_local = false;  // only calls in its file count
  };

  static bool writes_number(std::string_view name);

  Texts evaluate(TokenRange);
  Texts product(const std::vector<TokenRange>&);
  Texts primary(const TokenRange&);
  Texts elements(const TokenRange& use);
  Texts call(const TokenRange&, std::size_t name, std::size_t open);
  Texts called(const TokenRange&, const std::string& name, std::size_t arguments);
  /// counted() of app/kit/ui/number_format.hpp: the singular and the plural.
  Texts counted(const std::vector<TokenRange>& arguments);
  Texts formatted(const std::vector<TokenRange>& arguments);
  Texts formatted(const std::string& pattern, const std::vector<TokenRange>& arguments);
  Texts returned(const TokenRange& body);
  Texts variable(const TokenRange& use);
  Texts variable_value(const TokenRange& use, const std::string& name);
  Texts assigned(const TokenRange& scope, const std::string& name, std::size_t before);
  Texts parameter_of(const Called&, std::size_t index);
  Texts lambda_parameter(const Function&, const TokenRange& use, const std::string& name);
  Texts lengthened(const TokenRange& left, const TokenRange& right);
  std::size_t behind_lambda(const TokenRange& body, std::size_t bracket) const;
  static Texts or_unknown(Texts, const Whole&);
  std::size_t depth() const { return doing_.size() + doing_parameters_.size(); }
  template <typename Key>
  bool begin(std::map<Key, std::size_t>& doing, const Key& key);
  bool is_piece() const { return marks_ && (glue_depth_ > 0 || is_piece_); }

  bool makes_text(const TokenRange&) const;
  bool is_name_or_call(const TokenRange&) const;
  void walk(const TokenRange&, const std::string& callee, std::vector<ProgramText>* out);
  struct Argument {
    const std::string& callee;
    std::size_t place = 0, count = 0;
  };
  void statement(TokenRange, const Argument&, std::vector<ProgramText>* out);

  bool marks_ = false;  // the first pass, which finds the pieces that are joined into others
  int glue_depth_ = 0;
  bool is_crossed_ = false;  // out of the expression that is evaluated, into a variable or a function
  bool is_piece_ = false;    // which is joined into it
  std::set<Literal> glued_;  // into texts of other expressions
  std::set<Literal> alone_;  // texts of other expressions
  std::set<Literal> taken_;  // by the expression around them
  std::map<TokenRange, std::size_t> doing_;  // how deep: the outermost is 0
  std::map<Parameter, std::size_t> doing_parameters_;
  static constexpr std::size_t never = ~std::size_t{0};
  std::size_t cut_ = never;  // the outermost of those that was left out where it is a part of its own text
  std::map<std::pair<TokenRange, bool>, Texts> known_;  // second: is_piece()
  std::map<std::pair<Parameter, bool>, Texts> known_parameters_;
};

}  // namespace attnscope
