#include "app/cli/over_texts/texts_output.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/files/formats/atomic_write.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr std::size_t most_named_lines = 5;

}  // namespace

std::optional<TableForm> table_form(const std::optional<std::filesystem::path>& out) {
  if (!out) return TableForm::Columns;
  const std::string ending = lower_extension(*out);
  if (ending == ".csv") return TableForm::Csv;
  if (ending == ".json") return TableForm::Json;
  return std::nullopt;
}

void write_out(const std::optional<std::filesystem::path>& out, std::string_view text) {
  if (out) {
    const std::array<std::string_view, 1> pieces{text};
    return write_atomically(*out, pieces);
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void say_left_out(const TextList& list) {
  const std::vector<std::int64_t>& lines = list.left_out;
  const std::string where = in_quotes(list.path.native());
  if (lines.empty()) return;
  if (lines.size() == 1)
    fmt::print(stderr, "attnscope: Line {} of {} is empty and left out.\n", lines[0], where);
  else if (lines.size() <= most_named_lines)
    fmt::print(stderr, "attnscope: Lines {} of {} are empty and left out.\n", fmt::join(lines, ", "), where);
  else
    fmt::print(stderr, "attnscope: {} lines of {} are empty and left out, the first of them line {}.\n",
               lines.size(), where, lines[0]);
}

void say_troubles(const TextList& list, std::span<const TextTrouble> troubles) {
  const std::string where = in_quotes(list.path.native());
  for (const TextTrouble& trouble : troubles.first(std::min(troubles.size(), most_named_lines)))
    fmt::print(stderr, "attnscope: Line {} of {}: {}\n", trouble.line, where, trouble.sentence);
  if (troubles.size() > most_named_lines)
    fmt::print(stderr, "attnscope: The same holds for {} more lines of {}.\n",
               troubles.size() - most_named_lines, where);
}

std::string in_table(double value) { return std::isnan(value) ? "–" : fmt::format("{:.4g}", value); }

}  // namespace attnscope
