// app/exports/prints: a quiz as a table for spreadsheets.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/exports/prints/quiz.hpp"
#include "core/text/csv.hpp"

namespace attnscope::prints {
namespace {

constexpr std::size_t most_choices = 6;

/// One line that is no formula: spreadsheets compute fields that begin with one of these signs.
std::string sheet_text(std::string_view text) {
  std::string line = one_line(text);
  constexpr std::string_view formula = "=+-@";
  if (!line.empty() && formula.find(line[0]) != formula.npos) line.insert(0, 1, ' ');
  return line;
}

std::string_view kind_name(QuizItem::Kind kind) {
  constexpr std::array<std::string_view, 3> names{"choice", "number", "essay"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace

std::string quiz_csv(std::span<const QuizPart> parts, const PrintWords& in) {
  std::vector<std::string> columns{"id", "lesson", "title", "kind", "question"};
  for (std::size_t i = 0; i < most_choices; ++i) columns.push_back(letter(i));
  for (const char* more : {"right", "number", "tolerance", "answer"}) columns.emplace_back(more);
  CsvTable table(columns);
  for (const QuizPart& part : parts)
    for (const QuizItem& item : part.items) {
      const auto prose = [&](const ToldProse& words) { return sheet_text(plain_prose(words, in.words)); };
      table.text(item.id).text(sheet_text(part.title)).text(sheet_text(item.title));
      table.text(kind_name(item.kind)).text(prose(item.words));
      std::vector<std::string> right;
      for (std::size_t i = 0; i < most_choices; ++i) {
        if (i >= item.choices.size()) {
          table.nothing();
          continue;
        }
        table.text(prose(item.choices[i].words));
        if (item.choices[i].right) right.push_back(letter(i));
      }
      table.text(fmt::format("{}", fmt::join(right, " ")));
      if (item.kind == QuizItem::Kind::Number)
        table.number(item.number).number(item.tolerance);
      else
        table.nothing(2);
      table.text(prose(item.answer)).end_row();
    }
  return table.str();
}

}  // namespace attnscope::prints
