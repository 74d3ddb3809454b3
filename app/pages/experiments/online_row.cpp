// app/pages/experiments: the online softmax, drawn step by step: a query's scores as bars, the tiles that
// were taken, the running maximum over them, and what the last tile did to maximum, sum and output.
#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/plot.hpp"
#include "app/kit/widgets/widgets.hpp"
#include "app/pages/experiments/parts.hpp"

namespace attnscope {
namespace {

using experiments::OnlineRow;
using experiments::OnlineTile;

void draw_online_bars(const Ui& ui, const Axes& axes, const OnlineRow& row, std::size_t taken) {
  const float zero = axes.y(0), wide = axes.x(1) - axes.x(0);
  for (std::size_t t = 0; t < row.tiles.size(); ++t) {
    const Rgba colour = t == taken ? ui.theme.query : t < taken ? ui.theme.b : fade(ui.theme.text3, 0.5f);
    for (std::size_t j = row.tiles[t].first; j < row.tiles[t].last; ++j) {
      const float y = axes.y(row.scores[j]);
      ui.fill({axes.x(static_cast<double>(j)), std::min(y, zero),
               std::max(1.f, wide - (wide > 4 ? 1.f : 0.f)), std::max(1.f, std::abs(y - zero))},
              colour);
    }
    const float edge = std::round(axes.x(static_cast<double>(row.tiles[t].first)));
    if (t > 0) ui.vertical(edge, axes.area.y, axes.area.h, ui.theme.hairline);
  }
}

/// The running maximum: one step for each tile taken.
void draw_online_maximum(const Ui& ui, const Axes& axes, const OnlineRow& row, std::size_t taken) {
  for (std::size_t t = 0; t <= taken; ++t) {
    const OnlineTile& tile = row.tiles[t];
    const float y = axes.y(tile.maximum), left = axes.x(static_cast<double>(tile.first)),
                right = axes.x(static_cast<double>(tile.last));
    ui.fill({left, y - ui.px(1), right - left, ui.px(2)}, ui.theme.key);
  }
  const OnlineTile& last = row.tiles[taken];
  const float x = axes.x(static_cast<double>(last.last)), y = axes.y(last.maximum);
  const bool fits = x + ui.px(54) < axes.area.right();
  ui.text(fits ? x + ui.px(6) : x - ui.px(6), fits ? y : y - ui.px(10), "m " + fixed(last.maximum, 2),
          {type::tick, ui.theme.key, Ink::Semibold, fits ? Align::Left : Align::Right});
}

constexpr double seconds_a_tile = 0.9;

/// While playing, takes the next tile when it is due; stops at the last.
void play_tiles(ExperimentState& state, std::size_t last) {
  if (state.tile_due <= 0 || ImGui::GetTime() < state.tile_due) return;
  state.tile = std::min(state.tile, last);
  if (state.tile < last) ++state.tile;
  state.tile_due = state.tile < last ? ImGui::GetTime() + seconds_a_tile : 0;
}

/// Begins again with the first tile if all are taken.
void play_or_pause_tiles(ExperimentState& state, std::size_t last) {
  const bool plays = state.tile_due > 0;
  if (!plays && state.tile >= last) state.tile = 0;
  state.tile_due = plays || last == 0 ? 0 : ImGui::GetTime() + seconds_a_tile;
}

std::string online_words(const OnlineRow& row, std::size_t taken) {
  const OnlineTile& tile = row.tiles[taken];
  std::string words = "tile " + std::to_string(taken + 1) + " of " + std::to_string(row.tiles.size());
  if (taken == 0) return words + "   ·   m = " + fixed(tile.maximum, 2) + "   ·   ℓ = " + fixed(tile.sum, 2);
  const OnlineTile& before = row.tiles[taken - 1];
  words += tile.maximum > before.maximum
               ? "   ·   m " + fixed(before.maximum, 2) + " → " + fixed(tile.maximum, 2) +
                     ", ℓ and o so far times " + fixed(tile.factor, 2)
               : "   ·   m stays " + fixed(tile.maximum, 2);
  return words + "   ·   ℓ " + fixed(before.sum, 2) + " → " + fixed(tile.sum, 2);
}

std::string online_error(const OnlineTile& tile) {
  return "o/ℓ is " + own_number(written_number(NumberForm::Small, tile.error)) +
         " of its length off the whole row's";
}

}  // namespace

void draw_online_row(const ExperimentPage& page, const Box& area) {
  const Ui& ui = page.ui();
  const OnlineRow none;
  const OnlineRow& row = page.shown.look ? page.shown.look->online : none;
  if (row.tiles.empty()) return;
  ExperimentState& state = experiment_of(page.scene.view);
  const std::size_t last = row.tiles.size() - 1;
  play_tiles(state, last);
  const std::size_t taken = std::min(state.tile, last);
  const float words = ui.px(page.narrow ? 34 : 42), button_side = ui.px(24);
  Axes axes;
  axes.area = {area.x + ui.px(46), area.y, std::max(ui.px(40), area.w - ui.px(46) - ui.px(12)),
               std::max(ui.px(24), area.h - words)};
  axes.x0 = 0;
  axes.x1 = static_cast<double>(row.scores.size());
  const auto [low, high] = std::ranges::minmax(row.scores);
  axes.y0 = std::min(0., low) - 0.2;
  axes.y1 = std::max(0., high) * 1.15 + 0.2;
  draw_y_axis(ui, axes, page.narrow ? 3 : 4);
  const Ui::Touch touch = ui.touch("online tiles", axes.area, false);
  if (touch.held && ImGui::GetIO().MouseDown[0]) {
    const double key = std::clamp(axes.x_at(ImGui::GetIO().MousePos.x), 0., axes.x1 - 1);
    for (std::size_t t = 0; t <= last; ++t)
      if (key >= static_cast<double>(row.tiles[t].first)) state.tile = t;
    state.tile_due = 0;
  }
  draw_online_bars(ui, axes, row, taken);
  draw_online_maximum(ui, axes, row, taken);
  const float y = axes.area.bottom() + words / 2;
  const Box back{area.x, y - button_side / 2, button_side, button_side};
  const Box on{back.right() + ui.px(4), back.y, button_side, button_side};
  const Box play{on.right() + ui.px(4), back.y, button_side, button_side};
  const bool plays = state.tile_due > 0;
  if (button(ui, "Play", play, {plays ? "Pause" : "Play", {}, "Takes one tile after the other.", {}},
             plays ? "❚❚" : "▶"))
    play_or_pause_tiles(state, last);
  if (button(ui, "A tile back", back, {"A tile back", {}, "What was known before it.", {}}, "‹") && taken > 0)
    state.tile = taken - 1, state.tile_due = 0;
  if (button(ui, "The next tile", on,
             {"The next tile", {}, "Its scores are taken: maximum, sum, output.", {}}, "›") &&
      taken < last)
    state.tile = taken + 1, state.tile_due = 0;
  const float x = play.right() + ui.px(8), room = area.right() - x;
  ui.text(x, y - ui.px(8), online_words(row, taken),
          {type::tick, ui.theme.text1, Ink::Medium, Align::Left, room});
  ui.text(x, y + ui.px(8), online_error(row.tiles[taken]),
          {type::tick, ui.theme.text2, Ink::Regular, Align::Left, room});
}

}  // namespace attnscope
