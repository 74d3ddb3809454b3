#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "app/cli/manual.hpp"

namespace attnscope {
namespace {

/// Escapes a text for troff.
std::string troff(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\')
      safe += "\\e";
    else if (c == '-')
      safe += "\\-";
    else if ((c == '.' || c == '\'') && safe.empty())
      safe += std::string("\\&") + c;
    else
      safe += c;
  }
  return safe;
}

std::string program_and_path(const DescribedCommand& command) {
  std::string line = "attnscope";
  for (const std::string& name : command.path) line += " " + name;
  return line;
}

/// The required options and arguments; "[options]" stands for the others.
std::string synopsis_of(const DescribedCommand& command) {
  std::string line = fmt::format("\\fB{}\\fR", troff(program_and_path(command)));
  bool has_more = false;
  for (const DescribedOption& option : command.options) {
    if (option.names.empty()) continue;
    if (option.required)
      line += fmt::format(" \\fB{}\\fR \\fI{}\\fR", troff(option.names.front()), troff(option.value));
    else
      has_more = true;
  }
  if (has_more) line += " [\\fIoptions\\fR]";
  for (const DescribedOption& option : command.options) {
    if (!option.names.empty()) continue;
    const std::string value = fmt::format("\\fI{}\\fR", troff(option.value));
    line += option.required ? " " + value : " [" + value + "]";
  }
  return line;
}

std::string options_of(const DescribedCommand& command) {
  std::string text;
  for (const DescribedOption& option : command.options) {
    std::string names;
    for (const std::string& name : option.names)
      names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", troff(name));
    if (!option.value.empty())
      names += fmt::format("{}\\fI{}\\fR", names.empty() ? "" : " ", troff(option.value));
    text += fmt::format(".TP\n{}\n{}.\n", names, troff(option.help));
  }
  return text;
}

constexpr std::string_view after_commands =
    ".SH ENVIRONMENT\n"
    ".TP\n\\fBATTNSCOPE_ASSETS\\fR\n"
    "The folder with examples, lessons and languages, instead of the one beside the program.\n"
    ".SH FILES\n"
    ".TP\n\\fI$XDG_STATE_HOME/attnscope\\fR, \\fI~/.local/state/attnscope\\fR\n"
    "What the window keeps: the session that it brings back, recent files, preferences.\n"
    ".SH EXIT STATUS\n"
    "0 when it was done; 1 when the input is wrong, with one sentence on the standard error; 2 when the "
    "command line is.\n";

}  // namespace

std::string manual_page(const Manual& manual, const std::string& version) {
  std::string text = fmt::format(
      ".TH ATTNSCOPE 1 \"\" \"attnscope {}\" \"User Commands\"\n"
      ".SH NAME\nattnscope \\- an oscilloscope for self\\-attention\n.SH SYNOPSIS\n",
      version);
  for (const DescribedCommand& command : manual)
    if (command.commands.empty() || command.path.empty())
      text += fmt::format("{}{}\n", command.path.empty() ? "" : ".br\n", synopsis_of(command));
  text +=
      ".SH DESCRIPTION\n"
      "A window in which every number of a self\\-attention layer, or of a whole transformer, is visible and "
      "can be\n"
      "changed. Without a command it opens, with \\fIFILE\\fR or with what was there when it was closed.\n"
      ".SH OPTIONS\n";
  text += options_of(manual.front());
  text += ".SH COMMANDS\n";
  for (const DescribedCommand& command : manual)
    if (!command.path.empty() && command.commands.empty())
      text += fmt::format(".SS {}\n{}.\n{}", troff(program_and_path(command)), troff(command.help),
                          options_of(command));
  return text + std::string(after_commands);
}

std::string readme_commands(const Manual& manual) {
  constexpr std::size_t width = 128, indent = 4;
  std::string text;
  for (const DescribedCommand& command : manual) {
    if (!command.commands.empty() && !command.path.empty()) continue;
    std::string line = std::string(indent, ' ') + program_and_path(command);
    const std::size_t further = line.size() + 1;  // the column where the second and later lines begin
    const auto add = [&](const std::string& word) {
      if (line.size() + 1 + word.size() > width) {
        text += line + "\n";
        line = std::string(further - 1, ' ');
      }
      line += " " + word;
    };
    const auto add_options = [&](bool positional) {
      for (const DescribedOption& option : command.options) {
        if (option.names.empty() != positional) continue;
        std::string word = option.names.empty() ? std::string() : option.names.front();
        if (!option.value.empty()) word += (word.empty() ? "" : " ") + option.value;
        if (word != "-h") add(option.required ? word : "[" + word + "]");
      }
    };
    add_options(true);
    add_options(false);
    text += line + "\n";
  }
  return text;
}

std::string written_manual(const Manual& manual, const std::string& kind, const std::string& version) {
  if (kind == "man") return manual_page(manual, version);
  if (kind == "readme") return readme_commands(manual);
  if (kind == "bash") return bash_completion(manual);
  if (kind == "zsh") return zsh_completion(manual);
  if (kind == "fish") return fish_completion(manual);
  return {};
}

std::vector<std::string> listed_words(const std::string& expected) {
  std::string_view rest = expected;
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  if (rest.starts_with("one of ")) rest.remove_prefix(7);
  std::vector<std::string> words;
  const auto is_of_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  while (!rest.empty()) {
    const std::size_t comma = rest.find(", "), other = rest.find(" or ");
    const std::size_t end = std::min(comma, other);
    const std::string_view word = rest.substr(0, end);
    if (word.empty() || !std::ranges::all_of(word, is_of_word)) return {};
    words.emplace_back(word);
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + (end == comma ? 2 : 4));
  }
  return words.size() < 2 ? std::vector<std::string>{} : words;
}

}  // namespace attnscope
