// app/views: one cell with every number it is made of: the products of q and k, the steps from score to
// weight, the same in float64, and what the cell adds to the output.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "app/number_format.hpp"
#include "app/picture.hpp"
#include "app/views/cell_facts.hpp"

namespace attnscope {
namespace {

void draw_tags(const Scene& scene, const CellFacts& f, float right, float y) {
  const Ui& ui = scene.ui;
  const float most = ui.px(scene.compact ? 76 : 100);
  const auto tag = [&](const std::string& label, Rgba hue) {
    const float width = std::min(most, ui.text_width(label, type::label, Ink::Semibold) + ui.px(20));
    const Box box{right - width, y - ui.px(12), width, ui.px(24)};
    ui.fill(box, fade(hue, 0.22f), ui.px(4));
    ui.text(box.centre_x(), y, label, {type::label, hue, Ink::Semibold, Align::Centre, width - ui.px(8)});
    right -= width + ui.px(6);
  };
  tag(key_label(scene.result, f.b, f.key), ui.theme.key);
  right -= ui.text(right, y, "→", {type::label, ui.theme.text3, Ink::Regular, Align::Right}) + ui.px(6);
  tag(query_label(scene.result, f.b, f.query), ui.theme.query);
}

/// The products q_d · k_d by size, with a bar each; those that do not fit are summed in one line. Returns the
/// y below.
float draw_products(const Scene& scene, const CellFacts& f, const Box& area, float line) {
  const Ui& ui = scene.ui;
  const auto q = scene.result.trace[Stage::RotateQuery]->matrix(f.b, f.h).row(f.query);
  const auto k = scene.result.trace[Stage::RotateKey]->matrix(f.b, f.kv).row(f.key);
  const auto d_k = static_cast<std::size_t>(q.size());
  std::vector<double> products(d_k);
  for (std::size_t d = 0; d < d_k; ++d) {
    products[d] = static_cast<double>(q(static_cast<Eigen::Index>(d))) *
                  static_cast<double>(k(static_cast<Eigen::Index>(d)));
  }
  std::vector<std::size_t> order(d_k);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(products[a]) > std::abs(products[b]);
  });

  const float x_dim = area.x + ui.px(18), x_q = area.x + area.w * 0.34f, x_k = area.x + area.w * 0.51f,
              x_p = area.x + area.w * 0.7f;
  const float bar = area.x + area.w * 0.80f, room = area.right() - bar;
  float y = area.y + line / 2;
  const auto column = [&](float x, std::string_view text, Rgba ink, Ink weight = Ink::Regular) {
    ui.text(x, y, text, {type::tick, ink, weight, Align::Right});
  };
  ui.text(area.x, y, "dim", {type::tick, ui.theme.text3});
  column(x_q, "q", ui.theme.query, Ink::Medium);
  column(x_k, "k", ui.theme.key, Ink::Medium);
  column(x_p, "q · k", ui.theme.text2, Ink::Medium);
  column(area.right(), "by size", ui.theme.text3);
  y += line;

  const auto fits = static_cast<std::size_t>(std::max(1.f, std::floor((area.h - line) / line)));
  const std::size_t shown = d_k <= fits ? d_k : fits - 1;
  const double most = d_k > 0 ? std::max(1e-30, std::abs(products[order[0]])) : 1;
  for (std::size_t i = 0; i < shown; ++i, y += line) {
    const std::size_t d = order[i];
    column(x_dim, std::to_string(d), ui.theme.text3);
    column(x_q, fixed(static_cast<double>(q(static_cast<Eigen::Index>(d))), 2), ui.theme.text2);
    column(x_k, fixed(static_cast<double>(k(static_cast<Eigen::Index>(d))), 2), ui.theme.text2);
    column(x_p, fixed(products[d], 2), ui.theme.text1, Ink::Medium);
    if (!std::isfinite(products[d])) continue;
    // A zero line a third in: most products that matter are positive.
    const float zero = bar + room * 0.3f, reach = products[d] < 0 ? room * 0.3f : room * 0.7f;
    const float length = std::max(1.f, static_cast<float>(std::abs(products[d]) / most) * reach);
    const ColourScale hues{ui.theme.scores, -1, 1, true};
    ui.fill({products[d] < 0 ? zero - length : zero, y - ui.px(4), length, ui.px(8)},
            colour_of(hues, products[d] < 0 ? -0.62f : 0.62f), ui.px(1));
  }
  if (shown < d_k) {
    double rest = 0;
    for (std::size_t i = shown; i < d_k; ++i) rest += products[order[i]];
    ui.text(area.x, y, std::to_string(d_k - shown) + " more", {type::tick, ui.theme.text3});
    column(x_p, fixed(rest, 2), ui.theme.text2, Ink::Medium);
    y += line;
  }
  return y - line / 2;
}

/// "score  Σ q·k  13.297": the lines from the score to the weight, and the float64 check.
float draw_ladder(const Scene& scene, const std::vector<LadderLine>& lines, const Box& area, float height) {
  const Ui& ui = scene.ui;
  float y = area.y + height / 2;
  const float middle = area.x + area.w * (scene.compact ? 0.27f : 0.33f);
  for (const LadderLine& line : lines) {
    const Rgba ink = line.is_result ? ui.theme.query : line.is_check ? ui.theme.text3 : ui.theme.text1;
    const Ink weight = line.is_result ? Ink::Semibold : line.is_check ? Ink::Regular : Ink::Medium;
    const float width = ui.text(area.right(), y, line.value, {type::label, ink, weight, Align::Right});
    const float name = ui.text(area.x, y, line.name, {type::label, ui.theme.text2});
    const float x = std::max(middle, area.x + name + ui.px(8));
    ui.text(x, y, line.how,
            {type::label, ui.theme.text3, Ink::Regular, Align::Left, area.right() - x - width - ui.px(8)});
    y += height;
  }
  return y - height / 2;
}

void draw_output_strip(const Scene& scene, const CellFacts& f, const Box& area) {
  const Ui& ui = scene.ui;
  const auto v = scene.result.trace[Stage::Value]->matrix(f.b, f.kv).row(f.key);
  double most = 0;
  for (Eigen::Index d = 0; d < v.size(); ++d)
    most = std::max(most, std::isfinite(v(d)) ? std::abs(static_cast<double>(v(d)) * f.mixed) : 0);
  ui.text(area.x, area.y + ui.px(10), "adds to output", {type::label, ui.theme.text2});
  const std::string label = key_label(scene.result, f.b, f.key);
  ui.text(area.right(), area.y + ui.px(10), fixed(f.mixed, 3) + " × v of “" + label + "”",
          {type::tick, ui.theme.text3, Ink::Regular, Align::Right, area.w * 0.58f});
  const Box strip{area.x, area.y + ui.px(24), area.w, ui.px(22)};
  const ColourScale hues{ui.theme.scores, static_cast<float>(-std::max(most, 1e-30)),
                         static_cast<float>(std::max(most, 1e-30)), true};
  const auto n = static_cast<std::int64_t>(v.size());
  for (std::int64_t d = 0; d < n; ++d) {
    Box cell = cell_box(strip, 0, d, 1, n);
    if (cell.w > ui.px(4)) cell.w -= std::max(1.f, std::floor(ui.scale()));
    const auto value = static_cast<float>(static_cast<double>(v(d)) * f.mixed);
    ui.fill(cell, std::isfinite(value) ? colour_of(hues, value) : ui.theme.nan);
  }
  ui.text(area.x, strip.bottom() + ui.px(12), "zero-centred, ±" + fixed(most, 2),
          {type::tick, ui.theme.text3});
}

}  // namespace

void draw_inspector(Scene& scene, const Box& region) {
  const Ui& ui = scene.ui;
  const float pad = ui.px(scene.compact ? 14 : 20);
  ui.vertical(region.x, region.y, region.h, ui.theme.hairline);
  const CellFacts f = facts_of(scene);
  const float x = region.x + pad, width = region.w - 2 * pad;
  float y = region.y + ui.px(22);
  ui.text(x, y, "Cell", {type::body, ui.theme.text1, Ink::Semibold});
  draw_tags(scene, f, x + width, y);

  y += ui.px(scene.compact ? 40 : 42);
  const float number = ui.text(x, y, f.masked && f.weight == 0 ? "0" : fixed(f.weight, 4),
                               {type::readout, ui.theme.text1, Ink::Semibold});
  ui.text(x + number + ui.px(14), y - ui.px(8), "weight", {type::label, ui.theme.text2, Ink::Medium});
  const std::string rank = f.masked ? (f.weight == 0 ? "hidden by the mask" : "though hidden by the mask")
                                    : "rank " + grouped(f.rank) + " of " + grouped(f.allowed) + " in the row";
  ui.text(x + number + ui.px(14), y + ui.px(9), rank,
          {type::label, ui.theme.text3, Ink::Regular, Align::Left, width - number - ui.px(14)});

  y += ui.px(28);
  ui.horizontal(x, y, width, ui.theme.hairline);
  y += ui.px(8);
  // From the bottom up: the ladder and the output strip have fixed heights, the products take what is left.
  const float line = ui.px(scene.compact ? 19 : 22), product_line = ui.px(16);
  const std::vector<LadderLine> lines = ladder_of(scene, f);
  const float ladder = line * static_cast<float>(lines.size()), output = ui.px(76);
  const float room = region.bottom() - y - ladder - output - ui.px(34);
  if (room > product_line * 3) {
    y = draw_products(scene, f, {x, y, width, room}, product_line) + ui.px(10);
    ui.horizontal(x, y, width, ui.theme.hairline);
    y += ui.px(6);
  }
  y = draw_ladder(scene, lines, {x, y, width, ladder}, line) + ui.px(10);
  if (y + output <= region.bottom() + ui.px(6)) {
    ui.horizontal(x, y, width, ui.theme.hairline);
    draw_output_strip(scene, f, {x, y + ui.px(8), width, output});
  }
}

}  // namespace attnscope
