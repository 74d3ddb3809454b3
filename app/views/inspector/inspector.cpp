// app/views/inspector: the region at the right: four pages on the cell in sight, or on the chosen one while
// it is pinned.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/scene/picture.hpp"
#include "app/state/regions/editing_state.hpp"
#include "app/state/regions/inspector_state.hpp"
#include "app/state/regions/long_state.hpp"
#include "app/views/inspector/pages.hpp"

namespace attnscope {
namespace {

constexpr std::array<std::string_view, 4> page_names{"Cell", "Row", "Neurons", "Vectors"};
constexpr std::array<Tip, 4> page_tips{
    Tip{"Cell", "q·k → scaled → masked → weight", "One cell with every number it is made of.", "K"},
    Tip{"Row", "Σⱼ weight = 1", "All keys of the chosen query, with what the row measures.", "K"},
    Tip{"Neurons", "q ∘ k, dimension by dimension", "Which dimensions raise or lower the score.", "K"},
    Tip{"Vectors", "q, k, v, o, x, y", "The vectors behind the cell, number by number.", "K"}};

}  // namespace

std::string_view name_of(InspectorPage page) { return page_names[static_cast<std::size_t>(page)]; }
const Tip& tip_of(InspectorPage page) { return page_tips[static_cast<std::size_t>(page)]; }

/// A pushpin; its head is filled while the inspector is pinned.
void draw_pin_button(Scene& scene, const Box& box) {
  const Ui& ui = scene.ui;
  const bool on = inspector_of(scene.view).pinned;
  const Ui::Touch touch = ui.touch("Pin", box);
  if (touch.hovered || on) ui.fill(box, touch.hovered ? ui.theme.control_hover : ui.theme.control, ui.px(6));
  if (touch.focused) ui.frame(box.grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(9));
  const Rgba ink = on ? ui.theme.query : touch.hovered ? ui.theme.text1 : ui.theme.text2;
  const float x = box.centre_x(), y = box.centre_y() - ui.px(3), thick = std::max(1.f, ui.px(1.5f));
  if (on) ui.disc({x, y}, ui.px(4.5f), ink);
  ui.ring({x, y}, ui.px(4), ink, thick);
  ui.polyline(std::array{ImVec2{x, y + ui.px(4)}, ImVec2{x, y + ui.px(10)}}, ink, thick);
  tooltip(ui, touch.hovered, box,
          {on ? "Pinned" : "Follow",
           {},
           on ? "The card stays with the locked cell. A click lets it follow the mouse again."
              : "The card follows the mouse. A click keeps it with the locked cell.",
           "I"});
  if (touch.clicked) toggle_pin(scene);
}

namespace {

float draw_page(Scene& scene, const CellPlace& at, const Box& area) {
  switch (inspector_of(scene.view).page) {
    case InspectorPage::Cell: return draw_cell_page(scene, at, area);
    case InspectorPage::Row: return draw_row_page(scene, at, area);
    case InspectorPage::Neurons: return draw_neuron_page(scene, at, area);
    case InspectorPage::Vectors: break;
  }
  return draw_vector_page(scene, at, area);
}

/// A rounded tag in a token's hue, its right end at `right`. Returns its left end.
float draw_tag(const Ui& ui, float right, float y, const std::string& label, Rgba hue, float most) {
  const float width = std::min(most, ui.text_width(label, type::label, Ink::Semibold) + ui.px(20));
  const Box box{right - width, y - ui.px(12), width, ui.px(24)};
  ui.fill(box, fade(hue, 0.22f), ui.px(4));
  ui.text(box.centre_x(), y, label, {type::label, hue, Ink::Semibold, Align::Centre, width - ui.px(8)});
  return box.x;
}

}  // namespace

CellPlace inspected_place(const Scene& scene) {
  // While a number is edited the cell does not follow the mouse.
  const bool edits = editing_of(scene.view).numbers.grid.starts_with("operand ");
  return inspector_of(scene.view).pinned || edits ? chosen_place(scene) : shown_place(scene);
}

void show_next_page(Scene& scene) {
  InspectorPage& page = inspector_of(scene.view).page;
  if (scene.result.is_long()) {
    bool& around = long_view_of(scene.view).around;
    const bool last = !around && page == InspectorPage::Vectors;
    if (!around && !last) page = page == InspectorPage::Cell ? InspectorPage::Row : InspectorPage::Vectors;
    if (around) page = InspectorPage::Cell;
    around = last;
    return;
  }
  page = static_cast<InspectorPage>((static_cast<int>(page) + 1) % static_cast<int>(page_names.size()));
}

void toggle_pin(Scene& scene) {
  bool& pinned = inspector_of(scene.view).pinned;
  pinned = !pinned;
  if (!pinned) return;
  scene.next.choose(scene.cell());
  scene.next.head = scene.head();
}

float draw_readout(const Scene& scene, const CellPlace& at, const Box& line, std::string_view number,
                   Tags tags) {
  const Ui& ui = scene.ui;
  const float y = line.centre_y();
  const float width = ui.text(line.x, y, number, {type::readout, ui.theme.text1, Ink::Semibold});
  const float room = line.w - width - ui.px(12);
  float right = line.right();
  const bool both = tags == Tags::QueryAndKey;
  const float arrow = ui.text_width("→", type::label) + ui.px(12);
  const float most = std::min(ui.px(112), std::floor(both ? (room - arrow) / 2 : room));
  if (most < ui.px(24)) return width;
  if (both) {
    right = draw_tag(ui, right, y, key_label(scene.result, at.b, at.key), ui.theme.key, most) - ui.px(6);
    right -= ui.text(right, y, "→", {type::label, ui.theme.text3, Ink::Regular, Align::Right}) + ui.px(6);
  }
  right = draw_tag(ui, right, y, query_label(scene.result, at.b, at.query), ui.theme.query, most);
  // While pinned, another head may be previewed: the tag shows the pinned one.
  if (inspector_of(scene.view).pinned && right - ui.px(28) > line.x + width + ui.px(12)) {
    const Rgba hue = ui.theme.head(at.h);
    badge(ui, {right - ui.px(26), y - ui.px(8), ui.px(20), ui.px(16)}, std::to_string(at.h), hue,
          ink_on(hue));
  }
  return width;
}

void point_at_key(Scene& scene, const CellPlace& at, std::int64_t key, const Ui::Touch& touch) {
  const Cell cell{at.query, key};
  if (touch.hovered) scene.next.hovered_cell = cell;
  if (!touch.clicked) return;
  scene.next.choose(cell);
}

std::string score_text(double score) { return std::abs(score) < 1e4 ? fixed(score, 2) : tight(score); }

bool link(const Ui& ui, const char* label, const Box& box, std::string_view text, const Tip& tip) {
  const Ui::Touch touch = ui.touch(label, box);
  const float width = ui.text(
      box.x, box.centre_y(), text,
      {type::tick, touch.hovered ? ui.theme.text1 : ui.theme.text3, Ink::Regular, Align::Left, box.w});
  if (touch.hovered || touch.focused)
    ui.horizontal(box.x, box.centre_y() + ui.px(8), width, touch.focused ? ui.theme.query : ui.theme.text3);
  tooltip(ui, touch.hovered, box, tip);
  return touch.clicked;
}

void draw_inspector(Scene& scene, const Box& region) {
  const Ui& ui = scene.ui;
  const float pad = ui.px(scene.compact ? 14 : 20), title = ui.px(44);
  ui.vertical(region.x, region.y, region.h, ui.theme.hairline);
  const float x = region.x + pad, width = region.w - 2 * pad, side = ui.px(26);
  const float y = region.y + ui.px(22) - side / 2;
  draw_pin_button(scene, {x + width - side, y, side, side});
  const float tabs = std::min(width - side - ui.px(8), ui.px(256));
  if (const auto page = segments(ui, "Inspector", {x, y, tabs, side}, page_names,
                                 static_cast<int>(inspector_of(scene.view).page), page_tips,
                                 {.text_size = tabs < ui.px(240) ? type::tick : type::label}))
    inspector_of(scene.view).page = static_cast<InspectorPage>(*page);

  draw_chosen_page(scene, {region.x + 1, region.y + title, region.w - 1, region.h - title});
}

void draw_chosen_page(Scene& scene, const Box& page) {
  const Ui& ui = scene.ui;
  if (page.h < ui.px(40)) return;
  const float pad = ui.px(scene.compact ? 14 : 20), x = page.x - 1 + pad, width = page.w + 1 - 2 * pad;
  ImGui::SetCursorScreenPos(page.min());
  ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, ui.px(8));
  ImGui::BeginChild(std::string(page_names[static_cast<std::size_t>(inspector_of(scene.view).page)]).c_str(),
                    {page.w, page.h}, ImGuiChildFlags_NavFlattened, ImGuiWindowFlags_NoBackground);
  const float top = ImGui::GetCursorScreenPos().y;
  const float bottom = draw_page(scene, inspected_place(scene), {x, top, width, page.h - ui.px(12)});
  ImGui::SetCursorScreenPos({page.x, bottom - 1});
  ImGui::Dummy({1, 1});
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace attnscope
