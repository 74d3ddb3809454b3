#include "app/cli/heads_command.hpp"

#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/progress_line.hpp"
#include "app/cli/texts_output.hpp"
#include "core/text/csv.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

std::string_view attention_id(AttentionOf of) { return of == AttentionOf::Encoder ? "encoder" : "decoder"; }

/// Calls fn(head, measure) for everything that was measured.
template <class Fn>
void each_measure(const HeadSpreads& found, Fn&& fn) {
  for (const HeadSpread& head : found.heads)
    for (const TextMeasure measure : found.measured)
      if (found.has(head, measure)) fn(head, measure);
}

std::string heads_csv(const HeadSpreads& found) {
  CsvTable table(
      {"attention", "layer", "head", "score", "n", "mean", "sd", "min", "max", "uniform", "without", "nan"});
  each_measure(found, [&](const HeadSpread& head, TextMeasure measure) {
    const MeasureSpread& spread = head.at(measure);
    const Spread& values = spread.values;
    table.text(attention_id(head.of)).whole(head.block).whole(head.head).text(id_of(measure));
    table.whole(values.count()).number(values.mean()).number(values.deviation());
    table.number(values.least()).number(values.largest()).number(spread.uniform.mean());
    table.whole(spread.without).whole(spread.not_finite);
    table.end_row();
  });
  return table.str();
}

/// Numbers that are not known are null.
std::string heads_json(const OpenedModel& opened, const TextList& list, const HeadSpreads& found) {
  nlohmann::ordered_json report{{"model", printable(opened.name)}, {"family", opened.model->spec.family}};
  nlohmann::ordered_json& texts = report["texts"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < list.texts.size(); ++i)
    texts.push_back(
        {{"line", list.texts[i].line}, {"text", list.texts[i].text}, {"tokens", found.tokens[i]}});
  report["left_out_lines"] = list.left_out;
  nlohmann::ordered_json& heads = report["heads"] = nlohmann::ordered_json::array();
  for (const HeadSpread& head : found.heads) {
    nlohmann::ordered_json scores = nlohmann::ordered_json::object();
    for (const TextMeasure measure : found.measured) {
      if (!found.has(head, measure)) continue;
      const MeasureSpread& spread = head.at(measure);
      const Spread& values = spread.values;
      scores[std::string(id_of(measure))] = {{"n", values.count()},       {"mean", values.mean()},
                                             {"sd", values.deviation()},  {"min", values.least()},
                                             {"max", values.largest()},   {"uniform", spread.uniform.mean()},
                                             {"without", spread.without}, {"nan", spread.not_finite}};
    }
    heads.push_back({{"attention", std::string(attention_id(head.of))},
                     {"layer", head.block},
                     {"head", head.head},
                     {"scores", std::move(scores)}});
  }
  return report.dump(1) + "\n";
}

std::string heads_columns(const OpenedModel& opened, const HeadSpreads& found) {
  std::int64_t tokens = 0;
  for (const std::int64_t count : found.tokens) tokens += count;
  std::string table =
      fmt::format("{}: {} texts, {} tokens\n", printable(opened.name), found.tokens.size(), tokens);
  const auto row = [&table](std::string_view head, std::string_view score, const auto&... numbers) {
    fmt::format_to(std::back_inserter(table), "{:<15} {:<18}", head, score);
    (fmt::format_to(std::back_inserter(table), " {:>10}", numbers), ...);
    table += '\n';
  };
  row("head", "score", "n", "mean", "sd", "min", "max", "uniform", "without", "NaN");
  each_measure(found, [&](const HeadSpread& head, TextMeasure measure) {
    const MeasureSpread& spread = head.at(measure);
    const Spread& values = spread.values;
    row(fmt::format("{} {}.{}", attention_id(head.of), head.block, head.head), id_of(measure), values.count(),
        in_table(values.mean()), in_table(values.deviation()), in_table(values.least()),
        in_table(values.largest()), in_table(spread.uniform.mean()), spread.without, spread.not_finite);
  });
  return table;
}

std::string heads_table(TableForm form, const OpenedModel& opened, const TextList& list,
                        const HeadSpreads& found) {
  switch (form) {
    case TableForm::Csv: return heads_csv(found);
    case TableForm::Json: return heads_json(opened, list, found);
    case TableForm::Columns: break;
  }
  return heads_columns(opened, found);
}

}  // namespace

void heads_command(const HeadsOptions& options) {
  const TextList list = read_text_list(options.texts);
  const OpenedModelPtr opened = open_whole_model(options.model);
  ThreadPool pool;
  TextsProgress progress;
  HeadSpreads found;
  {
    const ProgressLine line("heads", [&progress]() -> std::optional<int> {
      const std::int64_t total = progress.total;
      if (total == 0) return std::nullopt;
      return static_cast<int>(100 * progress.done / total);
    });
    found = head_spreads(*opened, list, options.request, &progress, Work{pool, {}});
  }
  write_out(options.out,
            heads_table(table_form(options.out).value_or(TableForm::Columns), *opened, list, found));
  say_left_out(list);
  say_troubles(list, found.untold);
  say_troubles(list, found.not_numbers);
}

}  // namespace attnscope
