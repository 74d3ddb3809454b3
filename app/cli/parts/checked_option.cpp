#include "app/cli/parts/checked_option.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/text/utf8.hpp"
#include "core/text/whole_text.hpp"

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

CLI::Option* refuse_dash(CLI::Option* option, const std::string& what) {
  return option->check([what](const std::string& path) {
    if (path != "-") return std::string();
    return fmt::format("{} cannot go to the standard output; \"./-\" is a file of that name", what);
  });
}

std::string usage_sentence(const CLI::Error& error) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    text = text.substr(0, text.find(':')) + " must be given once, with one value";
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  text = printable(text);
  if (!text.ends_with('.')) text += '.';
  return text;
}

Checked whole_option(const std::string& name, const std::string& help, int least, int most, int& into) {
  const std::string expected = fmt::format("a whole number from {} to {}", least, most);
  return {name, "N", help, expected, [=, &into](const std::string& text) {
            const std::optional<int> value = whole_text_as<int>(text);
            into = value.value_or(least);
            return value && *value >= least && *value <= most;
          }};
}

Checked backend_option(std::function<void(BackendPreference)> take) {
  return {"--backend", "B", "Who computes", "auto, cpu or cuda",
          [take = std::move(take)](const std::string& text) {
            const std::optional<BackendPreference> options = backend_preference_named(text);
            take(options.value_or(BackendPreference::Auto));
            return options.has_value();
          }};
}

}  // namespace attnscope
