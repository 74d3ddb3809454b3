#include "app/exports/model_tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "app/exports/generated_table.hpp"
#include "app/exports/split_tables.hpp"
#include "app/state/model_look.hpp"
#include "app/views/atlas/tables.hpp"
#include "app/views/model/facts.hpp"
#include "app/views/model_compare/tables.hpp"
#include "core/base/error.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/text/csv.hpp"

namespace attnscope {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<TableWords, 11> table_words{
    {{"Head scores", "head scores",
      "A line a head: previous, first, induction and duplicate token with what uniform attention gives, "
      "entropy, effect of zeroing it."},
     {"Lens", "logit lens",
      "A line for each token and place in the residual stream: the five likeliest tokens there and their "
      "probabilities."},
     {"Prediction", "prediction",
      "A line for each token of the vocabulary, or class: probability, logit and rank before and after what "
      "is changed inside."},
     {"Effects", "head effects",
      "A line a head: what zeroing it alone does to the likeliest token's logit, to the prediction (KL) and "
      "to the token's probability."},
     {"Pruning curve", "pruning curve",
      "A line for each number of heads zeroed: the head that goes, what all so far do to the prediction, and "
      "the same in a random order."},
     {"Patched heads", "patched heads",
      "A line a head: the estimate and the exact effect of putting it from the clean text into the corrupted "
      "one, and the share of the answer that comes back."},
     {"Patched positions", "patched positions",
      "A line for each head and token: the same where the head is patched at this token alone."},
     {"Score parts", "score parts",
      "Rows are parts of the query, columns parts of the key; the cells add up to the score of the chosen "
      "cell."},
     {"Logit parts", "logit parts",
      "A line for each part of the residual stream: what it adds to the logit."},
     {"Compared heads", "compared heads",
      "A line a head: total variation distance to the held one's beside that of uniform attention, and the "
      "weight that changes most."},
     {"Generated tokens", "generated tokens",
      "A line a step: the appended token with its probability and rank, the entropy there, and the five "
      "likeliest tokens with theirs."}}};

std::string_view word_of(HeadGroup group) {
  const std::string_view name = group_name(group);
  return name.empty() ? "other" : name;
}

ChangedModel changed_model(const ModelReading& reading) {
  return {reading.within.model, reading.within.changes};
}

void check(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Cancelled();
}

void add_effect(CsvTable& table, const OpenedModel& opened, const AblationEffect& effect) {
  table.number(effect.top_logit_change).number(effect.divergence).number(effect.top_probability_change);
  if (std::isnan(effect.divergence))
    table.nothing(2);
  else
    table.text(prediction_label(opened, effect.top_token)).whole(effect.top_token);
}

std::string head_table(const ModelReading& reading) {
  const OpenedModel& opened = *reading.within.model;
  const ModelFacts facts = changed_facts(reading);
  CsvTable table({"attention",
                  "layer",
                  "head",
                  "group",
                  "previous_token",
                  "previous_token_uniform",
                  "first_token",
                  "first_token_uniform",
                  "induction",
                  "induction_uniform",
                  "duplicate_token",
                  "duplicate_token_uniform",
                  "normalised_entropy",
                  "normalised_entropy_uniform",
                  "effect_logit",
                  "effect_kl",
                  "effect_probability",
                  "token_without",
                  "token_without_id",
                  "text_scores_of",
                  "random_token_scores_of",
                  "effects_of",
                  "changes_inside"});
  const ChangedModel changed = changed_model(reading);
  const std::string changes = changed.words();
  const AblationEffect none{not_known, not_known, not_known, 0, not_known, not_known};
  std::size_t measured = 0;  // so far, heads of the attention that the effects are of
  for (const ModelHead& head : all_model_heads(opened.model->spec)) {
    table.text(attention_name(head.of)).whole(head.block).whole(head.head);
    table.text(reading.scores ? word_of(group_of(reading, head)) : std::string_view());
    for (const HeadMeasure what :
         {HeadMeasure::Previous, HeadMeasure::First, HeadMeasure::Induction, HeadMeasure::Duplicate}) {
      const MeasuredHead found = measure(reading, facts, what, head);
      table.number(found.value).number(found.chance);
    }
    const double entropy = measure(reading, facts, HeadMeasure::Entropy, head).value;
    table.number(entropy).number(std::isnan(entropy) ? not_known : 1.0);
    const bool is_measured = head.of == output_attention(opened.model->spec);
    const bool has_effect = is_measured && reading.effects && measured < reading.effects->effects.size();
    add_effect(table, opened, has_effect ? reading.effects->effects[measured] : none);
    if (is_measured) ++measured;
    table.text(changed.name()).text(as_it_is).text(as_it_is).text(changes);
    table.end_row();
  }
  return table.str();
}

std::string lens_table(const ModelReading& reading, const std::stop_token& stop) {
  constexpr std::size_t most = 5;
  const OpenedModel& opened = *reading.within.model;
  const LensReading& lens = *reading.lens;
  std::vector<std::string> columns{"row", "token", "layer", "behind"};
  for (std::size_t k = 1; k <= most; ++k)
    for (const char* name : {"token_{}", "token_{}_id", "probability_{}", "logit_{}"})
      columns.push_back(fmt::format(fmt::runtime(name), k));
  columns.insert(columns.end(), {"numbers_of", "changes_inside"});
  const ChangedModel changed = changed_model(reading);
  const std::string changes = changed.words();
  CsvTable table(columns);
  const Sequence& rows = reading.tokens->queries_of(output_attention(opened.model->spec));
  for (std::int64_t row = 0; row < lens.rows; ++row) {
    check(stop);
    for (std::size_t p = 0; p < lens.places.size(); ++p) {
      const LensPlace& place = lens.places[p];
      const auto at = static_cast<std::size_t>(row);
      table.whole(row).text(at < rows.tokens.size() ? rows.tokens[at].text : std::string());
      if (place.block < 0)
        table.nothing().text("embedding");
      else
        table.whole(place.block).text(place.behind_attention ? "attention" : "layer");
      const std::vector<PredictedToken>& top = lens.at(row, p).top;
      for (std::size_t k = 0; k < most; ++k) {
        if (k < top.size())
          table.text(prediction_label(opened, top[k].id))
              .whole(top[k].id)
              .number(top[k].probability())
              .number(top[k].logit);
        else
          table.nothing(4);
      }
      table.text(changed.name()).text(changes);
      table.end_row();
    }
  }
  return table.str();
}

std::string prediction_table(const ModelReading& reading, const std::stop_token& stop) {
  const OpenedModel& opened = *reading.within.model;
  const ModelPrediction& prediction = *reading.prediction;
  const std::vector<float>& after = prediction.after;
  const std::vector<float>& before = prediction.before.empty() ? after : prediction.before;
  const Softmax p_before(before), p_after(after);
  const std::vector<std::int64_t> rank_before = ranks_of(before), rank_after = ranks_of(after);
  std::vector<std::size_t> by_rank(after.size());
  for (std::size_t id = 0; id < after.size(); ++id)
    by_rank[static_cast<std::size_t>(rank_after[id] - 1)] = id;
  CsvTable table({"token", "id", "probability_before", "logit_before", "rank_before", "probability_after",
                  "logit_after", "rank_after", "before_of", "after_of", "changes_inside"});
  const ChangedModel changed = changed_model(reading);
  const std::string changes = changed.words();
  for (const std::size_t id : by_rank) {
    if (rank_after[id] % 1024 == 0) check(stop);
    table.text(prediction_label(opened, static_cast<std::int64_t>(id))).whole(static_cast<std::int64_t>(id));
    table.number(p_before[id]).number(before[id]).whole(rank_before[id]);
    table.number(p_after[id]).number(after[id]).whole(rank_after[id]);
    table.text(as_it_is).text(changed.name()).text(changes);
    table.end_row();
  }
  return table.str();
}

std::string why_no_comparison(const ModelDifference* difference) {
  if (difference == nullptr) return "Nothing is held to compare with: the key \\ holds what is on screen.";
  return difference->error;
}

std::string why_no_prediction(const ModelReading& reading) {
  const bool is_there =
      reading.prediction && reading.prediction->row >= 0 && !reading.prediction->after.empty();
  return is_there ? "" : "The model predicts nothing here.";
}

/// The first token of the text has no prediction.
bool lacks_steps(const GenerationReading& generation) {
  for (std::size_t i = 0; i < generation.tokens.size(); ++i)
    if (generation.tokens[i].rank <= 0 && generation.first + static_cast<std::int64_t>(i) > 0) return true;
  return false;
}

std::string why_no_patching(const ModelReading& reading) {
  if (!reading.patching) return "No two texts are patched: choose the corrupted text on the screen Patching.";
  return reading.patching->problem;
}

}  // namespace

std::vector<ModelTable> tables_of(ModelScreen screen) {
  switch (screen) {
    case ModelScreen::Why: return {ModelTable::ScoreParts, ModelTable::LogitParts, ModelTable::Prediction};
    case ModelScreen::Atlas: return {ModelTable::Effects, ModelTable::Pruning, ModelTable::Prediction};
    case ModelScreen::Patching:
      return {ModelTable::PatchedHeads, ModelTable::PatchedRows, ModelTable::Prediction};
    case ModelScreen::Compare: return {ModelTable::ComparedHeads, ModelTable::Heads, ModelTable::Prediction};
    case ModelScreen::Generation: return {ModelTable::Generated, ModelTable::Lens, ModelTable::Prediction};
    default: break;
  }
  return {ModelTable::Heads, ModelTable::Lens, ModelTable::Prediction};
}

const TableWords& words_of(ModelTable table) { return table_words[static_cast<std::size_t>(table)]; }

std::string why_no_table(ModelTable table, const TableSource& of) {
  const ModelReading& reading = of.reading;
  switch (table) {
    case ModelTable::Heads: break;
    case ModelTable::Lens:
      return reading.lens ? ""
                          : "No logit lens of this text is known: the model gives no logits, or not yet.";
    case ModelTable::Prediction: return why_no_prediction(reading);
    case ModelTable::Effects:
      return reading.effects && !reading.effects->heads.empty()
                 ? ""
                 : "No effect of a head is known: nothing is predicted here, or not yet.";
    case ModelTable::Pruning:
      return reading.pruning ? ""
                             : "The pruning curve was not computed: Compute on the screen Atlas begins it.";
    case ModelTable::PatchedHeads:
    case ModelTable::PatchedRows: return why_no_patching(reading);
    case ModelTable::ComparedHeads: return why_no_comparison(of.difference);
    case ModelTable::ScoreParts:
      return reading.why ? reading.why->score_problem : "No score is split: the screen Why splits one.";
    case ModelTable::LogitParts:
      return reading.why ? reading.why->logit_problem : "No logit is split: the screen Why splits one.";
    case ModelTable::Generated:
      return reading.generation && !reading.generation->tokens.empty()
                 ? ""
                 : "No token was appended: the screen Generate appends them.";
  }
  return {};
}

bool is_partial(ModelTable table, const TableSource& of) {
  const ModelReading& reading = of.reading;
  switch (table) {
    case ModelTable::Heads: return !reading.is_complete;
    case ModelTable::Lens:
      return reading.lens &&
             std::ranges::any_of(reading.lens->cells, [](const LensCell& cell) { return cell.top.empty(); });
    case ModelTable::Effects:
      return reading.effects && reading.effects->known < std::ssize(reading.effects->heads);
    case ModelTable::Pruning: return reading.pruning && !reading.pruning->is_whole();
    case ModelTable::PatchedHeads:
      return reading.patching &&
             std::ranges::any_of(reading.patching->whole, [](double value) { return std::isnan(value); });
    case ModelTable::PatchedRows:
      return reading.patching &&
             std::ranges::any_of(reading.patching->cells, [](double value) { return std::isnan(value); });
    case ModelTable::ComparedHeads: return of.difference != nullptr && !of.difference->is_complete;
    case ModelTable::Generated: return reading.generation && lacks_steps(*reading.generation);
    default: break;
  }
  return false;
}

std::string model_table(ModelTable table, const TableSource& of, const std::stop_token& stop) {
  if (const std::string why = why_no_table(table, of); !why.empty()) throw Error(why);
  const ModelReading& reading = of.reading;
  switch (table) {
    case ModelTable::Heads: return head_table(reading);
    case ModelTable::Lens: return lens_table(reading, stop);
    case ModelTable::Prediction: return prediction_table(reading, stop);
    case ModelTable::Effects: return csv_of(effects_table(reading), stop);
    case ModelTable::Pruning: return csv_of(pruning_table(reading), stop);
    case ModelTable::PatchedHeads: return csv_of(patched_heads_table(reading), stop);
    case ModelTable::PatchedRows: return csv_of(patched_rows_table(reading), stop);
    case ModelTable::ScoreParts: return score_parts_table(reading.why->score, stop);
    case ModelTable::LogitParts: return logit_parts_table(reading.why->logit, changed_model(reading));
    case ModelTable::Generated: return csv_of(generated_table(reading, false), stop);
    case ModelTable::ComparedHeads:
      return csv_of(compared_heads_table(*of.difference, known_heads(*of.difference)), stop);
  }
  return {};
}

}  // namespace attnscope
