// app/views: all heads as live thumbnails under one shared range, so that sinks and diffuse heads can be
// compared.
#include <algorithm>
#include <cmath>

#include "app/number_format.hpp"
#include "app/picture.hpp"
#include "core/stages/run_stage.hpp"

namespace attnscope {
namespace {

struct Grid {
  int columns = 2;
  float side = 0, row_height = 0;  // side: the longer one of a picture
};

/// How wide and high a picture with square cells is, as parts of its longer side.
struct Aspect {
  explicit Aspect(const Dimensions& d)
      : wide(std::min(1.f, static_cast<float>(d.keys) / static_cast<float>(d.queries))),
        high(std::min(1.f, static_cast<float>(d.queries) / static_cast<float>(d.keys))) {}
  Box picture(const Ui& ui, float x, float y, float side) const {
    return {x, y, std::max(ui.px(12), std::floor(side * wide)), std::max(ui.px(12), std::floor(side * high))};
  }
  float wide, high;
};

float row_gap(const Ui& ui) { return ui.px(6); }

/// The number of columns that makes the pictures largest without scrolling; below a readable size the grid
/// scrolls.
Grid fit(const Ui& ui, const Box& area, std::int64_t heads, const Aspect& aspect) {
  const float gap = ui.px(12), label = ui.px(24), least = ui.px(40);  // label: 20 high and 4 of air
  Grid best;
  for (int columns = heads == 1 ? 1 : 2; columns <= 6; ++columns) {
    const float width =
        std::floor((area.w - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns));
    const auto rows = static_cast<float>((heads + columns - 1) / columns);
    const float height = std::floor((area.h / rows - label - row_gap(ui)) / aspect.high);
    const float side = std::min(width, height);
    if (side > best.side) best = {columns, side, aspect.picture(ui, 0, 0, side).h + label + row_gap(ui)};
  }
  if (best.side < least) {
    const int columns = 4;
    const float side = std::floor((area.w - gap * 3) / columns);
    best = {columns, side, aspect.picture(ui, 0, 0, side).h + label + row_gap(ui)};
  }
  return best;
}

/// How much the hovered token of the strip matters to this head: the most any of its cells gives it, 0..1. A
/// row with one allowed key gives it everything without a choice and does not count.
float relevance(const Scene& scene, std::int64_t h) {
  if (!scene.selection.hovered_token) return 1;
  const auto weights = matrix_of(scene.result, weights_stage(scene.result.document), scene.sequence(), h);
  const std::int64_t token = *scene.selection.hovered_token;
  const bool forward = scene.view.direction == Direction::QueryToKeys;
  if (token >= (forward ? weights.cols() : weights.rows())) return 1;
  float most = 0;
  for (std::int64_t i = 0; i < (forward ? weights.rows() : weights.cols()); ++i) {
    const std::int64_t query = forward ? i : token, key = forward ? token : i;
    if (scene.result.measures.row(scene.sequence(), h, query).allowed < 2) continue;
    if (const float w = weights(query, key); w > most) most = w;
  }
  return 0.22f + 0.78f * std::min(1.f, most);
}

void draw_thumbnail(Scene& scene, const Box& box, std::int64_t h) {
  const Ui& ui = scene.ui;
  const float label_height = ui.px(20);
  const bool chosen = h == scene.selection.head, shown = h == scene.head();
  const Aspect aspect(scene.result.dimensions);
  const Box picture = aspect.picture(ui, box.x, box.y + label_height + ui.px(4), box.w);
  const std::string id = "head " + std::to_string(h);
  const Ui::Touch touch = ui.touch(id.c_str(), {box.x, box.y, box.w, picture.bottom() - box.y});

  const float badge_width =
      std::max(ui.px(18), ui.text_width(std::to_string(h), type::tick, Ink::Semibold) + ui.px(8));
  const Box tag{box.right() - badge_width, box.y + ui.px(2), badge_width, ui.px(16)};
  const Rgba hue = ui.theme.head(h);
  badge(ui, tag, std::to_string(h), chosen ? hue : fade(hue, 0.22f), chosen ? ink_on(hue) : hue);
  ui.text(box.x, box.y + label_height / 2, head_name(scene.result, h, box.w < ui.px(100)),
          {box.w < ui.px(80) ? 12.f : type::tick, chosen || shown ? ui.theme.text1 : ui.theme.text2,
           chosen ? Ink::Medium : Ink::Regular, Align::Left, box.w - badge_width - ui.px(2)});

  const ColourScale scale = colour_scale(scene, scene.view.stage, h);
  draw_matrix(scene, id.c_str(), picture, scene.view.stage, scene.sequence(), h, scale, relevance(scene, h));
  if (chosen) {
    ui.frame(picture.grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(4));
  } else if (touch.hovered || touch.focused) {
    ui.frame(picture.grown(ui.px(3)), ui.theme.text3, std::max(1.f, ui.px(1)), ui.px(4));
  }
  if (touch.hovered) scene.next.hovered_head = h;
  if (touch.clicked) scene.next.head = h;
  const HeadMeasures& m = scene.result.measures.head(scene.sequence(), h);
  const std::string title = "Head " + std::to_string(h) + " · " + head_name(scene.result, h);
  const std::string facts = "mean H " + fixed(m.entropy, 2) + " nats, " +
                            (std::isnan(m.normalised) ? "n/a" : fixed(100 * m.normalised, 0) + " %") +
                            " of ln(allowed); largest weight " + fixed(m.largest, 2);
  tooltip(ui, touch.hovered, picture, {title, facts, "A click keeps this head in the focus.", "[ ]"});
}

}  // namespace

void draw_heads(Scene& scene, const Box& region) {
  const Ui& ui = scene.ui;
  const float pad = ui.px(scene.compact ? 12 : 16);
  const float title = region.y + ui.px(22);
  ui.text(region.x + pad, title, "Heads", {type::body, ui.theme.text1, Ink::Semibold});
  const Plane plane = scene.view.stage;
  const bool whole = is_weights(plane) && plane.stage != Stage::Drop && scene.view.range == RangeMode::All;
  const std::string note = whole ? "range 0 … 1, all" : std::string(words(scene.result.document, plane).name);
  ui.text(region.right() - pad, title, note, {type::tick, ui.theme.text3, Ink::Regular, Align::Right});

  const Box area{region.x + pad, region.y + ui.px(40), region.w - 2 * pad, region.h - ui.px(44)};
  const std::int64_t heads = scene.result.dimensions.heads;
  const Grid grid = fit(ui, area, heads, Aspect(scene.result.dimensions));
  ImGui::SetCursorScreenPos({region.x, area.y});
  ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, ui.px(8));
  ImGui::BeginChild("heads", {region.w, area.h}, ImGuiChildFlags_None, ImGuiWindowFlags_NoBackground);
  const float top = ImGui::GetCursorScreenPos().y;
  const float gap = ui.px(12);
  for (std::int64_t h = 0; h < heads; ++h) {
    const auto column = static_cast<float>(h % grid.columns);
    const auto row = static_cast<float>(h / grid.columns);
    const Box box{area.x + column * (grid.side + gap), std::round(top + row * grid.row_height), grid.side,
                  grid.row_height};
    if (box.bottom() < area.y || box.y > area.bottom()) continue;  // only what is in view is painted
    draw_thumbnail(scene, box, h);
  }
  const auto rows = static_cast<float>((heads + grid.columns - 1) / grid.columns);
  ImGui::SetCursorScreenPos({region.x, top + rows * grid.row_height - 1});
  ImGui::Dummy({1, 1});
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ui.vertical(region.right() - 1, region.y, region.h, ui.theme.hairline);
}

}  // namespace attnscope
