// app/views/lessons: the matrices that a step is about: what is shown, and beside it what is held, covered
// until it is revealed.
#include <algorithm>
#include <cmath>

#include "app/scene/picture.hpp"
#include "app/ui/number_format.hpp"
#include "app/views/lessons/page.hpp"
#include "app/views/parts/heat_map.hpp"
#include "app/views/parts/map_parts.hpp"
#include "core/attention/run_stage.hpp"
#include "core/document/enum_names.hpp"
#include "core/edits/switches.hpp"

namespace attnscope {

void draw_lesson_lid(const LessonPage& page, const Box& cells, Rgba edge) {
  const Ui& ui = page.ui();
  ui.fill(cells, ui.theme.hatch_ground, ui.px(6));
  ui.clip(cells);
  const float step = ui.px(14);
  for (float x = cells.x - cells.h; x < cells.right(); x += step) {
    const ImVec2 line[2] = {{x, cells.bottom()}, {x + cells.h, cells.y}};
    ui.polyline(line, ui.theme.hatch_line, ui.px(1.5f));
  }
  ui.unclip();
  ui.frame(cells, edge, ui.px(2), ui.px(6));
  const float size = std::min(cells.h * 0.22f / ui.scale(), 64.f);
  ui.text(cells.centre_x(), cells.centre_y() - ui.px(size * 0.3f), "?",
          {size, edge, Ink::Semibold, Align::Centre});
  const float line = cells.centre_y() + ui.px(size * 0.6f) + ui.px(18);
  if (line + ui.px(14) > cells.bottom()) return;
  const std::string_view words = "lifts the lid";
  const float wide = ui.px(22) + ui.px(10) + ui.text_width(words, type::label);
  const float left = std::round(cells.centre_x() - wide / 2);
  const Box cap{left - ui.px(6), line - ui.px(14), wide + ui.px(12), ui.px(28)};
  ui.fill(cap, ui.theme.hatch_ground, ui.px(4));
  const float key = page.keycap(left, line, "R");
  ui.text(left + key + ui.px(10), line, words, {type::label, ui.theme.text1});
}

void ring_lesson_word(const MapFrame& map, const lessons::Anchor& anchor, std::int64_t down) {
  using Kind = lessons::Anchor::Kind;
  const Ui& ui = map.ui();
  const bool of_row = anchor.kind == Kind::Query || anchor.kind == Kind::Cell;
  const auto place = [&](std::size_t i) {
    if (i >= anchor.places.size()) return std::int64_t{-1};
    return anchor.places[i] + (i == 0 && of_row ? down : 0);
  };
  const Dimensions& d = map.scene.result.dimensions;
  const auto ring = [&](const Box& box, Rgba colour) {
    if (box.w > 0 && box.h > 0) ui.frame(box.grown(ui.px(2)), colour, ui.px(3), ui.px(4));
  };
  const auto row = [&](std::int64_t query) {
    const Box first = map.cell_in_sight({query, 0}), last = map.cell_in_sight({query, d.keys - 1});
    return Box{first.x, first.y, last.right() - first.x, last.bottom() - first.y};
  };
  const auto column = [&](std::int64_t key) {
    const Box first = map.cell_in_sight({0, key}), last = map.cell_in_sight({d.queries - 1, key});
    return Box{first.x, first.y, last.right() - first.x, last.bottom() - first.y};
  };
  if (anchor.kind == Kind::Query && place(0) >= 0 && place(0) < d.queries)
    ring(row(place(0)), ui.theme.query);
  else if ((anchor.kind == Kind::Key || anchor.kind == Kind::Value) && place(0) >= 0 && place(0) < d.keys)
    ring(column(place(0)), anchor.kind == Kind::Key ? ui.theme.key : ui.theme.value);
  else if (anchor.kind == Kind::Cell && place(0) >= 0 && place(0) < d.queries && place(1) < d.keys)
    ring(map.cell_in_sight({place(0), place(1)}), ui.theme.text1);
  else if (anchor.kind == Kind::Query && anchor.places.empty())
    ring({map.cells.x - map.label_width - ui.px(14), map.cells.y, map.label_width + ui.px(10), map.cells.h},
         ui.theme.query);
  else if (anchor.kind == Kind::Key)
    ring({map.cells.x, map.cells.y - map.label_room - ui.px(6), map.cells.w, map.label_room}, ui.theme.key);
  else if (anchor.kind == Kind::Stage)
    ring(map.cells, ui.theme.text1);
}

namespace {

/// How many rows further down a token of what is shown stands in this side: what is held may have another
/// cache, whose tokens ask nothing.
std::int64_t rows_down(const LessonPage& page, const Scene& side) {
  return page.scene.result.dimensions.past - side.result.dimensions.past;
}

/// The row that is asked about, in an accent ring.
void ring_asked_row(const MapFrame& map, std::int64_t query) {
  const Ui& ui = map.ui();
  if (map.turned() || query < 0 || query >= map.scene.result.dimensions.queries) return;
  const Box first = map.cell_in_sight({query, 0});
  if (first.h < 1) return;
  ui.frame(Box{map.cells.x, first.y, map.cells.w, first.h}.grown(ui.px(2)), ui.theme.query, ui.px(2),
           ui.px(4));
}

/// At a lid the row is bracketed at its left.
void bracket_asked_row(const MapFrame& map, std::int64_t query) {
  const Ui& ui = map.ui();
  if (map.turned() || query < 0 || query >= map.scene.result.dimensions.queries) return;
  const Box cell = map.cell_in_sight({query, 0});
  const float x = map.cells.x - ui.px(8), reach = ui.px(7);
  const ImVec2 bracket[4] = {
      {x + reach, cell.y}, {x, cell.y}, {x, cell.bottom()}, {x + reach, cell.bottom()}};
  ui.polyline(bracket, ui.theme.query, ui.px(2));
}

/// "H of sat" with a track that is ln of its allowed keys long; "?" while it is covered.
void draw_row_entropy(const LessonPage& page, const Scene& side, const Box& line, float label, bool covered) {
  const Ui& ui = page.ui();
  const LayerResult& result = side.result;
  const std::int64_t row =
      std::clamp<std::int64_t>(lesson_row(page) + rows_down(page, side), 0, result.dimensions.queries - 1);
  const std::int64_t head = std::min(side.head(), result.dimensions.heads - 1);
  const RowMeasures& measures = result.measures.row(0, head, row);
  const float y = line.y + ui.px(12);
  if (label > 0)
    ui.text(line.x - ui.px(12), y, "H of " + query_label(result, 0, row),
            {type::label, ui.theme.text2, Ink::Regular, Align::Right, label});
  const Box track{line.x, y - ui.px(4), line.w - ui.px(56), ui.px(8)};
  ui.fill(track, ui.theme.bar_ground, ui.px(2));
  const double most = std::log(static_cast<double>(std::max<std::int64_t>(1, measures.allowed)));
  if (covered) {
    ui.text(line.right(), y, "?", {type::body, ui.theme.text2, Ink::Medium, Align::Right});
  } else {
    const double share = most > 0 ? std::clamp(measures.entropy / most, 0.0, 1.0) : 0;
    ui.fill({track.x, track.y, std::round(track.w * static_cast<float>(share)), track.h}, ui.theme.query,
            ui.px(2));
    ui.text(line.right(), y, fixed(measures.entropy, 2),
            {type::body, ui.theme.text1, Ink::Semibold, Align::Right});
  }
  ui.text(line.x, y + ui.px(18),
          "nats, the track is ln " + std::to_string(measures.allowed) + " = " + fixed(most, 2),
          {type::tick, ui.theme.text3, Ink::Regular, Align::Left, line.w});
}

/// "divided by √64 = 8", "not divided": in what the two sides differ, as far as a few words can say it.
std::string lesson_side_name(const LessonPage& page, const Scene& side, bool is_b) {
  const Document& document = side.result.document;
  const Document* const other =
      page.scene.held == nullptr
          ? nullptr
          : &(is_b ? page.scene.result.document : page.scene.held->result->layer().document);
  const std::int64_t d_k = scale_width(document, side.result.dimensions.d_k);
  if (other == nullptr) return is_b ? "held" : "";
  if (edit::is_divided(document) != edit::is_divided(*other)) {
    if (!edit::is_divided(document)) return "not divided";
    return "divided by √" + std::to_string(d_k) + " = " + tight(std::sqrt(static_cast<double>(d_k)));
  }
  if (document.layer().masking.causal != other->layer().masking.causal)
    return document.layer().masking.causal ? "causal mask" : "no mask";
  if (document.layer().temperature != other->layer().temperature)
    return "τ = " + fixed(static_cast<double>(document.layer().temperature), 2);
  if (document.layer().positions != other->layer().positions)
    return document.layer().positions == Positions::None ? "without positions" : "with positions";
  if (document.layer().linear != other->layer().linear)
    return document.layer().linear ? "linear attention" : "softmax attention";
  const BlockSettings &block = document.layer().block, &there = other->layer().block;
  if (block.kind != there.kind) return std::string(enum_name(block.kind).words);
  if (block.norm != there.norm && has_block(block)) return std::string(enum_name(block.norm).words);
  const bool adds = block.attention_residual && block.mlp_residual;
  if (adds != (there.attention_residual && there.mlp_residual))
    return adds ? "with residual additions" : "without residual additions";
  if (block.mlp != there.mlp) return block.mlp ? "with MLP" : "without MLP";
  if (document.input.cached != other->input.cached)
    return document.input.cached > 0 ? "with a cache" : "without a cache";
  return is_b ? "B" : "A";
}

/// What a side shows: weights are those that mix its own values, muted heads and linear attention included.
Plane lesson_plane(const LessonPage& page, const Scene& side) {
  const bool weights = !page.step.stage || *page.step.stage == "weights";
  if (weights || side.stats.tensor(side.view.stage) == nullptr) return weights_stage(side.result.document);
  return side.view.stage;
}

void draw_lesson_side(LessonPage& page, Scene& side, const Box& area, bool is_b, bool covered) {
  const Ui& ui = page.ui();
  if (area.w < ui.px(80) || area.h < ui.px(80)) return;
  if (const std::optional<Stage> vectors = lesson_vectors(page, side.result)) {
    if (const std::string name = lesson_side_name(page, side, is_b); !name.empty())
      ui.text(area.x, area.y + ui.px(10), name,
              {type::body, is_b ? ui.theme.b : ui.theme.text1, Ink::Semibold, Align::Left, area.w});
    const float top = ui.px(page.scene.held != nullptr ? 28 : 4);
    return draw_lesson_vectors(page, side, {area.x, area.y + top, area.w, area.h - top}, *vectors, is_b,
                               covered);
  }
  HeatMapStyle style{.wide_strip = false,
                     .strips = false,
                     .read_out = true,
                     .plane = lesson_plane(page, side),
                     .name = is_b ? "lesson B" : "lesson A"};
  if (const std::string name = lesson_side_name(page, side, is_b); !name.empty())
    ui.text(area.x + ui.px(74), area.y + ui.px(10), name,
            {type::body, is_b ? ui.theme.b : ui.theme.text1, Ink::Semibold, Align::Left, area.w - ui.px(74)});
  const Box map_area{area.x, area.y + ui.px(28), area.w, area.h - ui.px(28)};
  const MapFrame map = plan_map(side, map_area, 0, style);
  if (map.cells.w < 1) return;
  const std::int64_t down = rows_down(page, side);
  if (covered) {
    draw_axis_names(map);
    draw_labels(map);
    draw_lesson_lid(page, map.cells, is_b ? ui.theme.b : ui.theme.border);
    if (page.step.query) bracket_asked_row(map, *page.step.query + down);
  } else {
    draw_heat_map(side, map_area, 0, style);
    if (page.step.question && page.step.query) ring_asked_row(map, *page.step.query + down);
  }
  if (page.pointed && (!covered || page.pointed->kind != lessons::Anchor::Kind::Cell))
    ring_lesson_word(map, *page.pointed, down);
  const Box line{map.cells.x, map.cells.bottom() + ui.px(10), map.cells.w, ui.px(44)};
  if (line.bottom() <= area.bottom() + ui.px(60))
    draw_row_entropy(page, side, line, is_b ? 0 : ui.px(64), covered);
}

/// What is held, with its own row of the chosen token.
void draw_held_side(LessonPage& page, const Box& area) {
  Scene& scene = page.scene;
  const LayerResult& held = scene.held->result->layer();
  const std::int64_t down = scene.result.dimensions.past - held.dimensions.past;
  Selection moved = scene.selection;
  moved.cell.query = std::max<std::int64_t>(0, moved.cell.query + down);
  if (moved.hovered_cell)
    moved.hovered_cell->query = std::max<std::int64_t>(0, moved.hovered_cell->query + down);
  Selection own = kept_inside(moved, held.dimensions);
  Selection next = own;
  next.hovered_cell.reset();
  Scene b = scene_of_held(scene, own, next);
  draw_lesson_side(page, b, area, true, page.hides());
  if (page.covered || !next.hovered_cell) return;
  const Cell here{next.hovered_cell->query - down, next.hovered_cell->key};
  if (here.query >= 0 && is_inside(here, scene.result.dimensions)) scene.next.hovered_cell = here;
}

/// "weight  ▭▭▭▭  0 … 1"
void draw_lesson_ramp(const LessonPage& page, const Box& row) {
  const Ui& ui = page.ui();
  Scene& scene = page.scene;
  const Plane plane = lesson_plane(page, scene);
  const ColourScale scale = colour_scale(scene, plane, scene.head());
  const Box ramp{row.x + ui.px(74), row.y, std::min(ui.px(240), row.w - ui.px(90)), ui.px(8)};
  const bool weights = plane == Plane(weights_stage(scene.result.document));
  ui.text(ramp.x - ui.px(12), ramp.centre_y(), weights ? "weight" : info(plane.stage).name,
          {type::label, ui.theme.text2, Ink::Regular, Align::Right, ui.px(64)});
  draw_ramp(ui, "lesson ramp", ramp, scale, scale.low, scale.high);
  const float y = ramp.bottom() + ui.px(12);
  ui.text(ramp.x, y, tight(static_cast<double>(scale.low)), {type::tick, ui.theme.text3});
  ui.text(ramp.right(), y, tight(static_cast<double>(scale.high)),
          {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
}

}  // namespace

void draw_lesson_instrument(LessonPage& page, const Box& box) {
  const Ui& ui = page.ui();
  Scene& scene = page.scene;
  const float pad = ui.px(scene.compact ? 16 : 24);
  float y = box.y + ui.px(scene.compact ? 6 : 10);
  if (!page.step.shown.empty()) {
    y = draw_lesson_controls(page, {box.x + pad, y, box.w - 2 * pad, ui.px(36)}) + ui.px(6);
    ui.horizontal(box.x + pad, y, box.w - 2 * pad, ui.theme.hairline);
    y += ui.px(8);
  }
  // A room sees the matrices as large as they go.
  if (page.step.plot != lessons::Plot::None && !page.presented) {
    const float high = std::round(std::clamp((box.bottom() - y) * 0.28f, ui.px(104), ui.px(200)));
    draw_lesson_plot(page, {box.x + pad, y, box.w - 2 * pad, high});
    y += high + ui.px(8);
    ui.horizontal(box.x + pad, y, box.w - 2 * pad, ui.theme.hairline);
    y += ui.px(8);
  }
  const bool vectors = lesson_vectors(page, scene.result).has_value();  // with a colour bar of their own
  const float foot = vectors ? ui.px(8) : ui.px(page.presented ? 60 : 60 + 44);  // entropy and colour bar
  const Box maps{box.x + pad, y, box.w - 2 * pad, std::max(0.f, box.bottom() - y - foot)};
  const bool two = scene.held != nullptr && !scene.held->result->layer().is_long();
  const float gap = ui.px(scene.compact ? 12 : 20);
  const float alone = vectors ? maps.w : std::min(maps.w, maps.h + ui.px(120));
  const float width = two ? std::floor((maps.w - gap) / 2) : alone;
  // Of one side alone what is shown is covered; else what it is compared with.
  draw_lesson_side(page, scene, {maps.x, maps.y, width, maps.h}, false, page.hides() && !two);
  if (two) draw_held_side(page, {maps.x + width + gap, maps.y, width, maps.h});
  if (!page.presented && !vectors)
    draw_lesson_ramp(page, {maps.x, box.bottom() - ui.px(36), maps.w, ui.px(30)});
}

}  // namespace attnscope
