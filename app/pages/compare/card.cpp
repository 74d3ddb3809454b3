// app/pages/compare: the numbers of the chosen cell on a card, placed where it hides least.
#include "app/pages/compare/card.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/kit/ui/number_format.hpp"

namespace attnscope {
namespace {

/// The cost of covering each square of a lattice over the panel, as a summed-area table: the cost of a
/// rectangle takes four look-ups.
class Ground {
 public:
  Ground(const Box& panel, float step)
      : panel_(panel),
        step_(step),
        columns_(std::max(0, static_cast<int>(panel.w / step))),
        rows_(std::max(0, static_cast<int>(panel.h / step))),
        sums_(static_cast<std::size_t>((columns_ + 1) * (rows_ + 1))) {}

  int columns() const { return columns_; }
  int rows() const { return rows_; }
  Box square(int row, int column) const {
    return {panel_.x + static_cast<float>(column) * step_, panel_.y + static_cast<float>(row) * step_, step_,
            step_};
  }
  /// Call it once for each square, row by row, columns in order.
  void put(int row, int column, double cost) {
    at(row + 1, column + 1) = cost + at(row, column + 1) + at(row + 1, column) - at(row, column);
  }
  double cost(int row, int column, int high, int wide) const {
    return at(row + high, column + wide) - at(row, column + wide) - at(row + high, column) + at(row, column);
  }

 private:
  std::size_t index(int row, int column) const {
    return static_cast<std::size_t>(row * (columns_ + 1) + column);
  }
  double& at(int row, int column) { return sums_[index(row, column)]; }
  double at(int row, int column) const { return sums_[index(row, column)]; }

  Box panel_;
  float step_;
  int columns_, rows_;
  std::vector<double> sums_;
};

constexpr double free_cost = 0, hatch_cost = 0.001f, label_cost = 0.5f, number_cost = 1, marked_cost = 1000;

/// Fills the lattice for the picture the card is about.
Ground ground_of(const CardPlace& place, float step) {
  const MapFrame& map = place.map;
  const Ui& ui = map.ui();
  const Box marked = map.visible_cell(map.marked);
  const float reach = ui.px(6);  // the frame and its halo
  const Box with_labels{map.cells.x - map.label_width - ui.px(18), map.area.y,
                        map.cells.w + map.label_width + ui.px(18), map.cells.bottom() - map.area.y};
  const Box bar{with_labels.x, map.cells.bottom(), with_labels.w, ui.px(60)};
  CellMarks marks(map.scene, map.plane, map.b, map.h);
  Ground ground(place.panel, step);
  for (int i = 0; i < ground.rows(); ++i) {
    for (int j = 0; j < ground.columns(); ++j) {
      const Box square = ground.square(i, j);
      const ImVec2 middle{square.centre_x(), square.centre_y()};
      const bool in_row = square.bottom() > marked.y - reach && square.y < marked.bottom() + reach;
      const bool in_column = square.right() > marked.x - reach && square.x < marked.right() + reach;
      double cost = free_cost;
      if (with_labels.contains(middle) && (in_row || in_column)) {
        cost = marked_cost;
      } else if (map.cells.contains(middle)) {
        const Cell under = map.under(middle);
        const CellKind kind = marks(under.query, under.key);
        cost = kind == CellKind::Masked || kind == CellKind::NoKey ? hatch_cost : number_cost;
      } else if (with_labels.contains(middle) || bar.contains(middle)) {
        cost = label_cost;
      }
      ground.put(i, j, cost);
    }
  }
  return ground;
}

struct CardSpot {
  Box box;
  double cost = INFINITY;
};

/// The cheapest place for a card of that size; of equally cheap places the nearest to the marked cell.
CardSpot best_spot(const CardPlace& place, float width, float height) {
  const float step = place.map.ui().px(8);
  const Ground ground = ground_of(place, step);
  const Box cell = place.map.visible_cell(place.map.marked);
  const int wide = static_cast<int>(std::ceil(width / step)),
            high = static_cast<int>(std::ceil(height / step));
  CardSpot best;
  float nearest = INFINITY;
  for (int i = 0; i + high <= ground.rows(); ++i) {
    for (int j = 0; j + wide <= ground.columns(); ++j) {
      // Rounded to 0.01, so that rounding errors of the sums do not decide between places of equal cost.
      const double cost = std::round(ground.cost(i, j, high, wide) * 100) / 100;
      const Box at = ground.square(i, j);
      const float away = std::hypot(at.x + width / 2 - cell.centre_x(), at.y + height / 2 - cell.centre_y());
      if (cost > best.cost || (cost == best.cost && away >= nearest)) continue;
      best = {{std::round(at.x), std::round(at.y), width, height}, cost};
      nearest = away;
    }
  }
  return best;
}

/// One line of the card: a name, a note about the setting, a bar and the number.
struct Line {
  std::string name, note, number;
  Rgba ink, number_ink;
  float bar = -1;  // length: the weight, 0 … 1; below 0: no bar
};

Line line_of(const Sides& sides, const Shown& shown, Plane plane, bool is_a) {
  const Ui& ui = sides.ui();
  const Cell cell = shown.cell();
  const float value = shown.stats.matrix(plane, shown.sequence(), shown.head())(cell.query, cell.key);
  const bool masked = shown.is_masked(shown.sequence(), shown.head(), cell.query, cell.key);
  const bool weights = is_weights(plane);
  Line line{is_a ? "now" : "held",
            {},
            fixed(static_cast<double>(value), weights ? 4 : 3),
            ui.theme.text1,
            ui.theme.text1};
  if (!is_a) line.ink = ui.theme.b;
  if (!sides.settings.empty()) line.note = is_a ? sides.settings[0].a : sides.settings[0].b;
  if (masked && shows_mask(shown.result.document, plane) && (value == 0 || !weights)) {
    line.number = "masked";
    line.number_ink = ui.theme.text3;
  } else if (weights) {
    line.bar = std::isfinite(value) ? std::clamp(value, 0.f, 1.f) : 0;
  }
  return line;
}

std::vector<Line> lines_of(const Sides& sides) {
  const Ui& ui = sides.ui();
  const Cell cell = sides.a.cell();
  const auto value = [&](const Scene& side, Plane plane) {
    return static_cast<double>(side.stats.matrix(plane, side.sequence(), side.head())(cell.query, cell.key));
  };
  const double a = value(sides.a, sides.a_plane), b = value(*sides.b, sides.b_plane);
  std::vector<Line> lines{line_of(sides, sides.a, sides.a_plane, true),
                          line_of(sides, *sides.b, sides.b_plane, false)};
  const bool is_signed = sides.difference.kind == Plane::Kind::Difference;
  lines.push_back({std::string(words(sides.a.result.document, sides.difference).short_name),
                   {},
                   difference_read_out(sides, a, b),
                   ui.theme.text1,
                   is_signed ? difference_ink(ui, a == b ? 0 : a - b) : ui.theme.text1});
  if (is_weights(sides.a_plane)) {
    const TotalVariationPtr moved = sides.a.stats.moved(sides.a.sequence(), sides.a.head());
    const auto query = static_cast<std::size_t>(cell.query);
    lines.push_back({"TV distance", "½ Σ|Δ|", moved ? fixed(moved->rows[query], 4) : "…", ui.theme.text2,
                     ui.theme.text2});
  }
  return lines;
}

/// "it → cat" and the stage that is shown.
void draw_title(const Sides& sides, const CardPlace& place, const Box& card, float pad) {
  const Ui& ui = sides.ui();
  const Scene& scene = place.map.scene;
  const Cell cell = scene.cell();
  const float y = card.y + ui.px(18);
  const std::string what(words(scene.result.document, sides.a_plane).short_name);
  const float kind = sides.a.compact ? 0
                                     : ui.text(card.right() - pad, y, what,
                                               {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  const float room = (card.w - 2 * pad - kind - ui.px(36)) / 2;
  float x = card.x + pad;
  x += ui.text(x, y, query_label(scene.result, scene.sequence(), cell.query),
               {type::label, ui.theme.query, Ink::Medium, Align::Left, room});
  x += ui.px(6) + ui.text(x + ui.px(6), y, "→", {type::label, ui.theme.text3}) + ui.px(6);
  ui.text(x, y, key_label(scene.result, scene.sequence(), cell.key),
          {type::label, ui.theme.key, Ink::Medium, Align::Left, room});
  ui.horizontal(card.x + pad, card.y + ui.px(32), card.w - 2 * pad, ui.theme.border);
}

/// Name and number always; note and bar where there is room between them.
void draw_line(const Ui& ui, float x, float right, float y, const Line& line) {
  x += ui.text(x, y, line.name, {type::label, line.ink, Ink::Medium}) + ui.px(6);
  ui.text(right, y, line.number, {type::label, line.number_ink, Ink::Medium, Align::Right});
  const float widest = ui.text_width("−0.0000", type::label, Ink::Medium), bar = ui.px(46);
  right -= std::max(widest, ui.text_width(line.number, type::label, Ink::Medium)) + ui.px(8);
  if (line.bar >= 0 && right - bar - x > ui.px(60)) {
    const Box track{right - bar, std::round(y - ui.px(3)), bar, ui.px(6)};
    ui.fill(track, ui.theme.bar_ground, ui.px(2));
    ui.fill({track.x, track.y, std::max(line.bar * bar, line.bar > 0 ? ui.px(1) : 0.f), track.h}, line.ink,
            ui.px(2));
    right = track.x - ui.px(8);
  }
  if (right - x > ui.px(72) || ui.text_width(line.note, type::tick) <= right - x)
    ui.text(x, y, line.note, {type::tick, ui.theme.text3, Ink::Regular, Align::Left, right - x});
}

}  // namespace

void draw_card(const Sides& sides, const CardPlace& place) {
  const Ui& ui = sides.ui();
  const std::vector<Line> lines = lines_of(sides);
  const float pad = ui.px(12), width = ui.px(sides.a.compact ? 168 : 228), line = ui.px(20);
  const float height = pad + ui.px(28) + line * static_cast<float>(lines.size()) + ui.px(8);
  const CardSpot spot = best_spot(place, width, height);
  if (!std::isfinite(spot.cost) || (place.only_if_free && spot.cost >= label_cost)) return;

  const Box& card = spot.box;
  ui.fill({card.x + ui.px(2), card.y + ui.px(4), card.w, card.h}, 0x50000000u, ui.px(8));
  ui.fill(card, ui.theme.raised, ui.px(8));
  ui.frame(card, ui.theme.border, std::max(1.f, std::floor(ui.scale())), ui.px(8));
  draw_title(sides, place, card, pad);
  float y = card.y + ui.px(46);
  for (const Line& l : lines) {
    draw_line(ui, card.x + pad, card.right() - pad, y, l);
    y += line;
  }
}

}  // namespace attnscope
