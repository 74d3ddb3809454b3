// app/views/inspector: the vectors of a cell, number by number: the query's q, the key's k and v, the head's
// output, and the layer's input and output for the query.
#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/scene/picture.hpp"
#include "app/state/regions/inspector_state.hpp"
#include "app/views/inspector/numbers.hpp"
#include "app/views/inspector/operands.hpp"
#include "app/views/inspector/pages.hpp"
#include "app/views/parts/strips.hpp"
#include "app/views/parts/unknown.hpp"

namespace attnscope {
namespace {

/// One vector with its description.
struct ListedVector : Operand {
  std::string what;
  Rgba hue = 0;
};

/// The vectors that this result has, in the order of the computation.
std::vector<ListedVector> vectors_of(const Shown& shown, const CellPlace& at) {
  const LayerResult& r = shown.result;
  const Theme& theme = shown.ui.theme;
  const std::string query = query_label(r, at.b, at.query), key = key_label(r, at.b, at.key);
  std::vector<ListedVector> all;
  const auto add = [&](Stage stage, const char* symbol, bool of_key, std::int64_t h, std::int64_t row,
                       std::string_view what, Rgba hue) {
    const std::string& token = of_key ? key : query;
    const Operand operand{stage, at.b, h, row, symbol, token, vector_of(r, stage, at.b, h, row)};
    if (!operand.values.empty() && is_known(r.document, stage))
      all.push_back({operand, std::string(what) + " “" + token + "”", hue});
  };
  const bool normed = r.trace[Stage::NormQuery] != r.trace[Stage::Query];
  const bool rotary = r.trace[Stage::RotateQuery] != r.trace[Stage::NormQuery];
  add(Stage::Position, "x", false, 0, at.query + r.dimensions.past, "input of", theme.text1);
  add(Stage::QueryLatent, "c", false, 0, at.query + r.dimensions.past, "query latent of", theme.text1);
  add(Stage::Latent, "ℓ", true, 0, at.key, "latent of", theme.text1);
  add(Stage::Query, "q", false, at.h, at.query, "query", theme.query);
  if (normed) add(Stage::NormQuery, "qₙ", false, at.h, at.query, "normed query", theme.query);
  if (rotary) add(Stage::RotateQuery, "q′", false, at.h, at.query, "rotated query", theme.query);
  add(Stage::Key, "k", true, at.kv, at.key, "key", theme.key);
  if (normed) add(Stage::NormKey, "kₙ", true, at.kv, at.key, "normed key", theme.key);
  if (rotary) add(Stage::RotateKey, "k′", true, at.kv, at.key, "rotated key", theme.key);
  add(Stage::Value, "v", true, at.kv, at.key, "value", theme.value);
  add(Stage::Mix, "z", false, at.h, at.query, "head's output for", theme.text1);
  add(Stage::Output, "y", false, 0, at.query, "layer's output for", theme.text1);
  add(Stage::BlockOutput, "x₂", false, 0, at.query, "block's output for", theme.text1);
  return all;
}

/// How a vector is broken into lines: with printed numbers if there are few, else only as colours.
struct Cut {
  std::int64_t columns = 1, lines = 1;
  float height = 0;
  bool numbers = false;
};

Cut cut_of(const Ui& ui, float width, std::int64_t size) {
  const auto fitting = std::max<std::int64_t>(1, static_cast<std::int64_t>(width / ui.px(31)));
  Cut cut;
  cut.numbers = size <= 2 * fitting;
  const std::int64_t most = cut.numbers ? fitting : 64;
  cut.lines = (size + most - 1) / most;
  cut.columns = (size + cut.lines - 1) / cut.lines;
  cut.height = ui.px(cut.numbers ? 22 : cut.lines > 4 ? 10 : 16);
  return cut;
}

/// The places of a vector's cells, line by line.
struct Cells {
  Box area;
  Cut cut;
  std::int64_t size;

  Box line(std::int64_t index) const {
    return {area.x, area.y + cut.height * static_cast<float>(index), area.w, cut.height};
  }
  Box of(std::int64_t d) const { return cell_box(line(d / cut.columns), 0, d % cut.columns, 1, cut.columns); }
  std::optional<std::int64_t> under(ImVec2 point) const {
    if (!area.contains(point)) return std::nullopt;
    const Cell cell = cell_at(area, point, cut.lines, cut.columns);
    const std::int64_t d = cell.query * cut.columns + cell.key;
    return d < size ? std::optional(d) : std::nullopt;
  }
};

void draw_cells(const Ui& ui, const ListedVector& shown, const Cells& cells, float most) {
  const Cut& cut = cells.cut;
  for (std::int64_t first = 0; first < cells.size; first += cut.columns) {
    const std::int64_t count = std::min(cut.columns, cells.size - first);
    const Box line = cells.line(first / cut.columns);
    const auto part = shown.values.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    const std::string place = shown.symbol + " " + std::to_string(first);
    draw_strips(ui, {.place = place.c_str(),
                     .box = {line.x, line.y, cells.of(first + count - 1).right() - line.x, line.h},
                     .values = strip_of(part),
                     .most = most,
                     .ground = ui.theme.panel,
                     .row_gap = 1,
                     .numbers = cut.numbers});
  }
}

float draw_vector(Scene& scene, const ListedVector& shown, const Box& area) {
  const Ui& ui = scene.ui;
  const float middle = area.y + ui.px(10);
  const float name = ui.text(area.x, middle, shown.symbol, {type::label, shown.hue, Ink::Semibold});
  const std::string length = "norm " + fixed(norm(shown.values), 3);
  const float used =
      ui.text(area.right(), middle, length, {type::tick, ui.theme.text2, Ink::Regular, Align::Right});
  const float x = area.x + std::max(name + ui.px(8), ui.px(22));
  ui.text(x, middle, shown.what,
          {type::tick, ui.theme.text3, Ink::Regular, Align::Left, area.right() - x - used - ui.px(8)});
  const Cut cut = cut_of(ui, area.w, std::ssize(shown.values));
  const Box box{area.x, area.y + ui.px(22), area.w, cut.height * static_cast<float>(cut.lines)};
  const Cells cells{box, cut, std::ssize(shown.values)};
  draw_cells(ui, shown, cells, scene.stats.largest(shown.stage));
  const std::string label = "operand " + shown.symbol;
  const OperandPlaces places{label.c_str(), box, [&](std::int64_t d) { return cells.of(d); },
                             [&](ImVec2 point) { return cells.under(point); }};
  const OperandTouch touch = take_operand(scene, shown, places);
  if (touch.hovered && !touch.edited) {
    Box cell = cells.of(*touch.hovered);
    cell.w = std::max(cell.w, ui.px(3));
    ui.frame(cell, ui.theme.text1, std::max(1.f, std::floor(ui.scale())), ui.px(2));
  }
  return box.bottom();
}

/// q·k as lengths and an angle.
float draw_cosine(const Scene& scene, const CellPlace& at, const Box& area) {
  const Ui& ui = scene.ui;
  const Products p = products_of(scene.result, at, ProductOrder::Dimension);
  const double cos = cosine(p.q, p.k);
  const bool known = std::isfinite(cos);
  const OperandNames names = operand_names(scene.result);
  const Box line{area.x, area.y + ui.px(readout_height), area.w, ui.px(words_height)};
  const Ui::Touch touch = ui.touch("cosine", {area.x, area.y, ui.px(120), ui.px(64)}, false);
  draw_readout(scene, at, {area.x, area.y, area.w, ui.px(readout_height)}, known ? fixed(cos, 3) : "n/a",
               Tags::QueryAndKey);
  const float used =
      ui.text(line.x, line.centre_y(), names.cosine, {type::label, ui.theme.text2, Ink::Medium});
  const std::string factors =
      "× " + fixed(norm(p.q), 2) + " × " + fixed(norm(p.k), 2) + " = " + fixed(p.sum(), 3);
  ui.text(line.x + used + ui.px(10), line.centre_y(), factors,
          {type::label, ui.theme.text3, Ink::Regular, Align::Left, line.w - used - ui.px(10)});
  tooltip(ui, touch.hovered, {area.x, area.y, area.w, ui.px(64)},
          {"Cosine", "q · k = |q| · |k| · cos", "Cosine of the angle between the two vectors."});
  return line.bottom();
}

}  // namespace

float draw_vector_page(Scene& scene, const CellPlace& at, const Box& area) {
  const Ui& ui = scene.ui;
  const Document& document = scene.result.document;
  if (!knows_scores(document)) return draw_unknown(ui, area, "queries, keys and values", why_no_scores());
  float y = draw_cosine(scene, at, area) + ui.px(6);
  ui.horizontal(area.x, y, area.w, ui.theme.hairline);
  y += ui.px(6);
  const float gap = ui.px(scene.compact ? 6 : 12);
  for (const ListedVector& shown : vectors_of(scene, at))
    y = draw_vector(scene, shown, {area.x, y, area.w, 0}) + gap;
  if (!knows_values(document))
    y = draw_unknown(ui, {area.x, y, area.w, 0}, "values and outputs", why_no_values(document));
  return y;
}

}  // namespace attnscope
