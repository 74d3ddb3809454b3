// app/views/inspector: the table of the products whose sum is a score.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/row_list.hpp"
#include "app/scene/picture.hpp"
#include "app/state/regions/inspector_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/inspector/numbers.hpp"
#include "app/views/inspector/operands.hpp"
#include "app/views/inspector/pages.hpp"

namespace attnscope {
namespace {

constexpr float least_line = 16, most_line = 22, header_height = 24;

/// The right ends of the columns of numbers, and the remaining room for bars.
struct ProductColumns {
  float dimension, q, k, product, bars, right;
};

ProductColumns product_columns_of(const Ui& ui, const Box& area) {
  const float numbers = std::clamp(area.w - ui.px(104), ui.px(148), ui.px(228));
  return {area.x + ui.px(22), area.x + std::round(numbers * 0.45f), area.x + std::round(numbers * 0.72f),
          area.x + numbers,   area.x + numbers + ui.px(12),         area.right()};
}

/// One scale for bars of both signs: zero is placed so that the largest bar of either side just fits.
struct BarScale {
  float zero, unit;  // device pixels: the x of 0, and the length of 1
};

BarScale scale_of(const Ui& ui, const ProductColumns& x, const std::vector<double>& products) {
  double low = 0, high = 0;
  for (const double p : products) {
    if (!std::isfinite(p)) continue;
    low = std::min(low, p);
    high = std::max(high, p);
  }
  const double span = std::max(high - low, 1e-30);
  const float room = std::max(1.f, x.right - x.bars);
  const float zero = x.bars + static_cast<float>(-low / span) * room;
  return {std::clamp(zero, x.bars + ui.px(1), x.right - ui.px(1)), static_cast<float>(room / span)};
}

void draw_bar(const Ui& ui, const BarScale& scale, float y, double value) {
  if (!std::isfinite(value)) return;
  const ColourScale hues{ui.theme.scores, -1, 1, true};
  const float length = std::max(1.f, std::abs(static_cast<float>(value)) * scale.unit);
  ui.fill({value < 0 ? scale.zero - length : scale.zero, y - ui.px(4), length, ui.px(8)},
          colour_of(hues, value < 0 ? -0.62f : 0.62f), ui.px(1));
}

void draw_header(Scene& scene, const ProductColumns& x, const Box& line) {
  const Ui& ui = scene.ui;
  const OperandNames called = operand_names(scene.result);
  const float y = line.centre_y();
  const auto column = [&](float right, std::string_view text, Rgba ink) {
    ui.text(right, y, text, {type::tick, ink, Ink::Medium, Align::Right});
  };
  ui.text(line.x, y, "dim", {type::tick, ui.theme.text3});
  column(x.q, called.query, ui.theme.query);
  column(x.k, called.key, ui.theme.key);
  column(x.product, "q · k", ui.theme.text2);
  constexpr std::array<std::string_view, 3> names{"size", "dim", "sign"};
  constexpr std::array<Tip, 3> tips{
      Tip{"By size", "|q_d · k_d|", "What decides the score comes first."},
      Tip{"By dimension", {}, "As they stand in the vectors."},
      Tip{"By sign", {}, "What speaks for the key first, what speaks against it last."}};
  const float wide = std::min(ui.px(108), x.right - x.product - ui.px(6));
  if (const auto order =
          segments(ui, "Products", {x.right - wide, line.y + ui.px(1), wide, ui.px(20)}, names,
                   static_cast<int>(inspector_of(scene.view).products), tips, {.text_size = type::tick}))
    inspector_of(scene.view).products = static_cast<ProductOrder>(*order);
}

/// The tooltip of a product: "q₂ · k₂ = 1.4613 × 0.9444". The columns q and k are operands with their own.
void tell_product(Scene& scene, const Products& p, std::int64_t d, const ProductColumns& x, const Box& row) {
  const Ui& ui = scene.ui;
  const float left = x.k + ui.px(6);
  const Ui::Touch touch =
      ui.touch(("product " + std::to_string(d)).c_str(), {left, row.y, row.right() - left, row.h}, false);
  if (!touch.hovered) return;
  const auto at = static_cast<std::size_t>(d);
  const double q = static_cast<double>(p.q[at]), k = static_cast<double>(p.k[at]), sum = p.sum();
  ui.fill({row.x - ui.px(6), row.y, row.w + ui.px(10), row.h}, fade(ui.theme.control_hover, 0.7f), ui.px(2));
  const std::string formula = fixed(q, 4) + " × " + fixed(k, 4) + " = " + fixed(p.product[at], 4);
  const bool shares = std::isfinite(p.product[at]) && std::isfinite(sum) && std::abs(sum) > 1e-6;
  const std::string why =
      shares ? fixed(100 * p.product[at] / sum, 1) + " % of the score " + fixed(sum, 3) : std::string();
  const std::string title = "q · k in dimension " + std::to_string(d);
  scene.view.hint = title + ":  " + formula + (why.empty() ? "" : "   ·   " + why);
  tooltip(ui, true, row, {title, formula, why});
}

void draw_row(Scene& scene, const Products& p, std::int64_t d, const ProductColumns& x, const Box& row) {
  const Ui& ui = scene.ui;
  tell_product(scene, p, d, x, row);
  const auto at = static_cast<std::size_t>(d);
  const float y = row.centre_y();
  const auto number = [&](float right, double value, Rgba ink, Ink weight = Ink::Regular) {
    ui.text(right, y, fixed(value, 2), {type::tick, ink, weight, Align::Right});
  };
  ui.text(x.dimension, y, std::to_string(d), {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  number(x.q, static_cast<double>(p.q[at]), ui.theme.text2);
  number(x.k, static_cast<double>(p.k[at]), ui.theme.text2);
  number(x.product, p.product[at], ui.theme.text1, Ink::Medium);
}

/// The two editable columns of operands of the rows in sight.
struct OperandColumns {
  Scene& scene;
  const CellPlace& at;
  const Products& p;
  const RowList& list;
  const ProductColumns& x;

  std::int64_t dimension(std::int64_t row) const { return p.order[static_cast<std::size_t>(row)]; }

  /// Handles input on one column; returns the edited dimension, if any.
  std::optional<std::int64_t> take(const char* label, const Operand& operand, float right) const {
    const Ui& ui = scene.ui;
    const float width = ui.px(scene.compact ? 42 : 52);
    const Box first = list.row(list.first());
    const Box area{right - width, first.y, width + ui.px(2),
                   first.h * static_cast<float>(list.last() - list.first())};
    const OperandPlaces places{
        label, area,
        [&](std::int64_t d) {
          const auto at_row = std::find(p.order.begin(), p.order.end(), d) - p.order.begin();
          if (at_row < list.first() || at_row >= list.last()) return Box{};
          const Box row = list.row(at_row);
          return Box{area.x, row.y, area.w, row.h};
        },
        [&](ImVec2 point) -> std::optional<std::int64_t> {
          if (!area.contains(point)) return std::nullopt;
          const auto row = list.first() + static_cast<std::int64_t>((point.y - area.y) / first.h);
          return row < list.last() ? std::optional(dimension(row)) : std::nullopt;
        }};
    return take_operand(scene, operand, places).edited;
  }

  std::optional<std::int64_t> take() const {
    const LayerResult& r = scene.result;
    const OperandNames names = operand_names(r);
    const Operand q{
        Stage::RotateQuery, at.b, at.h, at.query, names.query, query_label(r, at.b, at.query), p.q};
    const Operand k{Stage::RotateKey, at.b, at.kv, at.key, names.key, key_label(r, at.b, at.key), p.k};
    const std::optional<std::int64_t> edited = take("operand q", q, x.q);
    const std::optional<std::int64_t> other = take("operand k", k, x.k);
    return edited ? edited : other;
  }
};

/// While a number is edited its row keeps its place and stays in sight.
void hold_order(Scene& scene, const Products& p, const RowList& list, std::optional<std::int64_t> edited) {
  std::vector<std::int64_t>& held = inspector_of(scene.view).held_order;
  if (!edited) return held.clear();
  held = p.order;
  const auto row = std::find(held.begin(), held.end(), *edited) - held.begin();
  if (row < list.first()) list.begin_with(row);
  if (row >= list.last()) list.begin_with(row - (list.last() - list.first()) + 1);
}

Products held_products(const Scene& scene, const CellPlace& at) {
  Products p = products_of(scene.result, at, inspector_of(scene.view).products);
  const std::vector<std::int64_t>& held = inspector_of(scene.view).held_order;
  if (held.size() == p.order.size()) p.order = held;
  return p;
}

}  // namespace

float draw_products(Scene& scene, const CellPlace& at, const Box& area) {
  const Ui& ui = scene.ui;
  const Products p = held_products(scene, at);
  const ProductColumns x = product_columns_of(ui, area);
  const BarScale scale = scale_of(ui, x, p.product);
  const std::int64_t d_k = std::ssize(p.order);
  const float header = ui.px(header_height);
  const float line =
      std::clamp(std::floor((area.h - header) / static_cast<float>(std::max<std::int64_t>(d_k, 1))),
                 ui.px(least_line), ui.px(most_line));
  draw_header(scene, x, {area.x, area.y, area.w, header});

  const auto fits = static_cast<std::int64_t>(std::max(2.f, std::floor((area.h - header) / line)));
  const std::int64_t shown = d_k <= fits ? d_k : fits - 1;
  const Box rows{area.x, area.y + header, area.w, line * static_cast<float>(shown)};
  const Box rest{area.x, rows.bottom(), x.product - area.x, line};
  bool turn = false;
  if (shown < d_k) {
    const Tip tip{"The other products", "Σ q_d · k_d of the rows not in sight",
                  "A click shows the next ones; the mouse wheel scrolls."};
    turn = link(ui, "more products", {rest.x, rest.y, ui.px(96), rest.h},
                std::to_string(d_k - shown) + " more", tip);
  }
  double unseen = 0;
  {
    const RowList list(ui, "products", rows, line, d_k, inspector_of(scene.view).product_row);
    for (std::int64_t i = list.first(); i < list.last(); ++i) {
      const std::int64_t d = p.order[static_cast<std::size_t>(i)];
      draw_row(scene, p, d, x, list.row(i));
      draw_bar(ui, scale, list.row(i).centre_y(), p.product[static_cast<std::size_t>(d)]);
    }
    ui.vertical(scale.zero, rows.y, rows.h, ui.theme.border);
    if (turn) list.begin_with(list.last() < d_k ? list.last() : 0);
    unseen = p.sum(0, list.first()) + p.sum(list.last(), d_k);
    hold_order(scene, p, list, OperandColumns{scene, at, p, list, x}.take());
  }
  if (shown == d_k) return rows.bottom();
  ui.text(x.product, rest.centre_y(), fixed(unseen, 2),
          {type::tick, ui.theme.text2, Ink::Medium, Align::Right});
  return rest.bottom();
}

}  // namespace attnscope
