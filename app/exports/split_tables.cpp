#include "app/exports/split_tables.hpp"

#include <vector>

#include "core/base/error.hpp"
#include "core/text/csv.hpp"

namespace attnscope {

std::string score_parts_table(const ScoreSplit& split, const std::stop_token& stop) {
  std::vector<std::string> columns{"query_part"};
  for (const StreamPart& part : split.key_parts) columns.push_back(name_of(part));
  CsvTable table(columns);
  for (std::size_t a = 0; a < split.query_parts.size(); ++a) {
    if (stop.stop_requested()) throw Cancelled();
    table.text(name_of(split.query_parts[a]));
    const auto row = split.cells.matrix().row(static_cast<Eigen::Index>(a));
    for (const double value : row) table.number(value);
    table.end_row();
  }
  return table.str();
}

std::string logit_parts_table(const LogitSplit& split, const ChangedModel& of) {
  const std::string changes = of.words();
  CsvTable table({"part", "layer", "head", "adds", "numbers_of", "changes_inside"});
  for (std::size_t i = 0; i < split.parts.size(); ++i) {
    const StreamPart& part = split.parts[i];
    table.text(name_of(part));
    part.block < 0 ? table.nothing() : table.whole(part.block);
    part.head < 0 ? table.nothing() : table.whole(part.head);
    table.number(split.values[i]).text(of.name()).text(changes);
    table.end_row();
  }
  return table.str();
}

}  // namespace attnscope
