// app/views: one cell with every number it is made of: the products of q and k, the steps from score to
// weight, the same in float64, and what the cell adds to the output.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "app/number_format.hpp"
#include "app/picture.hpp"

namespace attnscope {
namespace {

/// The shown cell with the rows of Q, K and V it is made of.
struct CellFacts {
  std::int64_t b, h, kv, query, key;
  bool masked;
  double score, scaled, capped, hidden, weight, largest,
      sum;            // hidden: after the mask; sum of exp((x - largest) / τ)
  std::int64_t rank;  // of the weight in its row, from 1
  std::int64_t allowed;
};

CellFacts facts_of(const Scene& scene) {
  const Result& r = scene.result;
  CellFacts f{};
  f.b = scene.sequence();
  f.h = scene.head();
  f.kv = f.h * r.dimensions.kv_heads / r.dimensions.heads;
  f.query = scene.cell().query;
  f.key = scene.cell().key;
  f.masked = is_masked(r, f.b, f.h, f.query, f.key);
  const auto at = [&](Stage stage) {
    return static_cast<double>(r.trace[stage]->matrix(f.b, f.h)(f.query, f.key));
  };
  f.score = at(Stage::Score);
  f.scaled = at(Stage::Scale);
  f.capped = at(Stage::Cap);
  f.hidden = at(Stage::Mask);
  f.weight = at(Stage::Softmax);
  const auto masked_row = r.trace[Stage::Mask]->matrix(f.b, f.h).row(f.query);
  const auto weights = r.trace[Stage::Softmax]->matrix(f.b, f.h).row(f.query);
  f.largest = static_cast<double>(masked_row.maxCoeff());
  f.allowed = r.measures.row(f.b, f.h, f.query).allowed;
  f.rank = 1;
  const double tau = static_cast<double>(r.document.temperature);
  for (Eigen::Index j = 0; j < weights.size(); ++j) {
    if (static_cast<double>(weights(j)) > f.weight) ++f.rank;
    const double x = static_cast<double>(masked_row(j));
    if (std::isfinite(x)) f.sum += std::exp((x - f.largest) / tau);
  }
  return f;
}

void draw_tags(const Scene& scene, const CellFacts& f, float right, float y) {
  const Ui& ui = scene.ui;
  const float most = ui.px(scene.compact ? 76 : 100);
  const auto tag = [&](std::int64_t token, Rgba hue) {
    const std::string label = token_label(scene.result, f.b, token);
    const float width = std::min(most, ui.text_width(label, type::label, Ink::Semibold) + ui.px(20));
    const Box box{right - width, y - ui.px(12), width, ui.px(24)};
    ui.fill(box, fade(hue, 0.22f), ui.px(4));
    ui.text(box.centre_x(), y, label, {type::label, hue, Ink::Semibold, Align::Centre, width - ui.px(8)});
    right -= width + ui.px(6);
  };
  tag(f.key, ui.theme.key);
  right -= ui.text(right, y, "→", {type::label, ui.theme.text3, Ink::Regular, Align::Right}) + ui.px(6);
  tag(f.query, ui.theme.query);
}

/// The products q_d · k_d by size, with a bar each; those that do not fit are summed in one line. Returns the
/// y below.
float draw_products(const Scene& scene, const CellFacts& f, const Box& area, float line) {
  const Ui& ui = scene.ui;
  const auto q = scene.result.trace[Stage::Query]->matrix(f.b, f.h).row(f.query);
  const auto k = scene.result.trace[Stage::Key]->matrix(f.b, f.kv).row(f.key);
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

/// "score  Σ q·k  13.297": the six lines from the score to the weight, and the float64 check.
float draw_ladder(Scene& scene, const CellFacts& f, const Box& area, float line) {
  const Ui& ui = scene.ui;
  const Document& document = scene.result.document;
  const Dimensions& d = scene.result.dimensions;
  float y = area.y + line / 2;
  const float middle = area.x + area.w * (scene.compact ? 0.27f : 0.33f);
  const auto row = [&](std::string_view name, std::string_view how, std::string_view value, Rgba ink,
                       Ink weight = Ink::Medium) {
    const float value_width = ui.text(area.right(), y, value, {type::label, ink, weight, Align::Right});
    ui.text(area.x, y, name, {type::label, ui.theme.text2});
    ui.text(middle, y, how,
            {type::label, ui.theme.text3, Ink::Regular, Align::Left,
             area.right() - middle - value_width - ui.px(8)});
    y += line;
  };
  const double factor = scale_factor(document.scaling, d.d_k);
  const std::string factor_text = document.scaling.kind == Scaling::Kind::InverseSqrtDk
                                      ? "× 1/√" + std::to_string(d.d_k) + " = " + fixed(factor, 3)
                                  : document.scaling.kind == Scaling::Kind::Off ? "× 1, scaling is off"
                                                                                : "× " + fixed(factor, 3);
  const bool warm = document.temperature != 1;
  const std::string tau = warm ? " / " + fixed(static_cast<double>(document.temperature), 2) : "";
  row("score", "Σ q · k", fixed(f.score, 3), ui.theme.text1);
  row("scaled", factor_text, fixed(f.scaled, 3), ui.theme.text1);
  if (document.soft_cap > 0) {
    const std::string cap = fixed(static_cast<double>(document.soft_cap), 2);
    row("capped", cap + " · tanh(x / " + cap + ")", fixed(f.capped, 3), ui.theme.text1);
  }
  if (f.masked) {
    row("masked", "hidden: −∞", fixed(f.hidden, 3), ui.theme.text1);
    row("weight", "exp(\u2212∞) = 0", "0", ui.theme.query, Ink::Semibold);
  } else {
    const double added = std::isfinite(f.hidden - f.capped) ? f.hidden - f.capped : 0;
    row("masked", std::abs(added) > 1e-6 ? "+ " + fixed(added, 3) : "+ 0, allowed", fixed(f.hidden, 3),
        ui.theme.text1);
    const double shifted = (f.hidden - f.largest) / static_cast<double>(document.temperature);
    const std::string from_max = "\u2212 max " + fixed(f.largest, 3);
    row("shifted", warm ? "(" + from_max + ")" + tau : from_max, fixed(shifted, 3), ui.theme.text1);
    row("weight", "exp(" + fixed(shifted, 3) + ") / " + fixed(f.sum, 3), fixed(f.weight, 4), ui.theme.query,
        Ink::Semibold);
    if (const CellReference* exact =
            scene.stats.reference(f.b, f.h, f.query, f.key, scene.selection.locked)) {
      row("float64", fixed(exact->weight, 10), "Δ " + tiny(std::abs(exact->weight - f.weight)),
          ui.theme.text3, Ink::Regular);
    } else {
      row("float64", "lock the cell to compute it", "", ui.theme.text3, Ink::Regular);
    }
  }
  return y - line / 2;
}

void draw_output_strip(const Scene& scene, const CellFacts& f, const Box& area) {
  const Ui& ui = scene.ui;
  const auto v = scene.result.trace[Stage::Value]->matrix(f.b, f.kv).row(f.key);
  double most = 0;
  for (Eigen::Index d = 0; d < v.size(); ++d)
    most = std::max(most, std::isfinite(v(d)) ? std::abs(static_cast<double>(v(d))) * f.weight : 0);
  ui.text(area.x, area.y + ui.px(10), "adds to output", {type::label, ui.theme.text2});
  const std::string label = token_label(scene.result, f.b, f.key);
  ui.text(area.right(), area.y + ui.px(10), fixed(f.weight, 3) + " × v of “" + label + "”",
          {type::tick, ui.theme.text3, Ink::Regular, Align::Right, area.w * 0.58f});
  const Box strip{area.x, area.y + ui.px(24), area.w, ui.px(22)};
  const ColourScale hues{ui.theme.scores, static_cast<float>(-std::max(most, 1e-30)),
                         static_cast<float>(std::max(most, 1e-30)), true};
  const auto n = static_cast<std::int64_t>(v.size());
  for (std::int64_t d = 0; d < n; ++d) {
    Box cell = cell_box(strip, 0, d, 1, n);
    if (cell.w > ui.px(4)) cell.w -= std::max(1.f, std::floor(ui.scale()));
    const auto value = static_cast<float>(static_cast<double>(v(d)) * f.weight);
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
  const float number =
      ui.text(x, y, f.masked ? "0" : fixed(f.weight, 4), {type::readout, ui.theme.text1, Ink::Semibold});
  ui.text(x + number + ui.px(14), y - ui.px(8), "weight", {type::label, ui.theme.text2, Ink::Medium});
  const std::string rank = f.masked ? "hidden by the mask"
                                    : "rank " + grouped(f.rank) + " of " + grouped(f.allowed) + " in the row";
  ui.text(x + number + ui.px(14), y + ui.px(9), rank,
          {type::label, ui.theme.text3, Ink::Regular, Align::Left, width - number - ui.px(14)});

  y += ui.px(28);
  ui.horizontal(x, y, width, ui.theme.hairline);
  y += ui.px(8);
  // From the bottom up: the ladder and the output strip have fixed heights, the products take what is left.
  const float line = ui.px(scene.compact ? 19 : 22), product_line = ui.px(16);
  const float ladder = line *
                       static_cast<float>((f.masked ? 4 : 6) + (scene.result.document.soft_cap > 0 ? 1 : 0)),
              output = ui.px(76);
  const float room = region.bottom() - y - ladder - output - ui.px(34);
  if (room > product_line * 3) {
    y = draw_products(scene, f, {x, y, width, room}, product_line) + ui.px(10);
    ui.horizontal(x, y, width, ui.theme.hairline);
    y += ui.px(6);
  }
  y = draw_ladder(scene, f, {x, y, width, ladder}, line) + ui.px(10);
  if (y + output <= region.bottom() + ui.px(6)) {
    ui.horizontal(x, y, width, ui.theme.hairline);
    draw_output_strip(scene, f, {x, y + ui.px(8), width, output});
  }
}

}  // namespace attnscope
