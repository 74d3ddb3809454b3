// app/views: the signals: entropy per row and per head, the spread of the scores before and after scaling,
// and what the chosen cell did while a knob moved.
#include <algorithm>
#include <cmath>
#include <vector>

#include "app/number_format.hpp"
#include "app/picture.hpp"
#include "app/widgets/plot.hpp"

namespace attnscope {
namespace {

/// Token labels under the plot, thinned; the marked one always stands.
void draw_token_axis(const Scene& scene, const Axes& axes, std::int64_t n, std::int64_t marked) {
  const Ui& ui = scene.ui;
  const float y = axes.area.bottom() + ui.px(11);
  const auto label = [&](std::int64_t i) {
    return ui.fitted(query_label(scene.result, scene.sequence(), i), type::tick, Ink::Regular, ui.px(64));
  };
  const auto span = [&](std::int64_t i) {
    const float half =
        ui.text_width(label(i), type::tick, i == marked ? Ink::Semibold : Ink::Regular) / 2 + ui.px(5);
    const float x = axes.x(static_cast<double>(i));
    return std::pair{x - half, x + half};
  };
  const auto [marked_left, marked_right] = span(marked);
  float used = -INFINITY;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto [left, right] = span(i);
    const bool collides = left < used || (i != marked && right > marked_left && left < marked_right);
    if (i != marked && collides) continue;
    ui.text(axes.x(static_cast<double>(i)), y, label(i),
            {type::tick, i == marked ? ui.theme.query : ui.theme.text3,
             i == marked ? Ink::Semibold : Ink::Regular, Align::Centre});
    used = right;
  }
}

void draw_entropy_per_row(Scene& scene, const Box& box) {
  const Ui& ui = scene.ui;
  const Measures& m = scene.result.measures;
  const float top = plot_title(ui, box, "Entropy per row", "nats, dashed: ln(allowed)");
  const std::int64_t n = m.queries, b = scene.sequence();
  std::vector<ImVec2> ceiling;
  double highest = 0.1;
  for (std::int64_t i = 0; i < n; ++i) {
    const double h =
        std::log(static_cast<double>(std::max<std::int64_t>(1, m.row(b, scene.head(), i).allowed)));
    highest = std::max(highest, h);
    ceiling.push_back({static_cast<float>(i), static_cast<float>(h)});
    // Other heads may see more keys than the shown one.
    for (std::int64_t other = 0; other < m.heads; ++other)
      highest = std::fmax(highest, m.row(b, other, i).entropy);
  }
  const double right = n > 1 ? static_cast<double>(n - 1) : 1;
  const Axes axes{{box.x + ui.px(26), top + ui.px(8), box.w - ui.px(46), box.bottom() - top - ui.px(30)},
                  0,
                  right,
                  0,
                  highest * 1.06};
  draw_y_axis(ui, axes, 3);
  std::vector<ImVec2> dashed;
  for (const ImVec2 p : ceiling)
    dashed.push_back({axes.x(static_cast<double>(p.x)), axes.y(static_cast<double>(p.y))});
  draw_dashes(ui, dashed, ui.theme.text3, std::max(1.f, ui.px(1)));

  const auto curve = [&](std::int64_t h) {
    std::vector<ImVec2> points;
    for (std::int64_t i = 0; i < n; ++i)
      points.push_back({static_cast<float>(i), static_cast<float>(m.row(b, h, i).entropy)});
    return points;
  };
  for (std::int64_t h = 0; h < m.heads; ++h) {
    if (h != scene.head())
      draw_curve(ui, axes, curve(h), fade(ui.theme.head(h), ui.theme.faint_curve), 1.25f * ui.scale());
  }
  draw_curve(ui, axes, curve(scene.head()), ui.theme.head(scene.head()), 2 * ui.scale());

  const std::int64_t query = scene.cell().query;
  const RowMeasures& row = m.row(b, scene.head(), query);
  const ImVec2 point{axes.x(static_cast<double>(query)), axes.y(row.entropy)};
  draw_dashes(ui, {{point.x, axes.area.y}, {point.x, axes.area.bottom()}}, ui.theme.query,
              std::max(1.f, ui.px(1)));
  ui.list()->AddCircleFilled(point, ui.px(4), ui.theme.head(scene.head()));
  draw_value_tag(ui, axes, point, query_label(scene.result, b, query) + "  H = " + fixed(row.entropy, 2));
  draw_token_axis(scene, axes, n, query);

  const Ui::Touch touch = ui.touch("entropy per row", axes.area, false);
  if (touch.hovered && n > 0) {
    const double x =
        axes.x0 +
        (axes.x1 - axes.x0) * static_cast<double>((ImGui::GetIO().MousePos.x - axes.area.x) / axes.area.w);
    const Cell under{std::clamp<std::int64_t>(std::llround(x), 0, n - 1), scene.selection.cell.key};
    scene.next.hovered_cell = under;
    if (touch.clicked) {
      scene.next.cell = under;
      scene.next.locked = true;
    }
  }
}

void draw_entropy_per_head(Scene& scene, const Box& box) {
  const Ui& ui = scene.ui;
  const Measures& m = scene.result.measures;
  const float top = plot_title(ui, box, "Entropy per head", "mean H / ln(allowed), min–max");
  const Axes axes{
      {box.x + ui.px(24), top + ui.px(4), box.w - ui.px(70), box.bottom() - top - ui.px(26)}, 0, 1, 0, 1};
  const float row_height = axes.area.h / static_cast<float>(m.heads);
  const auto step = static_cast<std::int64_t>(std::max(1.f, std::ceil(ui.px(14) / row_height)));
  for (std::int64_t h = 0; h < m.heads; ++h) {
    const HeadMeasures& head = m.head(scene.sequence(), h);
    const bool chosen = h == scene.head();
    const float y = std::round(axes.area.y + (static_cast<float>(h) + 0.5f) * row_height);
    const float height = std::clamp(row_height * 0.5f, 1.f, ui.px(8));
    const Box full{axes.area.x, std::round(y - height / 2), axes.area.w, height};
    if (std::isfinite(head.normalised)) {
      const Rgba hue = chosen ? ui.theme.head(h) : fade(ui.theme.head(h), 0.5f);
      ui.fill({full.x, full.y, axes.x(head.normalised) - full.x, height}, hue, ui.px(2));
      const Rgba whisker = chosen ? ui.theme.text1 : ui.theme.text3;
      const float x0 = axes.x(head.normalised_min), x1 = axes.x(head.normalised_max),
                  tall = std::min(height, ui.px(6));
      ui.horizontal(x0, y, x1 - x0, whisker);
      ui.vertical(x0, y - tall / 2, tall, whisker);
      ui.vertical(x1, y - tall / 2, tall, whisker);
    }
    if (h % step == 0 || chosen) {
      const Ink ink = chosen ? Ink::Semibold : Ink::Regular;
      ui.text(axes.area.x - ui.px(8), y, std::to_string(h),
              {type::tick, chosen ? ui.theme.text1 : ui.theme.text3, ink, Align::Right});
      ui.text(box.right() - ui.px(4), y, std::isnan(head.normalised) ? "n/a" : fixed(head.normalised, 2),
              {type::tick, chosen ? ui.theme.text1 : ui.theme.text2, ink, Align::Right});
    }
    const std::string id = "entropy of head " + std::to_string(h);
    const Ui::Touch touch = ui.touch(id.c_str(), {box.x, y - row_height / 2, box.w, row_height}, false);
    if (touch.hovered) scene.next.hovered_head = h;
    if (touch.clicked) scene.next.head = h;
  }
  draw_x_axis(ui, axes, 2);
}

void draw_scores(Scene& scene, const Box& box) {
  const Ui& ui = scene.ui;
  const Document& document = scene.result.document;
  const std::int64_t b = scene.sequence(), h = scene.head();
  const bool divided = document.scaling.kind == Scaling::Kind::InverseSqrtDk;
  const double factor = scale_factor(document.scaling, scene.result.dimensions.d_k);
  const std::string unit = divided ? "before and after ÷ √" + std::to_string(scene.result.dimensions.d_k)
                                   : "before and after × " + fixed(factor, 2);
  const float top = plot_title(ui, box, "Scores", unit);
  const ValueRange before_range = scene.stats.range(Stage::Score, b, h),
                   after_range = scene.stats.range(Stage::Scale, b, h);
  const double reach = std::max({1e-3, std::abs(static_cast<double>(before_range.low)),
                                 std::abs(static_cast<double>(before_range.high)),
                                 std::abs(static_cast<double>(after_range.low)),
                                 std::abs(static_cast<double>(after_range.high))});
  const double step = nice_step(2 * reach, 4), end = std::ceil(reach / step) * step;
  constexpr int bins = 40;
  const Histogram before =
      scene.stats.histogram(Stage::Score, b, h, static_cast<float>(-end), static_cast<float>(end), bins);
  const Histogram& after =
      scene.stats.histogram(Stage::Scale, b, h, static_cast<float>(-end), static_cast<float>(end), bins);
  const double most =
      std::max<double>(1, static_cast<double>(std::max(before.largest_bin(), after.largest_bin())));
  const Box area{box.x + ui.px(4), top + ui.px(4), box.w - ui.px(16), box.bottom() - top - ui.px(26)};
  const double legend =
      area.h > ui.px(70) ? static_cast<double>(ui.px(36) / area.h) : 0.05;  // bars end below it
  const Axes axes{area, -end, end, 0, most / (1 - legend)};
  ui.horizontal(axes.area.x, axes.area.bottom(), axes.area.w, ui.theme.hairline);
  ui.vertical(axes.x(0), axes.area.y, axes.area.h, ui.theme.hairline);
  const float width = axes.area.w / bins;
  for (int i = 0; i < bins; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const float x0 = std::round(axes.area.x + width * static_cast<float>(i)),
                x1 = std::round(axes.area.x + width * static_cast<float>(i + 1));
    const auto height = [&](std::int64_t count) {
      return axes.area.bottom() - axes.y(static_cast<double>(count));
    };
    const float tall = height(after.bins[k]), was = height(before.bins[k]);
    ui.fill({x0, axes.area.bottom() - tall, x1 - x0 - 1, tall}, fade(ui.theme.query, 0.8f));
    if (before.bins[k] > 0) {
      ui.fill({x0, axes.area.bottom() - was, x1 - x0 - 1, was}, fade(ui.theme.key, 0.25f));
      ui.fill({x0, std::round(axes.area.bottom() - was), x1 - x0 - 1, ui.px(2)}, ui.theme.key);
    }
  }
  draw_x_axis(ui, axes, 4);
  const float x = axes.area.x + ui.px(2);
  ui.fill({x, axes.area.y + ui.px(7), ui.px(9), ui.px(2)}, ui.theme.key);
  ui.text(x + ui.px(16), axes.area.y + ui.px(8), "before  σ " + fixed(before.deviation, 2),
          {type::tick, ui.theme.text2});
  ui.fill({x, axes.area.y + ui.px(20), ui.px(9), ui.px(8)}, fade(ui.theme.query, 0.8f));
  ui.text(x + ui.px(16), axes.area.y + ui.px(24), "after  σ " + fixed(after.deviation, 2),
          {type::tick, ui.theme.text2});
  ui.text(axes.area.right(), axes.area.y + ui.px(8), grouped(after.cells) + " cells",
          {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
}

void draw_moments(Scene& scene, const Box& box) {
  const Ui& ui = scene.ui;
  const auto& moments = scene.view.moments;
  const float top = plot_title(ui, box, "While you move", "last 8 s");
  const Axes empty{
      {box.x + ui.px(26), top + ui.px(8), box.w - ui.px(96), box.bottom() - top - ui.px(30)}, -8, 0, 0, 1};
  if (moments.size() < 2) {
    const Box note{box.x, top + ui.px(4), box.w - ui.px(8), box.bottom() - top - ui.px(8)};
    const float y = note.centre_y();
    ui.text(note.centre_x(), y - ui.px(10), "Nothing has moved yet",
            {type::label, ui.theme.text2, Ink::Medium, Align::Centre, note.w});
    ui.text(note.centre_x(), y + ui.px(10), "Drag a knob: H, weight and scale run here.",
            {type::tick, ui.theme.text3, Ink::Regular, Align::Centre, note.w});
    return;
  }
  double highest = 1;
  for (const Moment& m : moments)
    highest = std::max({highest, static_cast<double>(m.entropy), static_cast<double>(m.scale)});
  Axes axes = empty;
  axes.y1 = highest * 1.06;
  draw_y_axis(ui, axes, 3);
  const auto trace = [&](float Moment::*value, Rgba colour, float thickness) {
    std::vector<ImVec2> points;
    for (const Moment& m : moments) {
      const auto t = static_cast<float>(std::max(-8.0, m.seconds - scene.view.now));
      if (!points.empty() && points.back().y == m.*value) continue;
      if (!points.empty()) points.push_back({t, points.back().y});  // values jump, they do not slide
      points.push_back({t, m.*value});
    }
    points.push_back({0, points.back().y});
    draw_curve(ui, axes, points, colour, thickness);
    return points.back().y;
  };
  const float scale_end = trace(&Moment::scale, ui.theme.text3, 1 * ui.scale());
  const float weight_end = trace(&Moment::weight, ui.theme.key, 2 * ui.scale());
  const float entropy_end = trace(&Moment::entropy, ui.theme.query, 2 * ui.scale());
  ui.vertical(axes.area.right(), axes.area.y, axes.area.h, ui.theme.border);
  for (const double t : {-8.0, -6.0, -4.0, -2.0}) {
    ui.text(axes.x(t), axes.area.bottom() + ui.px(11), fixed(t, 0),
            {type::tick, ui.theme.text3, Ink::Regular, Align::Centre});
  }
  ui.text(axes.x(0), axes.area.bottom() + ui.px(11), "now",
          {type::tick, ui.theme.text3, Ink::Regular, Align::Centre});

  struct End {
    float y;
    std::string text;
    Rgba colour;
  };
  std::vector<End> ends{{axes.y(static_cast<double>(entropy_end)),
                         "H " + fixed(static_cast<double>(entropy_end), 2), ui.theme.query},
                        {axes.y(static_cast<double>(weight_end)),
                         "w " + fixed(static_cast<double>(weight_end), 2), ui.theme.key},
                        {axes.y(static_cast<double>(scale_end)),
                         "×" + fixed(static_cast<double>(scale_end), 2), ui.theme.text3}};
  for (const End& end : ends) ui.list()->AddCircleFilled({axes.area.right(), end.y}, ui.px(3), end.colour);
  std::sort(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.y < b.y; });
  for (std::size_t i = 1; i < ends.size(); ++i) ends[i].y = std::max(ends[i].y, ends[i - 1].y + ui.px(15));
  const float over = ends.back().y - (axes.area.bottom() + ui.px(2));
  for (End& end : ends)
    ui.text(axes.area.right() + ui.px(9), end.y - std::max(0.f, over), end.text,
            {type::tick, end.colour, Ink::Medium});
}

}  // namespace

void draw_signals(Scene& scene, const Box& region) {
  const Ui& ui = scene.ui;
  ui.horizontal(region.x, region.y, region.w, ui.theme.hairline);
  // Where four do not fit, "per head" goes: its number is in every thumbnail's tooltip.
  const int plots = scene.compact ? 3 : 4;
  const float pad = ui.px(scene.compact ? 14 : 20);
  const float width = region.w / static_cast<float>(plots);
  for (int i = 0; i < plots; ++i) {
    const float x = std::round(region.x + width * static_cast<float>(i));
    const Box box{x + pad, region.y + ui.px(12), width - 2 * pad, region.h - ui.px(20)};
    if (i > 0) ui.vertical(x, region.y + ui.px(12), region.h - ui.px(24), ui.theme.hairline);
    const int which = plots == 3 && i > 0 ? i + 1 : i;
    if (which == 0) draw_entropy_per_row(scene, box);
    if (which == 1) draw_entropy_per_head(scene, box);
    if (which == 2) draw_scores(scene, box);
    if (which == 3) draw_moments(scene, box);
  }
}

}  // namespace attnscope
