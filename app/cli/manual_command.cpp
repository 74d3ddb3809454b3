#include "app/cli/manual_command.hpp"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/manual.hpp"

namespace attnscope {
namespace {

DescribedOption described(const CLI::Option& option) {
  DescribedOption said;
  for (const std::string& name : option.get_snames()) said.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) said.names.push_back("--" + name);
  if (option.get_expected_max() > 0) said.value = option.get_type_name();
  if (said.names.empty()) said.value = option.get_name(true);
  said.help = option.get_description();
  said.choices = listed_words(said.help.substr(said.help.rfind(": ") + 1));
  said.required = option.get_required();
  return said;
}

/// Adds the options of a command and of its option groups, which are commands without a name in CLI11.
void add_options(const CLI::App& app, DescribedCommand& command) {
  for (const CLI::Option* option : app.get_options()) command.options.push_back(described(*option));
  for (const CLI::App* group : app.get_subcommands([](const CLI::App*) { return true; }))
    if (group->get_name().empty()) add_options(*group, command);
}

void describe(const CLI::App& app, const std::vector<std::string>& path, Manual& into) {
  DescribedCommand command{path, app.get_description(), {}, {}};
  add_options(app, command);
  const std::size_t here = into.size();
  into.push_back(std::move(command));
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (below->get_group().empty() || below->get_name().empty()) continue;
    into[here].commands.push_back(below->get_name());
    std::vector<std::string> longer = path;
    longer.push_back(below->get_name());
    describe(*below, longer, into);
  }
}

}  // namespace

std::function<bool()> add_manual_command(CLI::App& app) {
  const auto kind = std::make_shared<std::string>();
  CLI::App& command = *app.add_subcommand(
      "manual", "Write the manual page, the completions of a shell, or the commands as README.md lists them");
  command.group("");
  command.add_option("KIND", *kind, "man, bash, zsh, fish or readme")
      ->required()
      ->type_name("")
      ->check(CLI::IsMember({"man", "bash", "zsh", "fish", "readme"}));
  return [kind, &app, &command] {
    if (!command.parsed()) return false;
    Manual manual;
    describe(app, {}, manual);
    fmt::print("{}", written_manual(manual, *kind, ATTNSCOPE_VERSION));
    return true;
  };
}

}  // namespace attnscope
