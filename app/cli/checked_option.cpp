#include "app/cli/checked_option.hpp"

#include <fmt/format.h>

#include "core/text/utf8.hpp"

namespace attnscope {

void add_checked(CLI::App& command, Checked option) {
  const auto read = [option](const std::string& text) {
    if (option.read(text)) return;
    throw CLI::ValidationError(
        fmt::format("{} is {}, expected {}", option.name, in_quotes(text), option.expected),
        CLI::ExitCodes::ValidationError);
  };
  command.add_option_function<std::string>(option.name, read, option.help + ": " + option.expected)
      ->type_name(option.placeholder);
}

}  // namespace attnscope
