#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/manual.hpp"

namespace attnscope {
namespace {

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

/// Escapes a text for single quotes of a POSIX shell; fish accepts \' there as well.
std::string in_single_quotes(std::string_view text, std::string_view quote) {
  std::string safe = "'";
  for (const char c : text) safe += c == '\'' ? std::string(quote) : std::string(1, c);
  return safe + "'";
}

/// Escapes a description for zsh's _arguments, in single quotes.
std::string zsh_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') safe += '\\';
    safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return safe;
}

/// One argument of _arguments for each name: '--theme[Which colours]:T:(dark light contrast)'.
std::string zsh_option(const DescribedOption& option) {
  const std::string value =
      option.value.empty()
          ? ""
          : fmt::format(":{}:{}", zsh_text(option.value),
                        option.choices.empty() ? "_files" : "(" + joined(option.choices) + ")");
  if (option.names.empty()) return fmt::format(" \\\n        '*{}'", value);
  std::string text;
  for (const std::string& name : option.names)
    text +=
        fmt::format(" \\\n        '({}){}[{}]{}'", joined(option.names), name, zsh_text(option.help), value);
  return text;
}

constexpr std::string_view find_path_in_bash =
    "    local path= word i\n"
    "    for ((i = 1; i < COMP_CWORD; ++i)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        case \"$path/$word\" in\n";
// In zsh, `path` is tied to $PATH, so the variable has another name.
constexpr std::string_view find_path_in_zsh =
    "    local at= word i\n"
    "    for ((i = 2; i < CURRENT; ++i)); do\n"
    "        word=$words[i]\n"
    "        case \"$at/$word\" in\n";

/// The patterns of that case statement: "/render", "/lesson", "/lesson/check".
std::string paths_pattern(const Manual& manual, std::string_view variable) {
  std::string pattern;
  for (const DescribedCommand& command : manual)
    if (!command.path.empty())
      pattern += fmt::format("{}/{}", pattern.empty() ? "" : " | ", fmt::join(command.path, "/"));
  return fmt::format("        {0}) {1}=${1}/$word ;;\n        esac\n    done\n", pattern, variable);
}

std::string path_of(const DescribedCommand& command) {
  return command.path.empty() ? "" : fmt::format("/{}", fmt::join(command.path, "/"));
}

}  // namespace

std::string bash_completion(const Manual& manual) {
  std::string text = "# bash completion for attnscope; written by `attnscope manual bash`.\n_attnscope() {\n";
  text += find_path_in_bash;
  text += paths_pattern(manual, "path");
  text +=
      "    local current=${COMP_WORDS[COMP_CWORD]} words=\n"
      "    case \"$path ${COMP_WORDS[COMP_CWORD - 1]}\" in\n";
  for (const DescribedCommand& command : manual)
    for (const DescribedOption& option : command.options) {
      if (option.choices.empty()) continue;
      for (const std::string& name : option.names)
        text += fmt::format("    '{} {}') words='{}' ;;\n", path_of(command), name, joined(option.choices));
    }
  text += "    *)\n        case \"$path\" in\n";
  for (const DescribedCommand& command : manual) {
    std::vector<std::string> words = command.commands;
    for (const DescribedOption& option : command.options)
      words.insert(words.end(), option.names.begin(), option.names.end());
    text += fmt::format("        '{}') words='{}' ;;\n", path_of(command), joined(words));
  }
  return text +
         "        esac\n        ;;\n    esac\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "}\ncomplete -o bashdefault -o default -F _attnscope attnscope\n";
}

std::string zsh_completion(const Manual& manual) {
  std::string text =
      "#compdef attnscope\n# zsh completion; written by `attnscope manual zsh`.\n_attnscope() {\n";
  text += find_path_in_zsh;
  text += paths_pattern(manual, "at");
  text += "    case \"$at\" in\n";
  for (const DescribedCommand& command : manual) {
    text += fmt::format("    '{}')\n", path_of(command));
    if (!command.commands.empty()) text += fmt::format("        compadd -- {}\n", joined(command.commands));
    text += "        _arguments";
    for (const DescribedOption& option : command.options) text += zsh_option(option);
    text += "\n        ;;\n";
  }
  return text + "    esac\n}\n_attnscope \"$@\"\n";
}

std::string fish_completion(const Manual& manual) {
  std::string text = "# fish completion for attnscope; written by `attnscope manual fish`.\n";
  const auto help_of = [&manual](std::vector<std::string> path, const std::string& name) {
    path.push_back(name);
    for (const DescribedCommand& command : manual)
      if (command.path == path) return command.help;
    return std::string();
  };
  for (const DescribedCommand& command : manual) {
    std::string when = command.path.empty() ? "__fish_use_subcommand" : "";
    for (const std::string& name : command.path)
      when += fmt::format("{}__fish_seen_subcommand_from {}", when.empty() ? "" : "; and ", name);
    const std::string start = fmt::format("complete -c attnscope -n '{}'", when);
    for (const std::string& name : command.commands)
      text +=
          fmt::format("{} -a {} -d {}\n", start, name, in_single_quotes(help_of(command.path, name), "\\'"));
    for (const DescribedOption& option : command.options) {
      if (option.names.empty()) continue;
      text += start;
      for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.choices.empty())
        text += fmt::format(" -x -a '{}'", joined(option.choices));
      else if (!option.value.empty())
        text += " -r";
      text += fmt::format(" -d {}\n", in_single_quotes(option.help, "\\'"));
    }
  }
  return text;
}

}  // namespace attnscope
