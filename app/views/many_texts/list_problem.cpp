#include "app/views/many_texts/list_problem.hpp"

#include <array>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "app/ui/own_words.hpp"
#include "core/tokenizers/tokenizer.hpp"

namespace attnscope {
namespace {

/// The value of a byte, "(0xe4)", which begins like a number and is none; behind the name of the file.
std::string with_own_byte(std::string_view problem) {
  constexpr std::string_view begin = " (0x";
  const std::size_t at = problem.rfind(begin), end = problem.find(')', at);
  if (at == problem.npos || end == problem.npos || problem.find('"', at) != problem.npos)
    return std::string(problem);
  return fmt::format("{} ({}){}", problem.substr(0, at), own(problem.substr(at + 2, end - at - 2)),
                     problem.substr(end + 1));
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
  return with_own_byte(problem);
}

}  // namespace

std::string list_problem(const std::string& sentence, const OpenedModel& opened) {
  std::array<std::string, 2> names{opened.model->spec.family, ""};
  if (opened.tokenizer)
    if (const std::string* mask = opened.tokenizer->token(opened.tokenizer->special_ids().mask))
      names[1] = *mask;
  return in_parts(sentence, names);
}

}  // namespace attnscope
