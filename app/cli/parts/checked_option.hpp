// app/cli/parts: an option whose value is checked while the line is parsed. Only for .cpp files of command
// lines, since it includes CLI11.
#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "app/results/choose_backend.hpp"

namespace attnscope {

/// An option with a value that is checked while the line is parsed, so that a bad one is bad usage.
struct Checked {
  std::string name, placeholder, help, expected;
  std::function<bool(const std::string&)> read;  // false when the text does not fit
};

void add_checked(CLI::App& command, Checked option);
/// A whole number from `least` to `most`.
Checked whole_option(const std::string& name, const std::string& help, int least, int most, int& into);
/// --backend, which selects the backend.
Checked backend_option(std::function<void(BackendPreference)> take);

/// Makes an option for a binary file or a folder refuse "-", which elsewhere means the standard output.
/// `what`: "tensors".
CLI::Option* refuse_dash(CLI::Option*, const std::string& what);

/// CLI11's messages as one sentence on one line.
std::string usage_sentence(const CLI::Error&);

/// The upper limit of options for heads.
inline constexpr int most_asked_heads = 8192;

}  // namespace attnscope
