#include "app/cli/over_texts/spread_table.hpp"

#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/over_texts/texts_output.hpp"
#include "app/results/changed_model.hpp"
#include "core/text/csv.hpp"

namespace attnscope {
namespace {

bool is_same_head(const SpreadRow& a, const SpreadRow& b) {
  return a.of == b.of && a.block == b.block && a.head == b.head;
}

}  // namespace

std::string spread_csv(std::span<const SpreadRow> rows) {
  CsvTable table(
      {"attention", "layer", "head", "score", "n", "mean", "sd", "min", "max", "uniform", "without", "nan"});
  for (const SpreadRow& row : rows) {
    const Spread& values = row.spread->values;
    table.text(attention_name(row.of)).whole(row.block).whole(row.head).text(row.measure);
    table.whole(values.count()).number(values.mean()).number(values.deviation());
    table.number(values.least()).number(values.largest()).number(row.spread->uniform.mean());
    table.whole(row.spread->without).whole(row.spread->not_finite);
    table.end_row();
  }
  return table.str();
}

nlohmann::ordered_json spread_json(const Spread& values) {
  return {{"n", values.count()},
          {"mean", values.mean()},
          {"sd", values.deviation()},
          {"min", values.least()},
          {"max", values.largest()}};
}

nlohmann::ordered_json spread_json(std::span<const SpreadRow> rows) {
  nlohmann::ordered_json heads = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const SpreadRow& row = rows[i];
    if (i == 0 || !is_same_head(rows[i - 1], row))
      heads.push_back({{"attention", std::string(attention_name(row.of))},
                       {"layer", row.block},
                       {"head", row.head},
                       {"scores", nlohmann::ordered_json::object()}});
    nlohmann::ordered_json score = spread_json(row.spread->values);
    score["uniform"] = row.spread->uniform.mean();
    score["without"] = row.spread->without;
    score["nan"] = row.spread->not_finite;
    heads.back()["scores"][std::string(row.measure)] = std::move(score);
  }
  return heads;
}

std::string spread_columns(std::span<const SpreadRow> rows) {
  std::string table;
  const auto add = [&table](std::string_view head, std::string_view score, const auto&... numbers) {
    fmt::format_to(std::back_inserter(table), "{:<15} {:<18}", head, score);
    (fmt::format_to(std::back_inserter(table), " {:>10}", numbers), ...);
    table += '\n';
  };
  add("head", "score", "n", "mean", "sd", "min", "max", "uniform", "without", "NaN");
  for (const SpreadRow& row : rows) {
    const Spread& values = row.spread->values;
    add(fmt::format("{} {}.{}", attention_name(row.of), row.block, row.head), row.measure, values.count(),
        in_table(values.mean()), in_table(values.deviation()), in_table(values.least()),
        in_table(values.largest()), in_table(row.spread->uniform.mean()), row.spread->without,
        row.spread->not_finite);
  }
  return table;
}

}  // namespace attnscope
