#include "app/pages/model/many_texts/spread_rows.hpp"

#include <cmath>
#include <memory>
#include <utility>

#include "app/kit/ui/number_format.hpp"
#include "app/views/atlas/tables.hpp"
#include "app/views/model/facts.hpp"

namespace attnscope {
namespace {

std::string in_thousandths(double value) { return fixed(value, 3); }
/// A small effect is not written as 0.
std::string effect_number(double value) {
  return value != 0 && std::abs(value) < 0.0005 ? tight(value) : fixed(value, 3);
}
std::string whole_number(double value) { return grouped(static_cast<std::int64_t>(value)); }

}  // namespace

std::string known_number(double value, int places) { return std::isnan(value) ? "–" : fixed(value, places); }

Table spread_table(const ModelSpec& spec, std::vector<SpreadLine> of, const SpreadColumns& columns) {
  const auto lines = std::make_shared<const std::vector<SpreadLine>>(std::move(of));
  Table table{.rows = lines->size(), .columns = {}};
  table.columns.push_back(
      {.title = "head",
       .cell = [&spec, lines](std::size_t row) -> TableCell { return head_name(spec, (*lines)[row].head); },
       .tip = head_column_tip});
  const auto add = [&](std::string_view title, auto number, std::string (*written)(double)) {
    table.columns.push_back(
        {.title = title,
         .cell = [lines, number](std::size_t row) -> TableCell { return number(*(*lines)[row].found); },
         .written = written});
  };
  const auto written = columns.of_scores ? in_thousandths : effect_number;
  add(
      "mean", [](const MeasureSpread& of_head) { return of_head.values.mean(); }, written);
  add(
      "deviation", [](const MeasureSpread& of_head) { return of_head.values.deviation(); }, written);
  if (columns.of_scores) {
    add(
        "uniform", [](const MeasureSpread& of_head) { return of_head.uniform.mean(); }, written);
  } else {
    add(
        "least", [](const MeasureSpread& of_head) { return of_head.values.least(); }, written);
    add(
        "largest", [](const MeasureSpread& of_head) { return of_head.values.largest(); }, written);
  }
  add(
      columns.counted, [](const MeasureSpread& of_head) { return of_head.values.count(); }, whole_number);
  return table;
}

}  // namespace attnscope
