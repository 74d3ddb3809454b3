#include "app/cli/over_texts/similar_command.hpp"

#include <cmath>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/over_texts/progress_line.hpp"
#include "app/cli/over_texts/spread_table.hpp"
#include "app/cli/over_texts/texts_output.hpp"
#include "app/cli/parts/model_note.hpp"
#include "app/session/session.hpp"
#include "core/files/model/model_path.hpp"
#include "core/readouts/over_texts/similarity.hpp"
#include "core/text/csv.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

/// How the tokens of a text are pooled into one vector, and the source of that setting.
struct HowPooled {
  SimilarityRequest request;
  bool normalised = false;
  std::string_view said_by;  // "modules.json", "--pooling"

  std::string names() const {
    std::string all;
    for (const SentencePooling pooling : request.pooling)
      all += (all.empty() ? "" : " + ") + std::string(name_of(pooling));
    return all;
  }
};

void check_pooling(const OpenedModel& opened, const HowPooled& how, int width) {
  const ModelSpec& spec = opened.model->spec;
  if (spec.image || !how.request.pooling.empty()) {
    if (!spec.image && width > 0 && width != spec.d_model)
      throw Error(fmt::format("Its modules.json pools rows of {} numbers; the model in {} has rows of {}.",
                              width, in_quotes(opened.path.native()), spec.d_model));
    return;
  }
  const std::string what = spec.encoder ? "" : ", a decoder, whose rows see the tokens before them alone";
  throw Error(
      fmt::format("Nothing in {} ({}{}) says how one vector is made of a text, as modules.json of "
                  "sentence-transformers does: choose with --pooling one of {}.",
                  in_quotes(opened.path.native()), spec.family, what, sentence_pooling_names()));
}

std::string similar_csv(const TextList& list, const Similarity& found) {
  std::vector<std::string> columns{"line", "text"};
  for (const ListedText& text : list.texts) columns.push_back(text.text);
  CsvTable table(columns);
  for (std::size_t i = 0; i < list.texts.size(); ++i) {
    table.whole(list.texts[i].line).text(list.texts[i].text);
    for (const double cosine : found.cosine.matrix().row(static_cast<Eigen::Index>(i))) table.number(cosine);
    table.end_row();
  }
  return table.str();
}

/// Unknown numbers are null.
std::string similar_json(const OpenedModel& opened, const TextList& list, const HowPooled& how,
                         const Similarity& found) {
  nlohmann::ordered_json report{{"model", printable(opened.name)}, {"family", opened.model->spec.family}};
  report["pooling"] = nlohmann::ordered_json::array();
  for (const SentencePooling pooling : how.request.pooling)
    report["pooling"].push_back(std::string(name_of(pooling)));
  report["pooling_from"] = std::string(how.said_by);
  report["normalised"] = how.normalised;
  report["texts"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < list.texts.size(); ++i)
    report["texts"].push_back(
        {{"line", list.texts[i].line}, {"text", list.texts[i].text}, {"tokens", found.tokens[i]}});
  report["left_out_lines"] = list.left_out;
  report["cosine"] = nlohmann::ordered_json::array();
  for (Eigen::Index i = 0; i < found.cosine.matrix().rows(); ++i) {
    nlohmann::ordered_json row = nlohmann::ordered_json::array();
    for (const double cosine : found.cosine.matrix().row(i)) row.push_back(cosine);
    report["cosine"].push_back(std::move(row));
  }
  report["pairs"] = spread_json(found.pairs);
  return report.dump(1) + "\n";
}

std::string similar_columns(const OpenedModel& opened, const TextList& list, const HowPooled& how,
                            const Similarity& found) {
  std::string table = fmt::format("{}: cosine of {} texts, pooling {} as {} says\n", printable(opened.name),
                                  list.texts.size(), how.names(), how.said_by);
  const auto add = [&table](const auto&... fields) {
    (fmt::format_to(std::back_inserter(table), "{:>8}", fields), ...);
  };
  add("");
  for (const ListedText& text : list.texts) add(text.line);
  table += "   line\n";
  for (std::size_t i = 0; i < list.texts.size(); ++i) {
    add(list.texts[i].line);
    for (const double cosine : found.cosine.matrix().row(static_cast<Eigen::Index>(i)))
      add(std::isnan(cosine) ? std::string("NaN") : fmt::format("{:.4f}", cosine));
    table += "   " + in_quotes(list.texts[i].text, 60) + "\n";
  }
  const Spread& pairs = found.pairs;
  return table + fmt::format("{} {}: mean {}, sd {}, min {}, max {}\n", pairs.count() == 1 ? "the" : "all",
                             pairs.count() == 1 ? "pair" : fmt::format("{} pairs", pairs.count()),
                             in_table(pairs.mean()), in_table(pairs.deviation()), in_table(pairs.least()),
                             in_table(pairs.largest()));
}

std::string similar_table(TableForm form, const OpenedModel& opened, const TextList& list,
                          const HowPooled& how, const Similarity& found) {
  switch (form) {
    case TableForm::Csv: return similar_csv(list, found);
    case TableForm::Json: return similar_json(opened, list, how, found);
    case TableForm::Columns: break;
  }
  return similar_columns(opened, list, how, found);
}

}  // namespace

void similar_command(const SimilarOptions& options) {
  const TextList list = read_text_list(options.texts);
  std::filesystem::path model = model_path(options.model);
  HowPooled how;
  int width = 0;
  if (options.pooling) {
    how.request.pooling = {*options.pooling};
    how.said_by = "--pooling";
  } else if (const std::optional<SentenceModules> modules = read_sentence_modules(model)) {
    model = modules->model;
    width = modules->width;
    how = {{modules->pooling, modules->most_tokens}, modules->normalised, "modules.json"};
  }
  refuse_folder_without_model(model);
  const OpenedModelPtr opened = open_whole_model(model);
  say_note(*opened->model);
  check_pooling(*opened, how, width);
  ThreadPool pool;
  TextsProgress progress;
  Similarity found;
  {
    const ProgressLine line("similar", progress);
    found = similarity(*opened, list, how.request, &progress, Work{pool, {}});
  }
  write_out(options.out,
            similar_table(table_form(options.out).value_or(TableForm::Columns), *opened, list, how, found));
  if (options.out) fmt::print(stderr, "attnscope: Pooling is {}, as {} says.\n", how.names(), how.said_by);
  say_left_out(list);
  say_troubles(list, found.untold);
  say_troubles(list, found.not_numbers);
}

}  // namespace attnscope
