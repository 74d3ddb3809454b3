// app/pages/compare: below the pictures: entropy and largest weight of every row, entropy of every head.
#include <algorithm>
#include <cmath>
#include <limits>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/plot.hpp"
#include "app/pages/compare/head_grid.hpp"
#include "app/pages/compare/parts.hpp"

namespace attnscope {
namespace {

/// The measures of B if its rows match those of A; else null.
const Measures* rows_of_b(const Sides& sides) {
  return sides.b && sides.same_shape ? &sides.b->result.measures : nullptr;
}

/// "now  held" at the right end of a title line, in their colours. Returns the room it took.
float draw_legend(const Sides& sides, const Box& box) {
  const Ui& ui = sides.ui();
  const float y = box.y + ui.px(10);
  float x = box.right();
  if (sides.b && sides.same_shape)
    x -= ui.text(x, y, "held", {type::label, ui.theme.b, Ink::Semibold, Align::Right}) + ui.px(16);
  x -= ui.text(x, y, "now", {type::label, ui.theme.text1, Ink::Semibold, Align::Right}) + ui.px(8);
  return box.right() - x;
}

/// Title, unit and legend. Returns the y below them.
float draw_title(const Sides& sides, const Box& box, std::string_view title, std::string_view unit,
                 bool legend) {
  const float taken = legend ? draw_legend(sides, box) : 0;
  return plot_title(sides.ui(), {box.x, box.y, box.w - taken, box.h}, title, unit);
}

/// Pointing at a row previews it, a click chooses it.
void touch_rows(Scene& scene, const char* label, const Axes& axes, std::int64_t rows) {
  const Ui::Touch touch = scene.ui.touch(label, axes.area, false);
  if (!touch.hovered || rows < 1) return;
  const std::int64_t row =
      std::clamp<std::int64_t>(std::llround(axes.x_at(ImGui::GetIO().MousePos.x)), 0, rows - 1);
  const Cell under{row, scene.selection.cell.key};
  scene.next.hovered_cell = under;
  if (!touch.clicked) return;
  scene.next.cell = under;
  scene.next.locked = true;
}

void draw_tokens(const Shown& shown, const Axes& axes, std::int64_t rows) {
  draw_label_axis(shown.ui, axes, {rows, shown.cell().query, shown.ui.theme.query, [&](std::int64_t i) {
                                     return query_label(shown.result, shown.sequence(), i);
                                   }});
}

using Points = std::vector<ImVec2>;

/// NaN for a row with fewer than two allowed keys: the curve has a gap there.
double entropy_of_row(const Measures& m, std::int64_t b, std::int64_t h, std::int64_t i) {
  const RowMeasures& row = m.row(b, h, i);
  return row.allowed < 2 ? std::numeric_limits<double>::quiet_NaN() : row.entropy;
}

Points entropies(const Measures& m, std::int64_t b, std::int64_t h) {
  Points points;
  for (std::int64_t i = 0; i < m.queries; ++i)
    points.push_back({static_cast<float>(i), static_cast<float>(entropy_of_row(m, b, h, i))});
  return points;
}

/// The numbers of A and B in the marked row, beside its line. They do not overlap, and have a background
/// where curves run behind them.
void draw_row_numbers(const Ui& ui, const Axes& axes, float x, double a, double b) {
  struct Number {
    double value;
    Rgba ink;
    float y;
  };
  std::vector<Number> numbers;
  const float least = axes.area.y + ui.px(7), most = axes.area.bottom() - ui.px(7), apart = ui.px(15);
  for (const auto& [value, ink] : {std::pair{a, ui.theme.text1}, std::pair{b, ui.theme.b}})
    if (std::isfinite(value)) numbers.push_back({value, ink, std::clamp(axes.y(value), least, most)});
  if (numbers.size() == 2) {
    Number &upper = numbers[numbers[0].y <= numbers[1].y ? 0 : 1],
           &lower = numbers[&upper == &numbers[0] ? 1 : 0];
    lower.y = std::min(most, std::max(lower.y, upper.y + apart));
    upper.y = std::min(upper.y, lower.y - apart);
  }
  for (const Number& number : numbers) {
    const std::string text = fixed(number.value, 2);
    const float width = ui.text_width(text, type::tick, Ink::Medium), gap = ui.px(10);
    const bool right = x + gap + width <= axes.area.right() + ui.px(8);
    const float left = right ? x + gap : x - gap - width;
    ui.fill({left - ui.px(3), number.y - ui.px(7), width + ui.px(6), ui.px(14)}, fade(ui.theme.panel, 0.85f),
            ui.px(3));
    ui.text(left, number.y, text, {type::tick, number.ink, Ink::Medium});
  }
}

void draw_entropy_rows(Sides& sides, const Box& box) {
  const Ui& ui = sides.ui();
  Scene& scene = sides.a;
  const Measures& a = scene.result.measures;
  const Measures* b = rows_of_b(sides);
  const float top = draw_title(sides, box, "Entropy per row", "nats", true);
  const std::int64_t s = scene.sequence(), h = scene.head(), query = scene.cell().query;
  const Points mine = entropies(a, s, h);
  const std::int64_t held_head = b ? sides.b->head() : h;
  const Points held = b ? entropies(*b, s, held_head) : Points{};
  double most = 0.1;
  for (const Points& points : {std::cref(mine), std::cref(held)})
    for (const ImVec2 p : points) most = std::fmax(most, static_cast<double>(p.y));
  const Axes axes{{box.x + ui.px(28), top + ui.px(8), box.w - ui.px(40), box.bottom() - top - ui.px(30)},
                  0,
                  a.queries > 1 ? static_cast<double>(a.queries - 1) : 1,
                  0,
                  most * 1.06};
  draw_y_axis(ui, axes, axes.area.h < ui.px(80) ? 2 : 3);
  const float x = axes.x(static_cast<double>(query));
  if (b) {
    const Rgba gap = fade(ui.theme.b, 0.16f);
    fill_between(ui, axes, mine, held, {gap, gap});
    draw_dashed_curve(ui, axes, held, ui.theme.b, 2 * ui.scale());
  }
  draw_curve(ui, axes, mine, ui.theme.text1, 2 * ui.scale());
  draw_dashes(ui, {{x, axes.area.y}, {x, axes.area.bottom()}}, ui.theme.query, std::max(1.f, ui.px(1)));
  const double of_a = entropy_of_row(a, s, h, query),
               of_b = b ? entropy_of_row(*b, s, held_head, query) : NAN;
  if (std::isfinite(of_b)) ui.disc({x, axes.y(of_b)}, ui.px(4), ui.theme.b);
  if (std::isfinite(of_a)) ui.disc({x, axes.y(of_a)}, ui.px(4), ui.theme.text1);
  draw_row_numbers(ui, axes, x, of_a, of_b);
  draw_tokens(scene, axes, a.queries);
  touch_rows(scene, "compare entropy per row", axes, a.queries);
}

/// A head's line in the dumb-bell plot.
struct Bell {
  std::int64_t head;
  Box row;
  bool labelled;
};

void draw_bell(const Sides& sides, const Axes& axes, const Bell& bell) {
  const Ui& ui = sides.ui();
  const Scene& scene = sides.a;
  const bool chosen = bell.head == scene.head();
  const float y = std::round(bell.row.centre_y()),
              radius = std::clamp(bell.row.h * 0.28f, ui.px(1.5f), ui.px(chosen ? 5 : 4));
  const double a = scene.result.measures.head(scene.sequence(), bell.head).normalised;
  const bool has_b = sides.b && bell.head < sides.b->result.dimensions.heads;
  const double b = has_b ? sides.b->result.measures.head(sides.b->sequence(), bell.head).normalised : NAN;
  if (std::isfinite(a) && std::isfinite(b)) {
    const float x0 = std::min(axes.x(a), axes.x(b)), x1 = std::max(axes.x(a), axes.x(b));
    const float thick = std::max(1.f, ui.px(chosen ? 3 : 2));
    ui.fill({x0, std::round(y - thick / 2), x1 - x0, thick},
            chosen ? ui.theme.bar : fade(ui.theme.bar, 0.6f));
  }
  if (std::isfinite(b)) ui.disc({axes.x(b), y}, radius, ui.theme.b);
  if (std::isfinite(a)) ui.disc({axes.x(a), y}, radius, ui.theme.text1);
  if (!bell.labelled) return;
  const Ink ink = chosen ? Ink::Semibold : Ink::Regular;
  ui.text(axes.area.x - ui.px(12), y, std::to_string(bell.head),
          {type::tick, chosen ? ui.theme.text1 : ui.theme.text3, ink, Align::Right});
  std::string text = "n/a";
  if (std::isfinite(a)) text = fixed(a, 2);
  if (std::isfinite(a) && std::isfinite(b)) text = (a - b >= 0.005 ? "+" : "") + fixed(a - b, 2);
  ui.text(bell.row.right(), y, text,
          {type::tick, chosen ? ui.theme.text1 : ui.theme.text2, ink, Align::Right});
}

void draw_entropy_heads(Sides& sides, const Box& box) {
  const Ui& ui = sides.ui();
  Scene& scene = sides.a;
  const float top = draw_title(sides, box, "Entropy per head", "mean H / ln(allowed)", false);
  const std::int64_t heads = scene.result.measures.heads;
  const Axes axes{
      {box.x + ui.px(30), top + ui.px(2), box.w - ui.px(84), box.bottom() - top - ui.px(24)}, 0, 1, 0, 1};
  for (const double x : {0.0, 0.5, 1.0}) ui.vertical(axes.x(x), axes.area.y, axes.area.h, ui.theme.hairline);
  const float height = axes.area.h / static_cast<float>(heads);
  const auto step = static_cast<std::int64_t>(std::max(1.f, std::ceil(ui.px(14) / height)));
  for (std::int64_t h = 0; h < heads; ++h) {
    const bool labelled = h == scene.head() || (h % step == 0 && std::abs(h - scene.head()) >= step);
    const Bell bell{h, {box.x, axes.area.y + static_cast<float>(h) * height, box.w, height}, labelled};
    draw_bell(sides, axes, bell);
    const Ui::Touch touch =
        ui.touch(("compare entropy of head " + std::to_string(h)).c_str(), bell.row, false);
    if (touch.hovered) scene.next.hovered_head = h;
    if (touch.clicked) scene.next.head = h;
  }
  draw_x_axis(ui, axes, 2);
}

/// Pairs of bars, or curves where there is no room for them.
void draw_pairs(const Sides& sides, const Axes& axes, const Points& a, const Points& b) {
  const Ui& ui = sides.ui();
  const float slot = axes.area.w / static_cast<float>(std::max<std::size_t>(a.size(), 1));
  if (slot < ui.px(6)) {
    if (!b.empty()) draw_dashed_curve(ui, axes, b, ui.theme.b, 1.5f * ui.scale());
    return draw_curve(ui, axes, a, ui.theme.text1, 1.5f * ui.scale());
  }
  const float gap = std::max(1.f, std::floor(ui.scale())), group = std::min(slot * 0.76f, ui.px(40));
  const float width = std::max(1.f, std::floor(b.empty() ? group / 2 : (group - gap) / 2));
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool marked = static_cast<std::int64_t>(i) == sides.a.cell().query;
    const float middle = axes.x(static_cast<double>(i));
    const auto bar = [&](const Points& points, float left, Rgba colour) {
      const auto value = static_cast<double>(points[i].y);
      if (!std::isfinite(value))
        return ui.fill({left, axes.area.bottom() - ui.px(4), width, ui.px(4)}, ui.theme.nan);
      const float top = std::round(axes.y(value));
      ui.fill({left, top, width, std::max(axes.area.bottom() - top, ui.px(1))},
              marked ? colour : fade(colour, 0.55f), std::min(ui.px(2), width / 2));
    };
    if (b.empty()) {
      bar(a, std::round(middle - width / 2), ui.theme.text1);
    } else {
      const float left = std::round(middle - width - gap / 2);
      bar(a, left, ui.theme.text1);
      bar(b, left + width + gap, ui.theme.b);
    }
  }
}

void draw_largest(Sides& sides, const Box& box) {
  const Ui& ui = sides.ui();
  Scene& scene = sides.a;
  const float top = draw_title(sides, box, "Largest weight in each row", "", true);
  const auto largest = [&](const Measures& m, std::int64_t head) {
    Points points;
    for (std::int64_t i = 0; i < m.queries; ++i)
      points.push_back({static_cast<float>(i), static_cast<float>(m.row(scene.sequence(), head, i).largest)});
    return points;
  };
  const Measures* held = rows_of_b(sides);
  const Points a = largest(scene.result.measures, scene.head()),
               b = held ? largest(*held, sides.b->head()) : Points{};
  const auto rows = static_cast<double>(a.size());
  const Axes axes{{box.x + ui.px(28), top + ui.px(8), box.w - ui.px(32), box.bottom() - top - ui.px(30)},
                  -0.5,
                  rows - 0.5,
                  0,
                  1};
  draw_y_axis(ui, axes, 2);
  draw_pairs(sides, axes, a, b);
  draw_tokens(scene, axes, scene.result.measures.queries);
  touch_rows(scene, "compare largest weights", axes, scene.result.measures.queries);
}

}  // namespace

void draw_compare_plots(Sides& sides, const Box& region) {
  const Ui& ui = sides.ui();
  ui.fill(region, ui.theme.panel);
  ui.horizontal(region.x, region.y, region.w, ui.theme.hairline);
  const float pad = ui.px(sides.a.compact ? 14 : 24);
  // Three plots leave out the largest weights, which have the widest words; two also the entropies of the
  // heads.
  const int plots = region.w < ui.px(920) ? (region.w < ui.px(640) ? 2 : 3) : 4;
  const float width = region.w / static_cast<float>(plots);
  using Draw = void (*)(Sides&, const Box&);
  constexpr Draw all[]{draw_entropy_rows, draw_all_heads, draw_entropy_heads, draw_largest};
  constexpr int order[3][4]{{0, 1, 0, 0}, {0, 2, 1, 0}, {0, 2, 3, 1}};
  for (int i = 0; i < plots; ++i) {
    const float x = std::round(region.x + width * static_cast<float>(i));
    if (i > 0) ui.vertical(x, region.y + ui.px(12), region.h - ui.px(24), ui.theme.hairline);
    const Box box{x + pad, region.y + ui.px(12), std::floor(width - 2 * pad), region.h - ui.px(20)};
    ui.clip({x, region.y, width, region.h});
    all[order[plots - 2][i]](sides, box);
    ui.unclip();
  }
}

}  // namespace attnscope
