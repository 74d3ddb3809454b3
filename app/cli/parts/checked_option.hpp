// app/cli/parts: an option whose value is checked while the line is read. For .cpp files of command lines
// only, since it brings CLI11 along.
#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "app/results/choose_backend.hpp"

namespace attnscope {

/// An option with a value that is checked while the line is read, so that a bad one is bad usage.
struct Checked {
  std::string name, placeholder, help, expected;
  std::function<bool(const std::string&)> read;  // false when the text does not fit
};

void add_checked(CLI::App& command, Checked option);
/// A whole number from `least` to `most`.
Checked whole_option(const std::string& name, const std::string& help, int least, int most, int& into);
/// --backend, which chooses what computes.
Checked backend_option(std::function<void(BackendPreference)> take);

/// For an option that names a file or a folder which is no text: "-", which elsewhere means the standard
/// output, is refused. `what`: "tensors".
CLI::Option* refuse_dash(CLI::Option*, const std::string& what);

/// CLI11's messages as one sentence on one line.
std::string usage_sentence(const CLI::Error&);

/// What options for heads take at most.
inline constexpr int most_asked_heads = 8192;

}  // namespace attnscope
