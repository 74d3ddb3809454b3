// app/pages/model: the predictions of both models in the shown row.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/table_view.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/pages/model/compare/compared_models.hpp"
#include "app/views/model_compare/tables.hpp"
#include "core/readouts/text/prediction.hpp"

namespace attnscope {
namespace {

constexpr std::size_t most_compared = 5;

struct ComparedCandidate {
  std::string name;              // own words
  double now = NAN, held = NAN;  // probabilities; NaN: unknown, as with another vocabulary
};

/// The likeliest tokens of both; with two vocabularies equal words are one candidate.
std::vector<ComparedCandidate> compared_candidates(const ComparedModels& compared,
                                                   const PredictionPair& pair) {
  const bool same = compared.difference.no_divergence.empty();
  std::vector<ComparedCandidate> all;
  const auto find = [&](const std::string& name) -> ComparedCandidate& {
    const auto known = std::ranges::find(all, name, &ComparedCandidate::name);
    if (known != all.end()) return *known;
    return all.emplace_back(ComparedCandidate{name, NAN, NAN});
  };
  const Softmax now = pair.softmax_a(), then = pair.softmax_b();
  for (const bool is_a : {true, false}) {
    const std::vector<PredictedToken>& top = is_a ? pair.top_a : pair.top_b;
    const OpenedModel& model = *(is_a ? compared.a() : compared.b()).model;
    for (std::size_t i = 0; i < std::min(most_compared, top.size()); ++i) {
      ComparedCandidate& candidate = find(predicted_name(model, top[i].id));
      (is_a ? candidate.now : candidate.held) = top[i].probability();
      if (!same) continue;
      candidate.now = now[static_cast<std::size_t>(top[i].id)];
      candidate.held = then[static_cast<std::size_t>(top[i].id)];
    }
  }
  const auto largest = [](const ComparedCandidate& c) { return std::fmax(c.now, c.held); };
  std::ranges::stable_sort(
      all, [&](const ComparedCandidate& a, const ComparedCandidate& b) { return largest(a) > largest(b); });
  if (all.size() > most_compared) all.resize(most_compared);
  return all;
}

std::string percent_or_dash(double share) {
  return own_number(std::isnan(share) ? "–" : fixed(100 * share, 1));
}

/// One row for each candidate. The table refers to the candidates and must not outlive them.
Table candidates_table(const std::vector<ComparedCandidate>& all) {
  Table table{.rows = all.size(), .columns = {}};
  table.columns.push_back(
      {.title = "token", .cell = [&all](std::size_t row) -> TableCell { return all[row].name; }});
  table.columns.push_back({.title = "now %",
                           .cell = [&all](std::size_t row) -> TableCell { return all[row].now; },
                           .written = percent_or_dash});
  table.columns.push_back({.title = "held %",
                           .cell = [&all](std::size_t row) -> TableCell { return all[row].held; },
                           .written = percent_or_dash});
  return table;
}

/// Both probabilities, one above the other.
void draw_candidate_bars(const Ui& ui, const ComparedCandidate& candidate, const Box& bars) {
  const float thick = std::min(ui.px(7), std::floor(bars.h / 2) - ui.px(2)),
              middle = std::round(bars.centre_y());
  ui.fill({bars.x, middle - thick, bars.w, 2 * thick}, ui.theme.bar_ground, ui.px(2));
  const auto bar = [&](double share, float top, Rgba colour) {
    if (std::isnan(share)) return;
    const float wide =
        std::max(ui.px(1), std::round(bars.w * static_cast<float>(std::clamp(share, 0.0, 1.0))));
    ui.fill({bars.x, top, wide, thick}, colour, ui.px(2));
  };
  bar(candidate.now, middle - thick, ui.theme.text1);
  bar(candidate.held, middle, ui.theme.b);
}

/// The names of the sides are above the list, beside its title; a right click on a row copies. `names`:
/// device pixels for the candidates' names.
void draw_candidates(Scene& scene, const Box& box, const std::vector<ComparedCandidate>& all, float names) {
  const Ui& ui = scene.ui;
  const Table table = candidates_table(all);
  const float number = ui.px(44);
  TableLook look{.label = "compared", .row_height = 20};
  look.columns.push_back(
      {.width = names, .align = Align::Left, .gap = 8, .style = [&ui](std::size_t) -> TextStyle {
         return {type::label, ui.theme.text1, Ink::Medium};
       }});
  look.columns.push_back({.paint = [&](std::size_t row, const Box& cell) {
    draw_candidate_bars(ui, all[row], {cell.x, cell.y, cell.w - number - ui.px(8), cell.h});
    ui.text(cell.right(), cell.centre_y(), percent_or_dash(all[row].now),
            {type::label, ui.theme.text1, Ink::Medium, Align::Right});
  }});
  look.columns.push_back({.width = number, .gap = -1, .style = [&ui](std::size_t) -> TextStyle {
                            return {type::label, ui.theme.b, Ink::Medium};
                          }});
  look.most_row_height = 32;
  look.sorts = look.focusable = false;
  look.head_height = 0;
  look.ground = [&](std::size_t row, const Box& at, const Ui::Touch& touch) {
    const std::string numbers =
        "now " + percent_or_dash(all[row].now) + " %   held " + percent_or_dash(all[row].held) + " %";
    tooltip(ui, touch.hovered, at,
            {all[row].name, numbers, "The probability in what is shown and in what is held.", {}});
  };
  TableOrder order;
  const TableTouch touch = draw_table(ui, box, table, look, order);
  if (!touch.copied.empty()) scene.requests.copy = touch.copied;
}

void draw_compared_divergence(Scene& scene, const ComparedModels& compared, const PredictionPair& pair,
                              const Box& line) {
  const Ui& ui = scene.ui;
  const float y = line.centre_y();
  ui.horizontal(line.x, line.y, line.w, ui.theme.hairline);
  const Ui::Touch touch = ui.touch("KL", line, false);
  if (!compared.difference.no_divergence.empty()) {
    ui.text(line.x, y, compared.difference.no_divergence,
            {type::tick, ui.theme.text2, Ink::Regular, Align::Left, line.w});
    return;
  }
  const std::string value = "KL " + distance_words(pair.divergence);
  const float size = scene.compact ? 17.f : 24.f;
  const float x = line.x + ui.text(line.x, y, value, {size, ui.theme.text1, Ink::Semibold}) + ui.px(20);
  ui.text(x, y, "nats, held from now",
          {type::tick, ui.theme.text2, Ink::Regular, Align::Left, line.right() - x});
  tooltip(ui, touch.hovered, line,
          {"Kullback–Leibler divergence",
           "Σ p ln(p / q)",
           "How far the prediction of what is held, q, is from the one that is shown, p. The same prediction "
           "gives 0.",
           {}});
}

}  // namespace

void draw_compared_predictions(Scene& scene, const Box& region) {
  const Ui& ui = scene.ui;
  ui.fill(region, ui.theme.panel);
  ui.vertical(region.x, region.y, region.h, ui.theme.hairline);
  ui.horizontal(region.x, region.y, region.w, ui.theme.hairline);
  const std::optional<ComparedModels> compared = compared_models(scene);
  if (!compared) return;
  const float pad = region_pad(scene), y = region.y + ui.px(22);
  const Box line{region.x + pad, region.y, region.w - 2 * pad, region.h};
  const PredictionPair* const pair = compared->difference.prediction.get();
  float right = line.right();
  if (pair != nullptr) {
    right -= ui.text(right, y, "held %", {type::tick, ui.theme.b, Ink::Medium, Align::Right}) + ui.px(10);
    right -= ui.text(right, y, "now", {type::tick, ui.theme.text1, Ink::Medium, Align::Right}) + ui.px(12);
  }
  const AttentionOf output = output_attention(compared->spec_a());
  std::string note;
  if (pair != nullptr && model_state_of(scene.view).predicted_row)
    note = (compared->spec_a().decoder ? "after " : "of ") + row_word(compared->a(), output, pair->row_a);
  draw_region_title(ui, line, prediction_title(compared->spec_a()), note, right);
  const float top = line.y + title_height(ui) - ui.px(scene.compact ? 4 : 0);
  if (pair == nullptr) {
    const std::string_view why =
        !compared->difference.no_divergence.empty() ? std::string_view(compared->difference.no_divergence)
        : compared->difference.known == 0           ? "Computing."
                                          : "This row has no counterpart with a prediction in what is held.";
    ui.paragraph(line.x, top, line.w, why, {type::label, ui.theme.text2});
    return;
  }
  const float below = ui.px(scene.compact ? 32 : 48);
  std::vector<ComparedCandidate> all = compared_candidates(*compared, *pair);
  const float room = line.bottom() - below - top;
  const auto rows = std::min(all.size(), static_cast<std::size_t>(std::max(0.f, room / ui.px(20))));
  float widest = ui.px(32);
  for (std::size_t i = 0; i < rows; ++i)
    widest = std::max(widest, ui.text_width(all[i].name, type::label, Ink::Medium));
  widest = std::min(widest, ui.px(scene.compact ? 64 : 88)) + ui.px(12);
  all.resize(rows);
  draw_candidates(scene, {line.x, top, line.w, std::max(0.f, room)}, all, widest);
  draw_compared_divergence(scene, *compared, *pair, {line.x, line.bottom() - below, line.w, below});
}

}  // namespace attnscope
