// app/cli: the command line as data, and the texts made of it: the manual page, the completions of three
// shells, and the list of commands in README.md. So they always agree with `--help`.
#pragma once

#include <string>
#include <vector>

namespace attnscope {

struct DescribedOption {
  std::vector<std::string> names;    // "-o", "--out"; empty: it is positional
  std::string value;                 // the placeholder of its value, "PATH"; empty: a flag
  std::string help;                  // without a full stop
  std::vector<std::string> choices;  // if the value is one of few words
  bool required = false;
};

struct DescribedCommand {
  std::vector<std::string> path;  // "lesson", "check"; empty: the program itself
  std::string help;
  std::vector<DescribedOption> options;  // in the order of the help
  std::vector<std::string> commands;     // names of its subcommands
};

/// The program first, then every command that is not hidden, each followed by its subcommands.
using Manual = std::vector<DescribedCommand>;

/// The words of "auto, cpu or cuda" or "one of a, b"; empty if the text is not such a list.
std::vector<std::string> listed_words(const std::string& expected);

/// "man", as troff; "bash", "zsh" and "fish" as their scripts; "readme"; empty for anything else.
std::string written_manual(const Manual&, const std::string& kind, const std::string& version);
std::string manual_page(const Manual&, const std::string& version);
/// Every command with all its options, as a block of code of a README.md.
std::string readme_commands(const Manual&);
std::string bash_completion(const Manual&);
std::string zsh_completion(const Manual&);
std::string fish_completion(const Manual&);

}  // namespace attnscope
