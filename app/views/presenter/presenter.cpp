#include "app/views/presenter/presenter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/kit/widgets/card_window.hpp"
#include "app/scene/page_facts.hpp"
#include "app/scene/scene.hpp"
#include "app/state/window_state.hpp"

namespace attnscope {

PresentedView::PresentedView(ViewState& view, ImVec2 size)
    : view_(view), on_(view.presenter->on), scale_(view.scale), theme_(view.theme) {
  if (!on_) return;
  // At this scale the smallest letters of the page are those of ticks; 584 logical pixels of height hold a
  // step of a lesson.
  constexpr float page_height = 584;
  view_.scale = std::max({least_presented_letter / type::tick, size.y / page_height, scale_});
  if (theme_ == ThemeName::Dark) view_.theme = ThemeName::Contrast;
}
void PresentedView::end() {
  if (!std::exchange(on_, false)) return;
  view_.scale = scale_;
  view_.theme = theme_;
}

Layout presented_layout(const ViewState& view, ImVec2 size) {
  Layout l;
  l.compact = true;
  const float foot = std::round((size.x < narrow_room * view.scale ? 36 : 44) * view.scale);
  const float bottom = std::max(0.f, size.y - foot);
  l.top = {0, 0, size.x, 0};
  l.status = {0, bottom, size.x, foot};
  l.whole = {0, 0, size.x, bottom};
  if (view.mode != Mode::Explore) return l;
  l.focus = l.whole;
  return l;
}

void toggle_presenter(Scene& scene) {
  PresenterState& state = *scene.view.presenter;
  state.on = !state.on;
  state.began = std::chrono::steady_clock::now();
  state.returns = false;
  state.tool = PresenterTool::None;
  state.draws = state.types = false;
  if (!state.on) state.marks.clear();
}

namespace {

void turn_tool(Scene& scene, PresenterTool tool) {
  PresenterState& state = *scene.view.presenter;
  state.tool = state.tool == tool ? PresenterTool::None : tool;
  state.draws = state.types = false;
}

}  // namespace

void toggle_pen(Scene& scene) { turn_tool(scene, PresenterTool::Pen); }
void toggle_arrow(Scene& scene) { turn_tool(scene, PresenterTool::Arrow); }
void toggle_presenter_text(Scene& scene) { turn_tool(scene, PresenterTool::Text); }

void clear_marks(Scene& scene) {
  PresenterState& state = *scene.view.presenter;
  state.marks.clear();
  state.draws = state.types = false;
}
void take_back_mark(Scene& scene) {
  PresenterState& state = *scene.view.presenter;
  if (!state.marks.empty()) state.marks.pop_back();
  state.draws = state.types = false;
}

void take_presenter_mouse(Scene& scene, const Layout& layout) {
  PresenterState& state = *scene.view.presenter;
  if (state.tool == PresenterTool::None) return;
  const Ui& ui = scene.ui;
  const Box area{0, 0, layout.status.right(), layout.status.bottom()};
  // Above every region, including those that scroll.
  const CardWindow above(ui, "Annotations above", area,
                         ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground);
  const Ui::Touch touch = ui.touch("Annotations", area, false);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const std::array<float, 2> point{mouse.x / area.w, mouse.y / area.h};
  if (state.tool == PresenterTool::Text) {
    if (touch.clicked) {
      state.marks.push_back({.kind = PresenterTool::Text, .points = {point}, .text = {}});
      state.types = true;
    }
    return;
  }
  if (!touch.held) {
    state.draws = false;
    return;
  }
  if (!state.draws) {
    state.marks.push_back({.kind = state.tool, .points = {point, point}, .text = {}});
    state.draws = true;
    return;
  }
  PresenterMark& mark = state.marks.back();
  if (mark.kind == PresenterTool::Arrow)
    mark.points.back() = point;
  else if (mark.points.back() != point)
    mark.points.push_back(point);
}

namespace {

constexpr Rgba mark_colour = 0xFF3CC8FFu;  // amber: the ground of no picture of the instrument

void draw_arrow(const Ui& ui, ImVec2 from, ImVec2 to) {
  const float dx = to.x - from.x, dy = to.y - from.y, length = std::hypot(dx, dy);
  const std::array<ImVec2, 2> line{from, to};
  ui.polyline(line, mark_colour, ui.px(3));
  if (length < 1) return;
  const float size = ui.px(12), ux = dx / length, uy = dy / length;
  const std::array<ImVec2, 3> head{to,
                                   {to.x - size * (ux + 0.5f * uy), to.y - size * (uy - 0.5f * ux)},
                                   {to.x - size * (ux - 0.5f * uy), to.y - size * (uy + 0.5f * ux)}};
  ui.area(head, mark_colour);
}

/// A text mark that is being typed: Enter or Esc ends it; an empty one is removed.
void type_mark(Scene& scene, ImVec2 at, PresenterMark& mark) {
  const Ui& ui = scene.ui;
  PresenterState& state = *scene.view.presenter;
  const Box box{at.x, at.y - ui.px(18), ui.px(280), ui.px(36)};
  ImGui::SetKeyboardFocusHere();
  text_field(ui, "##Annotation", box, mark.text, "Type, then Enter", true);
  if (!ImGui::IsKeyPressed(ImGuiKey_Enter) && !ImGui::IsKeyPressed(ImGuiKey_Escape)) return;
  state.types = false;
  state.tool = PresenterTool::None;
  if (mark.text.empty()) state.marks.pop_back();
}

void draw_marks(Scene& scene, const Box& area) {
  const Ui& ui = scene.ui;
  PresenterState& state = *scene.view.presenter;
  const auto place = [&](const std::array<float, 2>& p) { return ImVec2{p[0] * area.w, p[1] * area.h}; };
  for (std::size_t i = 0; i < state.marks.size(); ++i) {
    PresenterMark& mark = state.marks[i];
    std::vector<ImVec2> points;
    for (const auto& point : mark.points) points.push_back(place(point));
    switch (mark.kind) {
      case PresenterTool::Pen: ui.polyline(points, mark_colour, ui.px(3)); break;
      case PresenterTool::Arrow: draw_arrow(ui, points.front(), points.back()); break;
      case PresenterTool::Text:
        if (state.types && i + 1 == state.marks.size()) return type_mark(scene, points.front(), mark);
        ui.text(points.front().x, points.front().y, own(mark.text),
                {type::title, mark_colour, Ink::Semibold});
        break;
      case PresenterTool::None: break;
    }
  }
}

void draw_halo(const Ui& ui) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!ImGui::IsMousePosValid(&mouse)) return;
  ui.disc(mouse, ui.px(20), fade(mark_colour, 0.24f));
  ui.ring(mouse, ui.px(20), fade(mark_colour, 0.8f), ui.px(1.5f));
}

std::string name_of_press() {
  const ImGuiIO& io = ImGui::GetIO();
  for (int key = ImGuiKey_NamedKey_BEGIN; key < ImGuiKey_NamedKey_END; ++key) {
    const auto named = static_cast<ImGuiKey>(key);
    const bool is_modifier = named >= ImGuiKey_LeftCtrl && named <= ImGuiKey_RightSuper;
    const bool is_key = named < ImGuiKey_GamepadStart;
    if (!is_key || is_modifier || !ImGui::IsKeyPressed(named, false)) continue;
    std::string name;
    if (io.KeyCtrl) name += inner("Ctrl+");
    if (io.KeyShift) name += inner("Shift+");
    switch (named) {
      case ImGuiKey_LeftArrow: return name + "←";
      case ImGuiKey_RightArrow: return name + "→";
      case ImGuiKey_UpArrow: return name + "↑";
      case ImGuiKey_DownArrow: return name + "↓";
      case ImGuiKey_PageDown: return name + inner("Page Down");
      case ImGuiKey_PageUp: return name + inner("Page Up");
      default: return name + inner(ImGui::GetKeyName(named));
    }
  }
  return {};
}

/// The cap of the last pressed key, at the right end of the foot.
float draw_pressed(Scene& scene, const Box& foot) {
  constexpr double shown_for = 1.5;  // seconds
  const Ui& ui = scene.ui;
  PresenterState& state = *scene.view.presenter;
  if (!ImGui::GetIO().WantTextInput)
    if (std::string name = name_of_press(); !name.empty()) {
      state.pressed = std::move(name);
      state.pressed_until = ImGui::GetTime() + shown_for;
    }
  if (state.pressed.empty() || ImGui::GetTime() >= state.pressed_until) return foot.right() - ui.px(16);
  const std::string key = own(state.pressed);
  const float width = std::max(ui.px(28), ui.text_width(key, type::body, Ink::Semibold) + ui.px(16));
  const Box cap{foot.right() - ui.px(16) - width, foot.centre_y() - ui.px(14), width, ui.px(28)};
  ui.fill(cap, ui.theme.query, ui.px(4));
  ui.text(cap.centre_x(), cap.centre_y(), key, {type::body, ui.theme.canvas, Ink::Semibold, Align::Centre});
  return cap.x - ui.px(12);
}

std::vector<PresenterKey> presenter_keys(const Scene& scene) {
  std::vector<PresenterKey> keys;
  if (const PageFacts* const page = page_facts_of(scene.view.mode);
      page != nullptr && page->presenter_keys != nullptr)
    keys = page->presenter_keys(scene);
  keys.insert(std::ranges::find(keys, GivesWay::Notes, &PresenterKey::gives_way),
              {{"F5", "end"},
               {"P", "pen", PresenterTool::Pen, GivesWay::ToolNames},
               {"A", "arrow", PresenterTool::Arrow, GivesWay::ToolNames},
               {"W", "words", PresenterTool::Text, GivesWay::ToolNames},
               {"C", "clear", PresenterTool::None, GivesWay::Clearing}});
  return keys;
}

/// The widths of a key's cap and text; keys with the same text are closer to each other.
struct PresenterKeyWidths {
  float cap, words, whole;
};
PresenterKeyWidths widths_of(const Ui& ui, const PresenterKey& key) {
  const float cap = std::max(ui.px(22), ui.text_width(key.key, type::tick) + ui.px(12));
  if (key.does.empty()) return {cap, 0, cap + ui.px(6)};
  const float words = ui.text_width(key.does, type::tick);
  return {cap, words, cap + ui.px(8) + words + ui.px(18)};
}

/// As many of the keys as fit.
std::vector<PresenterKey> keys_in_room(const Ui& ui, std::vector<PresenterKey> keys, float room) {
  const auto is_too_wide = [&] {
    float width = -ui.px(18);
    for (const PresenterKey& key : keys) width += widths_of(ui, key).whole;
    return width > room;
  };
  for (const GivesWay next : {GivesWay::Notes, GivesWay::ToolNames, GivesWay::Leaving, GivesWay::Votes,
                              GivesWay::Choices, GivesWay::Clearing}) {
    if (!is_too_wide()) break;
    if (next != GivesWay::ToolNames) {
      std::erase_if(keys, [&](const PresenterKey& key) { return key.gives_way == next; });
      continue;
    }
    for (PresenterKey& key : keys)
      if (key.gives_way == next) key.does = key.tool == PresenterTool::Text ? "draw" : "";
  }
  return keys;
}

/// The keys and their effects. The place of the last pressed key stays free, so that they do not move.
void draw_presenter_keys(const Scene& scene, const Box& foot, float right) {
  const Ui& ui = scene.ui;
  float x = foot.x + ui.px(16);
  const float pressed = ui.text_width("Page Down", type::body, Ink::Semibold) + ui.px(28);
  const float room = foot.right() - ui.px(16) - pressed - x;
  for (const PresenterKey& key : keys_in_room(ui, presenter_keys(scene), room)) {
    const auto [cap, words, whole] = widths_of(ui, key);
    if (x + cap + ui.px(8) + words > right) return;
    const Box box{x, foot.centre_y() - ui.px(11), cap, ui.px(22)};
    const bool taken = key.tool != PresenterTool::None && key.tool == scene.view.presenter->tool;
    if (taken)
      ui.fill(box, mark_colour, ui.px(4));
    else
      ui.frame(box, ui.theme.border, std::max(1.f, std::floor(ui.scale())), ui.px(4));
    ui.text(box.centre_x(), box.centre_y(), key.key,
            {type::tick, taken ? ui.theme.canvas : ui.theme.text1, Ink::Regular, Align::Centre});
    if (words > 0) ui.text(box.right() + ui.px(8), box.centre_y(), key.does, {type::tick, ui.theme.text2});
    x += whole;
  }
}

}  // namespace

void draw_presenter(Scene& scene, const Layout& layout) {
  const Ui& ui = scene.ui;
  const Box& foot = layout.status;
  ui.horizontal(ui.px(16), foot.y, foot.w - ui.px(32), ui.theme.hairline);
  const float right = draw_pressed(scene, foot);
  draw_presenter_keys(scene, foot, right);
  draw_marks(scene, {0, 0, foot.right(), foot.bottom()});
  draw_halo(ui);
}

}  // namespace attnscope
