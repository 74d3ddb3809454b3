#include "app/cli/over_texts/patch_command.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/over_texts/progress_line.hpp"
#include "app/cli/over_texts/spread_table.hpp"
#include "app/cli/over_texts/texts_output.hpp"
#include "app/cli/parts/model_note.hpp"
#include "app/session/session.hpp"
#include "core/readouts/over_texts/patch_spread.hpp"
#include "core/readouts/text/prediction.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

std::vector<SpreadRow> rows_of_patching(const PatchSpreads& found) {
  std::vector<SpreadRow> rows;
  for (const HeadPatchSpread& head : found.heads)
    for (const PatchMeasure measure : found.measured)
      rows.push_back({found.of, head.head.block, head.head.head, id_of(measure), &head.at(measure)});
  return rows;
}

/// {id, text} of a token or class; null if it is not_a_token.
nlohmann::ordered_json answer_json(const OpenedModel& opened, std::int64_t id) {
  if (id == not_a_token) return nullptr;
  return {{"id", id}, {"text", prediction_label(opened, id)}};
}

/// Unknown numbers are null.
std::string patching_json(const OpenedModel& opened, const PairList& list, const PatchSpreads& found) {
  nlohmann::ordered_json report{{"model", printable(opened.name)}, {"family", opened.model->spec.family}};
  nlohmann::ordered_json& pairs = report["pairs"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < list.pairs.size(); ++i) {
    const PairAnswers& pair = found.pairs[i];
    pairs.push_back({{"line", pair.line},
                     {"clean", list.pairs[i].clean},
                     {"corrupted", list.pairs[i].corrupted},
                     {"tokens", pair.tokens},
                     {"answer", answer_json(opened, pair.asked.token)},
                     {"other", answer_json(opened, pair.asked.other)},
                     {"clean_answer", pair.clean},
                     {"corrupted_answer", pair.corrupted}});
  }
  report["left_out_lines"] = list.lines.left_out;
  report["clean_answers"] = spread_json(found.clean);
  report["corrupted_answers"] = spread_json(found.corrupted);
  report["heads"] = spread_json(rows_of_patching(found));
  return report.dump(1) + "\n";
}

/// The first line has the answers of both texts: the effect of a head is a share of their difference.
std::string patching_columns(const OpenedModel& opened, const PatchSpreads& found) {
  return fmt::format(
             "{}: {} pairs, logit of the answer less that of the other: clean {} ± {}, corrupted {} ± {}\n",
             printable(opened.name), found.pairs.size(), in_table(found.clean.mean()),
             in_table(found.clean.deviation()), in_table(found.corrupted.mean()),
             in_table(found.corrupted.deviation())) +
         spread_columns(rows_of_patching(found));
}

std::string patching_table(TableForm form, const OpenedModel& opened, const PairList& list,
                           const PatchSpreads& found) {
  switch (form) {
    case TableForm::Csv: return spread_csv(rows_of_patching(found));
    case TableForm::Json: return patching_json(opened, list, found);
    case TableForm::Columns: break;
  }
  return patching_columns(opened, found);
}

}  // namespace

void patch_command(const PatchOptions& options) {
  const PairList list = read_pair_list(options.pairs);
  refuse_folder_without_model(options.model);
  const OpenedModelPtr opened = open_whole_model(options.model);
  say_note(*opened->model);
  ThreadPool pool;
  TextsProgress progress;
  PatchSpreads found;
  {
    const ProgressLine line("patch", progress);
    found = patch_spreads(*opened, list, options.decoder_text, &progress, Work{pool, {}});
  }
  write_out(options.out,
            patching_table(table_form(options.out).value_or(TableForm::Columns), *opened, list, found));
  say_left_out(list.lines);
  say_troubles(list.lines, found.untold);
  say_troubles(list.lines, found.same_answer);
  say_troubles(list.lines, found.not_numbers);
}

}  // namespace attnscope
