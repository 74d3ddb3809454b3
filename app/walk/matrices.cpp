#include "app/walk/matrices.hpp"

#include <algorithm>
#include <cmath>

#include "app/walk/buses.hpp"

namespace attnscope::walk {
namespace {

/// The widest label of the first 400 keys: labels are horizontal while each fits over its column.
float widest_key_label(const View& v) {
  float widest = 0;
  for (std::int64_t j = 0; j < std::min<std::int64_t>(v.result().dimensions.keys, 400); ++j)
    widest = std::max(widest, v.ui().text_width(key_label(v.result(), v.b, j), type::label, Ink::Semibold));
  return widest;
}

std::vector<Want> wants_of(const View& v, const std::vector<Panel>& panels) {
  const Ui& ui = v.ui();
  std::vector<Want> wants;
  for (const Panel& panel : panels) {
    float before = panel.sign.empty() ? 0 : ui.px(panel.lower ? 30 : 28);
    if (panel.sign.size() > 3) before = ui.text_width(panel.sign, type::body) + ui.px(14);  // "X ×"
    if (panel.begins) before += ui.px(26);  // the bus of the matrix before goes down here
    if (panel.labelled) before += label_width(v, panel) + ui.px(10) + (panel.sign.empty() ? 0 : ui.px(4));
    wants.push_back({panel.unit, panel.lower, panel.is_parameter(), panel.begins, panel.row_count(),
                     panel.columns, before, title_width(v, panel)});
  }
  return wants;
}

/// The panels of both lines; a low window has room for one line, that of the current stage.
std::vector<Panel> shown_panels(const View& v, bool sources, bool both, const SomeStages& shows) {
  std::vector<Panel> all = panels_of(v, sources), shown;
  const auto has = [&](const Panel& panel) { return !shows || shows(panel.stage); };
  const bool has_lower =
      std::ranges::any_of(all, [&](const Panel& panel) { return panel.lower && has(panel); });
  const std::optional<Stage> current = v.current();
  const bool lower = has_lower && (!current || !is_before_scores(*current) ||
                                   v.state.part == WalkPart::Output || v.part() == WalkPart::Block);
  for (Panel& panel : all)
    if (has(panel) && (both || panel.lower == lower)) shown.push_back(std::move(panel));
  return shown;
}

/// Heights of headings and feet; 0 for a line that is not shown.
Heads heads_of(const Ui& ui, const std::vector<Panel>& panels, float key_labels) {
  Heads heads{};
  for (const Panel& panel : panels) {
    (panel.lower ? heads.lower : heads.upper) = ui.px(heading) + (panel.lower ? key_labels : 0);
    (panel.lower ? heads.lower_foot : heads.upper_foot) = ui.px(panel.lower ? 22 : 6);
  }
  if (heads.lower > 0 && heads.upper > 0) heads.gutter = ui.px(34);
  return heads;
}

std::int64_t first_row_of(const View& v, const Panel& panel, const Place& place) {
  const WalkState& state = v.state;
  const std::int64_t most = std::max<std::int64_t>(0, panel.row_count() - place.rows);
  if (panel.is_parameter()) return 0;
  if (panel.rows == Rows::Keys) return std::min(state.first_key, most);
  return std::min(state.first_query + (panel.rows == Rows::Tokens ? v.result().dimensions.past : 0), most);
}

/// Whether all finite numbers of the head's part are integers.
bool holds_integers(const Panel& panel) {
  for (std::int64_t i = 0; i < panel.row_count(); ++i)
    for (std::int64_t j = panel.first_column; j < panel.first_column + panel.columns; ++j)
      if (std::isfinite(panel.values(i, j)) && panel.values(i, j) != std::round(panel.values(i, j)))
        return false;
  return true;
}

}  // namespace

// Two rounds: labels that do not fit are turned upright, which takes height and makes cells smaller. Without
// room for X and the parameters the walk begins at Q, K and V.
Standing stand(const View& v, const Box& area, const SomeStages& shows) {
  const Ui& ui = v.ui();
  const float label = widest_key_label(v);
  Standing best;
  for (const bool sources : {true, false}) {
    best = {shown_panels(v, sources, area.h >= ui.px(280), shows), {}, false};
    const std::vector<Want> wants = wants_of(v, best.panels);
    for (const bool upright : {false, true}) {
      const float labels = upright ? ui.px(10) + std::clamp(label, ui.px(34), ui.px(64)) : ui.px(36);
      const Heads heads = heads_of(ui, best.panels, labels);
      best.arrangement = arrange(ui, area, wants, heads, v.state.numbers);
      best.upright = upright;
      bool fits = true;
      for (std::size_t i = 0; i < wants.size(); ++i) {
        const Place& place = best.arrangement.places[i];
        if (wants[i].unit == Unit::Keys && place.columns > 0)
          fits = fits && label + ui.px(4) <= place.cells.w / static_cast<float>(place.columns);
      }
      if (fits) break;
    }
    // At the output its operands get their numbers first, even if X and the parameters have to be left out;
    // so do the matrices of some stages alone.
    const bool numbers_first = v.part() == WalkPart::Output || shows;
    if (best.arrangement.fits && (best.arrangement.all_printed || !numbers_first)) break;
  }
  return best;
}

void follow(const View& v, const Standing& standing) {
  WalkState& state = v.state;
  const Cell cell = v.scene.selection.cell;
  std::int64_t rows = v.result().dimensions.queries, columns = v.result().dimensions.keys;
  for (std::size_t i = 0; i < standing.panels.size(); ++i) {
    const Place& place = standing.arrangement.places[i];
    const Rows of = standing.panels[i].rows;
    if (of == Rows::Queries || of == Rows::Tokens) rows = std::min(rows, place.rows);
    if (of == Rows::Keys) columns = std::min(columns, place.rows);
    if (standing.panels[i].is_plane()) columns = std::min(columns, place.columns);
  }
  const auto keep = [](std::int64_t& first, std::int64_t at, std::int64_t seen, std::int64_t count,
                       bool moved) {
    if (moved && (at < first || at >= first + seen)) first = at - seen / 2;
    first = std::clamp<std::int64_t>(first, 0, std::max<std::int64_t>(0, count - seen));
  };
  const bool moved = state.followed_query != cell.query || state.followed_key != cell.key;
  keep(state.first_query, cell.query, rows, v.result().dimensions.queries, moved);
  keep(state.first_key, cell.key, columns, v.result().dimensions.keys, moved);
  state.followed_query = cell.query;
  state.followed_key = cell.key;
}

std::vector<Matrix> draw_matrices(const View& v, Contents& contents, const Standing& standing,
                                  const MatricesStyle& style) {
  std::vector<Matrix> matrices;
  for (std::size_t i = 0; i < standing.panels.size(); ++i) {
    const Panel& panel = standing.panels[i];
    const Place& place = standing.arrangement.places[i];
    const std::int64_t column =
        panel.is_plane() ? std::min(v.state.first_key, panel.columns - place.columns) : 0;
    const bool covered = style.covers && !panel.is_parameter() && style.covers(panel.stage);
    matrices.push_back({v, contents, panel, place, first_row_of(v, panel, place), column, standing.upright,
                        covered ? &style.lid : nullptr, style.short_integers && holds_integers(panel)});
  }
  draw_signs(matrices);
  for (const Matrix& m : matrices) draw(m);
  draw_buses(matrices, standing.arrangement.gutter);
  return matrices;
}

}  // namespace attnscope::walk
