#include "app/views/model/list_problem.hpp"

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "app/kit/ui/own_words.hpp"

namespace attnscope {
namespace {

/// For a line with bytes that are not text: the value of the byte, "0xe4", looks like a number to the string
/// table; it is moved behind the name of the file.
std::optional<std::string> invalid_line(std::string_view problem) {
  constexpr std::string_view begin = "Line ", of = " of \"", value = " (0x";
  const std::size_t file = problem.find(of), at = problem.rfind(value), end = problem.find(')', at);
  if (!problem.starts_with(begin) || file == problem.npos || at == problem.npos || end == problem.npos)
    return std::nullopt;
  const std::size_t path = file + of.size(), quote = problem.rfind('"', at);
  if (quote < path || quote == problem.npos) return std::nullopt;
  const std::size_t byte = problem.rfind(' ', at - 1) + 1;
  return fmt::format("Line {} of \"{}\" is not valid UTF-8: its byte {} ({}) does not belong to a character.",
                     own_number(problem.substr(begin.size(), file - begin.size())),
                     problem.substr(path, quote - path), own_number(problem.substr(byte, at - byte)),
                     own(problem.substr(at + 2, end - at - 2)));
}

std::string in_parts(std::string_view problem, std::span<const std::string> names) {
  constexpr std::string_view begin = "Line ", of = " of \"", end = "\": ";
  const std::size_t file = problem.find(of), sentence = problem.find(end);
  if (problem.starts_with(begin) && file < sentence && sentence != problem.npos) {
    const std::size_t path = file + of.size();
    return fmt::format("Line {} of \"{}\": {}", own_number(problem.substr(begin.size(), file - begin.size())),
                       problem.substr(path, sentence - path),
                       inner(in_parts(problem.substr(sentence + end.size()), names)));
  }
  for (const std::string& name : names)
    if (const std::size_t at = problem.find(name); !name.empty() && at != problem.npos)
      return std::string(problem.substr(0, at)) + own(name) + std::string(problem.substr(at + name.size()));
  return invalid_line(problem).value_or(std::string(problem));
}

}  // namespace

std::string list_problem(const std::string& sentence, const OpenedModel& opened) {
  std::array<std::string, 2> names{opened.model->spec.family, ""};
  if (const std::string* const mask = mask_name(opened)) names[1] = *mask;
  return in_parts(sentence, names);
}

}  // namespace attnscope
