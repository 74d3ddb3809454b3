#include "app/cli/over_texts/heads_command.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/over_texts/progress_line.hpp"
#include "app/cli/over_texts/spread_table.hpp"
#include "app/cli/over_texts/texts_output.hpp"
#include "app/cli/parts/model_note.hpp"
#include "app/session/session.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

/// All measured spreads as rows of the table.
std::vector<SpreadRow> rows_of_heads(const HeadSpreads& found) {
  std::vector<SpreadRow> rows;
  for (const HeadSpread& head : found.heads)
    for (const TextMeasure measure : found.measured)
      if (found.has(head, measure))
        rows.push_back({head.of, head.block, head.head, id_of(measure), &head.at(measure)});
  return rows;
}

std::string heads_json(const OpenedModel& opened, const TextList& list, const HeadSpreads& found) {
  nlohmann::ordered_json report{{"model", printable(opened.name)}, {"family", opened.model->spec.family}};
  nlohmann::ordered_json& texts = report["texts"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < list.texts.size(); ++i)
    texts.push_back(
        {{"line", list.texts[i].line}, {"text", list.texts[i].text}, {"tokens", found.tokens[i]}});
  report["left_out_lines"] = list.left_out;
  report["heads"] = spread_json(rows_of_heads(found));
  return report.dump(1) + "\n";
}

std::string heads_columns(const OpenedModel& opened, const HeadSpreads& found) {
  std::int64_t tokens = 0;
  for (const std::int64_t count : found.tokens) tokens += count;
  return fmt::format("{}: {} {}, {} {}\n", printable(opened.name), found.tokens.size(),
                     found.tokens.size() == 1 ? "text" : "texts", tokens, tokens == 1 ? "token" : "tokens") +
         spread_columns(rows_of_heads(found));
}

std::string heads_table(TableForm form, const OpenedModel& opened, const TextList& list,
                        const HeadSpreads& found) {
  switch (form) {
    case TableForm::Csv: return spread_csv(rows_of_heads(found));
    case TableForm::Json: return heads_json(opened, list, found);
    case TableForm::Columns: break;
  }
  return heads_columns(opened, found);
}

}  // namespace

void heads_command(const HeadsOptions& options) {
  const TextList list = read_text_list(options.texts);
  refuse_folder_without_model(options.model);
  const OpenedModelPtr opened = open_whole_model(options.model);
  say_note(*opened->model);
  ThreadPool pool;
  TextsProgress progress;
  HeadSpreads found;
  {
    const ProgressLine line("heads", progress);
    found = head_spreads(*opened, list, options.request, &progress, Work{pool, {}});
  }
  write_out(options.out,
            heads_table(table_form(options.out).value_or(TableForm::Columns), *opened, list, found));
  say_left_out(list);
  say_troubles(list, found.untold);
  say_troubles(list, found.not_numbers);
}

}  // namespace attnscope
