#include "app/views/atlas/tables.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "app/results/changed_model.hpp"
#include "app/views/atlas/effect_words.hpp"
#include "app/views/atlas/head_numbers.hpp"
#include "app/views/model/facts.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

TableCell whole(std::int64_t number) { return number; }

/// The last columns of every table here.
void add_origin(Table& table, const ModelReading& reading) {
  table.columns.push_back({.name = "numbers_of", .cell = [](std::size_t) { return std::string(as_it_is); }});
  table.columns.push_back(changes_column("changes_inside", reading.within.model, reading.within.changes));
}

/// The columns with layer and head of each row, in files only.
template <class At>
void add_place(Table& table, const std::string& before, At at) {
  table.columns.push_back({.name = before + "layer", .cell = [at](std::size_t row) -> TableCell {
                             const std::optional<HeadPlace> place = at(row);
                             return place ? whole(place->block) : TableCell();
                           }});
  table.columns.push_back({.name = before + "head", .cell = [at](std::size_t row) -> TableCell {
                             const std::optional<HeadPlace> place = at(row);
                             return place ? whole(place->head) : TableCell();
                           }});
}

/// The likeliest token with the heads zeroed; null: the effect is not known.
template <class At>
void add_token(Table& table, const ModelReading& reading, const std::string& name, At at) {
  const OpenedModel* const opened = reading.within.model.get();
  table.columns.push_back({.name = name, .cell = [at, opened](std::size_t row) -> TableCell {
                             const AblationEffect* const effect = at(row);
                             if (effect == nullptr || std::isnan(effect->divergence)) return {};
                             return prediction_label(*opened, effect->top_token);
                           }});
  table.columns.push_back({.name = name + "_id", .cell = [at](std::size_t row) -> TableCell {
                             const AblationEffect* const effect = at(row);
                             if (effect == nullptr || std::isnan(effect->divergence)) return {};
                             return whole(effect->top_token);
                           }});
}

/// A number of an effect.
template <class At>
std::function<TableCell(std::size_t)> number_at(At at, double AblationEffect::*member) {
  return [at, member](std::size_t row) -> TableCell {
    const AblationEffect* const effect = at(row);
    return effect != nullptr ? effect->*member : not_known;
  };
}

double in_logits_share(const PatchingReading& patching, double effect) {
  return patching.clean_answer == patching.corrupted_answer ? not_known : patching.recovered(effect);
}

}  // namespace

TableColumn head_column(const ModelReading& reading, std::vector<HeadPlace> heads) {
  const ModelSpec* const spec = &reading.within.model->model->spec;
  return {.title = "head",
          .cell = [spec, heads = std::move(heads)](std::size_t row) -> TableCell {
            return head_name(*spec, model_head(*spec, heads[row]));
          },
          .tip = head_column_tip};
}

Table effects_table(const ModelReading& reading) {
  const EffectsReading& effects = *reading.effects;
  const auto at = [&effects](std::size_t row) -> const AblationEffect* { return &effects.effects[row]; };
  Table table{.rows = effects.heads.size(), .columns = {}};
  table.columns.push_back(head_column(reading, effects.heads));
  add_place(table, "", [&effects](std::size_t row) { return std::optional(effects.heads[row]); });
  constexpr std::array<std::string_view, 3> names{"effect_logit", "effect_kl", "effect_probability"};
  constexpr std::array<double AblationEffect::*, 3> members{&AblationEffect::top_logit_change,
                                                            &AblationEffect::divergence,
                                                            &AblationEffect::top_probability_change};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const EffectWords& words = effect_words(static_cast<EffectMeasure>(i));
    table.columns.push_back({.name = std::string(names[i]),
                             .title = words.name,
                             .cell = number_at(at, members[i]),
                             .written = words.written,
                             .tip = words.tip});
  }
  add_token(table, reading, "token_without", at);
  add_origin(table, reading);
  return table;
}

Table pruning_table(const ModelReading& reading) {
  const PruningReading& curve = *reading.pruning;
  Table table{.rows = curve.curve.size(), .columns = {}};
  table.columns.push_back({.name = "heads_zeroed", .cell = [](std::size_t row) -> TableCell {
                             return whole(static_cast<std::int64_t>(row) + 1);
                           }});
  for (const bool is_random : {false, true}) {
    const std::vector<AtlasEntry>& entries = is_random ? curve.random : curve.curve;
    const auto at = [&entries](std::size_t row) -> const AblationEffect* {
      return row < entries.size() ? &entries[row].effect : nullptr;
    };
    const std::string before = is_random ? "random_" : "";
    add_place(table, before, [&entries](std::size_t row) {
      return row < entries.size() ? std::optional(entries[row].head) : std::nullopt;
    });
    table.columns.push_back({.name = before + "kl", .cell = number_at(at, &AblationEffect::divergence)});
    table.columns.push_back(
        {.name = before + "logit_change", .cell = number_at(at, &AblationEffect::top_logit_change)});
    table.columns.push_back({.name = before + "probability_change",
                             .cell = number_at(at, &AblationEffect::top_probability_change)});
    add_token(table, reading, before + "token", at);
  }
  add_origin(table, reading);
  return table;
}

Table patched_heads_table(const ModelReading& reading) {
  const PatchingReading& patching = *reading.patching;
  Table table{.rows = patching.heads.size(), .columns = {}};
  const auto estimate = [&patching](std::size_t row) {
    return row < patching.estimates.size() ? patching.estimates[row] : not_known;
  };
  table.columns.push_back(head_column(reading, patching.heads));
  add_place(table, "", [&patching](std::size_t row) { return std::optional(patching.heads[row]); });
  const TableColumn share_of_exact{
      .name = "exact_share",
      .title = "exact",
      .cell = [&patching](std::size_t row) -> TableCell {
        return in_logits_share(patching, patching.whole[row]);
      },
      .written = with_sign,
      .tip = {"Brought back",
              "(patched − corrupted) / (clean − corrupted)",
              "The share of the clean answer when the head gives what it gave in the clean text; 0 is the "
              "corrupted text, 1 the clean one.",
              {}}};
  const TableColumn share_of_estimate{
      .name = "estimate_share",
      .title = "estimate",
      .cell = [&patching, estimate](std::size_t row) -> TableCell {
        return in_logits_share(patching, estimate(row));
      },
      .written = with_sign,
      .tip = {"Estimate",
              "direct effect",
              "What the head adds to the answer by itself through the residual stream. What later heads and "
              "MLPs make of it is left out.",
              {}}};
  const auto in_file = [](TableColumn column) {
    column.title = {};
    return column;
  };
  const auto on_screen = [](TableColumn column) {
    column.name.clear();
    return column;
  };
  // In files the estimate comes first, on the screen the exact number.
  table.columns.push_back(on_screen(share_of_exact));
  table.columns.push_back(
      {.name = "estimate", .cell = [estimate](std::size_t row) -> TableCell { return estimate(row); }});
  table.columns.push_back(share_of_estimate);
  table.columns.push_back(
      {.name = "exact", .cell = [&patching](std::size_t row) -> TableCell { return patching.whole[row]; }});
  table.columns.push_back(in_file(share_of_exact));
  add_origin(table, reading);
  return table;
}

Table patched_rows_table(const ModelReading& reading) {
  const PatchingReading& patching = *reading.patching;
  const AttentionOf of = output_attention(reading.within.model->model->spec);
  const auto rows = static_cast<std::size_t>(patching.rows);
  Table table{.rows = patching.heads.size() * rows, .columns = {}};
  add_place(table, "", [&patching, rows](std::size_t i) { return std::optional(patching.heads[i / rows]); });
  table.columns.push_back({.name = "row", .cell = [rows](std::size_t i) -> TableCell {
                             return whole(static_cast<std::int64_t>(i % rows));
                           }});
  const auto token_of = [rows](const Sequence& tokens) {
    return [&tokens, rows](std::size_t i) -> TableCell {
      const std::size_t row = i % rows;
      return row < tokens.tokens.size() ? tokens.tokens[row].text : std::string();
    };
  };
  table.columns.push_back({.name = "clean_token", .cell = token_of(reading.tokens->queries_of(of))});
  table.columns.push_back({.name = "corrupted_token", .cell = token_of(patching.corrupted->queries_of(of))});
  // Rows before the first token that differs are equal in both texts.
  const auto effect = [&patching, rows](std::size_t i) {
    const auto row = static_cast<std::int64_t>(i % rows);
    return row < patching.first_row ? 0 : patching.at(i / rows, row);
  };
  table.columns.push_back(
      {.name = "exact", .cell = [effect](std::size_t i) -> TableCell { return effect(i); }});
  table.columns.push_back({.name = "exact_share", .cell = [&patching, effect](std::size_t i) -> TableCell {
                             return in_logits_share(patching, effect(i));
                           }});
  add_origin(table, reading);
  return table;
}

}  // namespace attnscope
