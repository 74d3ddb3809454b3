// tests/robot: a C++ source file as tokens with matched brackets, as far as reading its texts needs.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

struct SourceToken {
  enum class Kind { Name, Number, Character, Text, Sign };
  Kind kind = Kind::Sign;
  std::string text;      // of a literal: its value; adjacent literals are one
  int line = 0;          // from 1
  std::size_t mate = 0;  // of a bracket: the index of its partner
  bool is(std::string_view sign) const { return kind == Kind::Sign && text == sign; }
  bool is_word(std::string_view name) const { return kind == Kind::Name && text == name; }
  bool opens() const { return is("(") || is("[") || is("{"); }
};

/// Without comments and preprocessor lines. Throws Error where brackets do not match.
std::vector<SourceToken> tokens_of(std::string_view source);
std::vector<SourceToken> tokens_of_file(const std::filesystem::path&);

}  // namespace attnscope
