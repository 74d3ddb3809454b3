#include "app/views/vector_map.hpp"

#include <algorithm>
#include <cmath>

#include "app/number_format.hpp"
#include "app/picture.hpp"

namespace attnscope {
namespace {

/// Which text the rows of a stage stand for.
enum class Rows { Queries, Keys, Tokens };

Rows rows_of(Stage stage) {
  switch (stage) {
    case Stage::Embed:
    case Stage::Position: return Rows::Tokens;
    case Stage::Memory:
    case Stage::Key:
    case Stage::RotateKey:
    case Stage::Value: return Rows::Keys;
    default: return Rows::Queries;
  }
}

bool has_heads(const Tensor& tensor) { return tensor.shape().rank() == 4; }

/// One map with what its parts share.
struct VectorFrame {
  Scene& scene;
  Stage stage;
  std::int64_t b, h;  // h: the head of this stage, which may be shared by a group of query heads
  ConstMatrixMap<float> values;
  ColourScale scale;
  Box cells{};
  float side_x = 0, side_y = 0;

  const Ui& ui() const { return scene.ui; }
  std::int64_t rows() const { return values.rows(); }
  std::int64_t columns() const { return values.cols(); }
  std::string label(std::int64_t row) const {
    const Result& r = scene.result;
    switch (rows_of(stage)) {
      case Rows::Queries: return query_label(r, b, row);
      case Rows::Keys: return key_label(r, b, row);
      case Rows::Tokens: return query_label(r, b, row - r.dimensions.past);
    }
    return {};
  }
  /// The row of the chosen cell's query or key; -1 when it has none here.
  std::int64_t marked() const {
    const Cell cell = scene.cell();
    if (rows_of(stage) == Rows::Keys) return cell.key;
    return rows_of(stage) == Rows::Tokens ? cell.query + scene.result.dimensions.past : cell.query;
  }
};

/// The matrix of the shown sequence and head; zero-centred colours up to its largest value in any head.
VectorFrame frame_of(Scene& scene, Stage stage) {
  const Result& r = scene.result;
  const Tensor& tensor = *r.trace[stage];
  const std::int64_t b = scene.sequence();
  const std::int64_t heads = has_heads(tensor) ? tensor.shape()[1] : 1;
  const std::int64_t h = scene.head() * heads / r.dimensions.heads;
  const float most = scene.stats.largest(stage);
  return {scene,
          stage,
          b,
          h,
          has_heads(tensor) ? tensor.matrix(b, h) : tensor.matrix(b),
          {scene.ui.theme.scores, -most, most, true}};
}

void draw_cells(const VectorFrame& m) {
  const Ui& ui = m.ui();
  const Box& box = m.cells;
  std::uint64_t content = m.scene.result.made_in[static_cast<std::size_t>(m.stage)];
  for (const std::int64_t part :
       {m.b, m.h, static_cast<std::int64_t>(m.stage), static_cast<std::int64_t>(ui.theme.name),
        static_cast<std::int64_t>(box.w), static_cast<std::int64_t>(box.h)})
    content = mix_hash(content, static_cast<std::uint64_t>(part));
  const ImTextureID texture = ui.textures.get(ImGui::GetID("vectors"), content, [&] {
    RasterJob job = whole_matrix(ui, m.values, colormap(m.scale.map), box);
    job.low = m.scale.low;
    job.high = m.scale.high;
    return raster(job);
  });
  ui.list()->AddImage(ImTextureRef(texture), box.min(), box.max());
  if (m.side_x < ui.px(30) || m.side_y < ui.px(16)) return;
  for (std::int64_t i = 0; i < m.rows(); ++i) {
    for (std::int64_t j = 0; j < m.columns(); ++j) {
      const float value = m.values(i, j);
      const Box cell = cell_box(box, i, j, m.rows(), m.columns());
      const Rgba ink = std::isfinite(value) ? ink_on(colour_of(m.scale, value)) : 0xFFFFFFFFu;
      ui.text(cell.centre_x(), cell.centre_y(), score_in_cell(static_cast<double>(value)),
              {type::tick, ink, Ink::Regular, Align::Centre, m.side_x});
    }
  }
}

void draw_labels(const VectorFrame& m, float room) {
  const Ui& ui = m.ui();
  const auto row_step = std::max<std::int64_t>(1, std::llround(std::ceil(ui.px(16) / m.side_y)));
  const std::int64_t marked = m.marked();
  const Rgba hue = rows_of(m.stage) == Rows::Keys ? ui.theme.key : ui.theme.query;
  for (std::int64_t i = 0; i < m.rows(); ++i) {
    const bool chosen = i == marked;
    const bool near_chosen = !chosen && std::abs(i - marked) < row_step;
    if (!chosen && (i % row_step != 0 || near_chosen)) continue;
    const Box cell = cell_box(m.cells, i, 0, m.rows(), m.columns());
    ui.text(m.cells.x - ui.px(10), cell.centre_y(), m.label(i),
            {type::label, chosen ? hue : ui.theme.text2, chosen ? Ink::Semibold : Ink::Regular, Align::Right,
             room});
    if (chosen) ui.fill({m.cells.x - ui.px(6), cell.y, ui.px(3), std::max(1.f, cell.h)}, hue);
  }
  const auto column_step = std::max<std::int64_t>(1, std::llround(std::ceil(ui.px(28) / m.side_x)));
  for (std::int64_t j = 0; j < m.columns(); j += column_step) {
    const Box cell = cell_box(m.cells, 0, j, m.rows(), m.columns());
    ui.text(cell.centre_x(), m.cells.y - ui.px(12), std::to_string(j),
            {type::tick, ui.theme.text3, Ink::Regular, Align::Centre});
  }
}

void draw_bar(const VectorFrame& m, const Box& area) {
  const Ui& ui = m.ui();
  const Box ramp{m.cells.x, area.bottom() - ui.px(34), std::min(ui.px(300), area.right() - m.cells.x),
                 ui.px(10)};
  for (int x = 0; x < static_cast<int>(ramp.w); ++x) {
    const auto i = static_cast<std::size_t>(static_cast<float>(x) / std::max(1.f, ramp.w - 1) * 255);
    ui.fill({ramp.x + static_cast<float>(x), ramp.y, 1, ramp.h}, colormap(m.scale.map)[i]);
  }
  ui.frame(ramp, ui.theme.border, std::max(1.f, std::floor(ui.scale())));
  const float y = ramp.bottom() + ui.px(11);
  const auto end = [](float v) { return fixed(static_cast<double>(v), 2); };
  ui.text(ramp.x, y, end(m.scale.low), {type::tick, ui.theme.text2});
  ui.text(ramp.centre_x(), y, "0", {type::tick, ui.theme.text3, Ink::Regular, Align::Centre});
  ui.text(ramp.right(), y, end(m.scale.high), {type::tick, ui.theme.text2, Ink::Regular, Align::Right});
}

/// Hovering tells the number; a click chooses the row's token.
void take_mouse(const VectorFrame& m) {
  const Ui::Touch touch = m.ui().touch("vector map", m.cells);
  if (!touch.hovered && !touch.clicked) return;
  const Cell under = cell_at(m.cells, ImGui::GetIO().MousePos, m.rows(), m.columns());
  m.scene.view.hint = m.label(under.query) + " · dimension " + std::to_string(under.key) + " = " +
                      fixed(static_cast<double>(m.values(under.query, under.key)), 6);
  if (!touch.clicked) return;
  const Dimensions& d = m.scene.result.dimensions;
  Cell cell = m.scene.selection.cell;
  if (rows_of(m.stage) == Rows::Keys) {
    cell.key = std::min(under.query, d.keys - 1);
  } else {
    const std::int64_t query = rows_of(m.stage) == Rows::Tokens ? under.query - d.past : under.query;
    if (query < 0 || query >= d.queries) return;  // in the cache: it asks nothing
    cell.query = query;
  }
  m.scene.next.cell = cell;
  m.scene.next.locked = true;
}

}  // namespace

std::vector<Stage> vector_stages(const Result& result) {
  const Trace& trace = result.trace;
  std::vector<Stage> there;
  const auto add = [&](Stage stage, bool differs = true) {
    if (trace[stage] && differs) there.push_back(stage);
  };
  add(Stage::Embed);
  add(Stage::Position, trace[Stage::Position] != trace[Stage::Embed]);
  add(Stage::Memory);
  add(Stage::Query);
  add(Stage::RotateQuery, trace[Stage::RotateQuery] != trace[Stage::Query]);
  add(Stage::Key);
  add(Stage::RotateKey, trace[Stage::RotateKey] != trace[Stage::Key]);
  add(Stage::Value);
  add(Stage::Mix);
  add(Stage::Concat);
  add(Stage::Output);
  return there;
}

VectorWords vector_words(Stage stage) {
  switch (stage) {
    case Stage::Embed: return {"E vectors", "E", "What each token brings along, before positions."};
    case Stage::Position: return {"X positions", "X = E + P", "Token vectors with their positions."};
    case Stage::Memory: return {"N second text", "N = E + P", "What keys and values are made of."};
    case Stage::Query: return {"Q queries", "Q = X·W_Q + b", "What every token asks for, in this head."};
    case Stage::RotateQuery: return {"Q′ rotated", "Q′ = R(p)·Q", "Queries turned by their positions."};
    case Stage::Key: return {"K keys", "K = X·W_K + b", "What every token answers to, in this head."};
    case Stage::RotateKey: return {"K′ rotated", "K′ = R(p)·K", "Keys turned by their positions."};
    case Stage::Value: return {"V values", "V = X·W_V + b", "What every token hands on, in this head."};
    case Stage::Mix: return {"H mixed", "H = A·V", "What every query takes away from this head."};
    case Stage::Concat: return {"C joined", "C = [H₁ … H_h]", "The heads side by side."};
    default: return {"Y output", "Y = C·W_O + b", "What the layer gives."};
  }
}

void draw_vector_map(Scene& scene, const Box& area, Stage stage) {
  VectorFrame m = frame_of(scene, stage);
  const Ui& ui = m.ui();
  float room = 0;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(m.rows(), 256); ++i)
    room = std::max(room, ui.text_width(m.label(i), type::label) + 1);
  room = std::clamp(room, ui.px(56), ui.px(112));
  const float left = room + ui.px(18), head = ui.px(56), foot = ui.px(64);
  const float wide = area.w - left, high = area.h - head - foot;
  if (wide < 1 || high < 1) return;
  const float exact_x = wide / static_cast<float>(m.columns()), exact_y = high / static_cast<float>(m.rows());
  m.side_x = exact_x >= 2 ? std::min(std::floor(exact_x), ui.px(48)) : exact_x;
  m.side_y = exact_y >= 2 ? std::min(std::floor(exact_y), ui.px(36)) : exact_y;
  m.cells = {std::round(area.x + left), std::round(area.y + head),
             std::floor(m.side_x * static_cast<float>(m.columns())),
             std::floor(m.side_y * static_cast<float>(m.rows()))};
  if (m.cells.w < 1 || m.cells.h < 1) return;
  const VectorWords w = vector_words(stage);
  ui.text(m.cells.x, area.y + ui.px(10), w.formula, {type::label, ui.theme.text1, Ink::Medium});
  ui.text(m.cells.x + ui.text_width(w.formula, type::label, Ink::Medium) + ui.px(14), area.y + ui.px(10),
          w.why,
          {type::label, ui.theme.text3, Ink::Regular, Align::Left,
           area.right() - m.cells.x - ui.text_width(w.formula, type::label) - ui.px(20)});
  ui.text(m.cells.x - ui.px(10), m.cells.y - ui.px(12), "token ↓",
          {type::label, ui.theme.text2, Ink::Medium, Align::Right});
  draw_cells(m);
  draw_labels(m, room);
  draw_bar(m, area);
  take_mouse(m);
}

}  // namespace attnscope
