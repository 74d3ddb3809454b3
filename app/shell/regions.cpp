// app/shell: which regions a mode has, and the card with a message above them.
#include "app/shell/regions.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <imgui_internal.h>

#include "app/kit/widgets/keyboard_focus.hpp"
#include "app/kit/widgets/widgets.hpp"
#include "app/scene/scene.hpp"
#include "app/shell/page.hpp"
#include "app/state/regions/editing_state.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/inspector_state.hpp"
#include "app/state/regions/long_state.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/state/watch/watch_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/frame/model_crumb.hpp"
#include "app/views/long/long_parts.hpp"
#include "app/views/neuron/neuron_view.hpp"
#include "app/views/parts/refusal.hpp"
#include "app/views/parts/unknown.hpp"
#include "app/views/start/start.hpp"
#include "app/views/watch/watch.hpp"

namespace attnscope {
namespace {

bool is_visible(const Box& box) { return box.w >= 8 && box.h >= 8; }

/// The tab at the window's right edge that slides the inspector over the picture and away again.
void draw_tab(Scene& scene, const Box& tab) {
  const Ui& ui = scene.ui;
  bool& open = regions_of(scene.view).drawer;
  const Ui::Touch touch = ui.touch("Inspector drawer", tab);
  if (touch.hovered) ui.fill(tab, ui.theme.control_hover);
  ui.vertical(tab.x, tab.y, tab.h, ui.theme.hairline);
  if (touch.focused) ui.frame(tab, ui.theme.query, ui.px(2));
  const Rgba ink = open ? ui.theme.query : touch.hovered ? ui.theme.text1 : ui.theme.text2;
  const float x = tab.centre_x(), y = tab.y + ui.px(20), r = ui.px(4) * (open ? 1.f : -1.f);
  const ImVec2 chevron[3] = {{x - r / 2, y - ui.px(4)}, {x + r / 2, y}, {x - r / 2, y + ui.px(4)}};
  ui.polyline(chevron, ink, ui.px(1.5f));
  const float width = ui.text_width("Inspector", type::label, Ink::Medium);
  if (tab.h > width + ui.px(64))
    ui.upright_text(x, std::round(tab.y + ui.px(36) + width), "Inspector", {type::label, ink, Ink::Medium});
  tooltip(ui, touch.hovered, tab,
          {open ? "Close the inspector" : "Open the inspector",
           {},
           "The window is narrow: the numbers behind the cell slide over the picture.",
           "5"});
  if (touch.clicked) open = !open;
}

/// The inspector in a window of its own, so that the mouse does not reach what is below it.
void draw_drawer(Scene& scene, const Box& box) {
  const Ui& ui = scene.ui;
  ui.fill({box.x - ui.px(6), box.y, ui.px(6), box.h}, 0x30000000u);
  ImGui::SetCursorScreenPos(box.min());
  ImGui::PushStyleColor(ImGuiCol_ChildBg, 0);
  ImGui::BeginChild("Drawer", {box.w, box.h}, ImGuiChildFlags_NavFlattened,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ui.fill(box, ui.theme.panel);
  if (scene.result.is_long()) {
    draw_long_side(scene, box);
  } else {
    draw_inspector(scene, box);
  }
  ImGui::EndChild();
  ImGui::PopStyleColor();
}

/// Draws A, or the held B with everything that belongs to it.
void draw_long_explore(Scene& scene, const Layout& layout) {
  const bool is_b = long_side(scene) == LongSide::B && why_no_long_difference(scene).empty();
  std::optional<Scene> held;
  Scene& shown = is_b ? held.emplace(scene_of_held(scene)) : scene;
  if (is_visible(layout.focus)) draw_long_map(shown, layout.focus);
  if (is_visible(layout.inspector) && !layout.drawer) draw_long_side(shown, layout.inspector);
  if (is_visible(layout.controls)) draw_long_controls(shown, layout.controls);
  if (is_visible(layout.tab)) draw_tab(shown, layout.tab);
  if (layout.drawer && is_visible(layout.inspector)) draw_drawer(shown, layout.inspector);
}

void draw_long_regions(Scene& scene, const Layout& layout) {
  const Page* const page = page_of_mode(scene.pages, scene.view.mode);
  if (page != nullptr && page->facts().draws_long) {
    page->draw(scene, layout.whole);
  } else {
    draw_splitters(scene.ui, layout, scene.view);
    draw_long_explore(scene, layout);
  }
  draw_top_bar(scene, layout.top);
  draw_status(scene, layout.status);
}

/// The groups of widgets between which F6 moves, in the order of drawing, which is that of Tab.
class Stops {
 public:
  Stops(Scene& scene, std::vector<Stop> there) : keyboard_(scene.view.keyboard) {
    const int turn = std::exchange(keyboard_.turn, 0);
    if (turn == 0 || there.empty()) return;
    const auto count = static_cast<int>(there.size());
    const auto now = keyboard_.now ? std::find(there.begin(), there.end(), *keyboard_.now) : there.end();
    const auto at = static_cast<int>(now - there.begin());
    const int next = now == there.end() ? (turn > 0 ? 0 : count - 1) : (at + turn + count) % count;
    keyboard_.wanted = there[static_cast<std::size_t>(next)];
  }

  /// Draws a group, gives its first widget the keyboard if the group is wanted, and notes whether the group
  /// has it.
  template <class Draw>
  void draw(Stop stop, bool asks_itself, const Draw& group) {
    if (keyboard_.wanted == stop && !asks_itself) {
      take_keyboard(keyboard_);
      now_ = stop;
    }
    const bool was_seen = ImGui::GetCurrentContext()->NavIdIsAlive;
    group();
    if (!was_seen && ImGui::GetCurrentContext()->NavIdIsAlive) now_ = stop;
  }

  ~Stops() {
    keyboard_.now = keyboard_.wanted ? keyboard_.wanted : now_;
    keyboard_.wanted.reset();
  }
  Stops(const Stops&) = delete;
  Stops& operator=(const Stops&) = delete;

 private:
  KeyboardState& keyboard_;
  std::optional<Stop> now_;
};

/// The bars above and below the regions; none in presenter mode.
void draw_bars(Scene& scene, const Layout& layout, Stops& stops) {
  if (!is_visible(layout.top)) return;
  stops.draw(Stop::TopBar, false, [&] { draw_top_bar(scene, layout.top); });
  draw_status(scene, layout.status);
}

void draw_explore_focus(Scene& scene, const Box& box) {
  if (inspector_of(scene.view).expanded) {
    draw_large_neurons(scene, box);
  } else {
    draw_focus(scene, box);
  }
}

void draw_explore(Scene& scene, const Layout& layout, Stops& stops) {
  const ViewState& view = scene.view;
  if (is_visible(layout.controls))
    stops.draw(Stop::Controls, false, [&] { draw_controls(scene, layout.controls); });
  if (is_visible(layout.heads)) stops.draw(Stop::Heads, false, [&] { draw_heads(scene, layout.heads); });
  const bool map = !inspector_of(view).expanded && !stage_look_of(view).vectors &&
                   !editing_of(view).weights && !focus_of(view).lines;
  if (is_visible(layout.focus))
    stops.draw(Stop::Focus, map, [&] { draw_explore_focus(scene, layout.focus); });
  if (is_visible(layout.inspector) && !layout.drawer)
    stops.draw(Stop::Inspector, false, [&] { draw_inspector(scene, layout.inspector); });
  if (is_visible(layout.start)) draw_start(scene, layout.start);
  if (is_visible(layout.tab)) draw_tab(scene, layout.tab);
  if (layout.drawer && is_visible(layout.inspector))
    stops.draw(Stop::Inspector, false, [&] { draw_drawer(scene, layout.inspector); });
  if (!is_visible(layout.signals)) return;
  stops.draw(Stop::Signals, false, [&] {
    layout.folded ? draw_folded_signals(scene, layout.signals) : draw_signals(scene, layout.signals);
  });
}

/// The groups of this mode and window.
std::vector<Stop> stops_in(const Scene& scene, const Layout& layout) {
  std::vector<Stop> there;
  if (is_visible(layout.strip)) there.push_back(Stop::Sentence);
  if (scene.view.mode == Mode::Explore) {
    if (is_visible(layout.controls)) there.push_back(Stop::Controls);
    if (is_visible(layout.heads)) there.push_back(Stop::Heads);
    if (is_visible(layout.focus)) there.push_back(Stop::Focus);
    if (is_visible(layout.inspector)) there.push_back(Stop::Inspector);
    if (is_visible(layout.signals) && !layout.folded) there.push_back(Stop::Signals);
  } else if (is_visible(layout.whole)) {
    there.push_back(Stop::Focus);
  }
  there.push_back(Stop::TopBar);
  return there;
}

/// All regions of a result whose numbers are all kept.
void draw_short_regions(Scene& scene, const Layout& layout) {
  // Dear ImGui gives a click to the first widget drawn under the mouse: what floats comes first in input,
  // last in paint. Tab goes in the order of drawing: the sentence first.
  ViewState& view = scene.view;
  view.keyboard.on_map = false;
  Stops stops(scene, stops_in(scene, layout));
  if (view.mode == Mode::Explore) draw_splitters(scene.ui, layout, view);
  if (is_visible(layout.strip))
    stops.draw(Stop::Sentence, has_text_field(scene), [&] {
      draw_token_strip(scene, layout.strip);
      draw_model_crumb(scene, layout.strip);
      draw_watch_way_back(scene, layout.strip);
    });
  if (view.mode == Mode::Explore) {
    draw_explore(scene, layout, stops);
  } else if (is_visible(layout.whole)) {
    stops.draw(Stop::Focus, false, [&] {
      if (const Page* const page = page_of_mode(scene.pages, view.mode))
        return page->draw(scene, layout.whole);
    });
  }
  draw_bars(scene, layout, stops);
}

/// The Watch page, whatever is open.
void draw_watch_regions(Scene& scene, const Layout& layout) {
  scene.view.keyboard.on_map = false;
  Stops stops(scene, {Stop::Sentence, Stop::Focus, Stop::TopBar});
  if (is_visible(layout.strip))
    stops.draw(Stop::Sentence, false, [&] { draw_watch_strip(scene, layout.strip); });
  if (is_visible(layout.whole)) stops.draw(Stop::Focus, false, [&] { draw_watch(scene, layout.whole); });
  draw_bars(scene, layout, stops);
}

/// A page between the two bars, whatever is open.
void draw_page_regions(Scene& scene, const Layout& layout) {
  scene.view.keyboard.on_map = false;
  Stops stops(scene, {Stop::Focus, Stop::TopBar});
  if (is_visible(layout.whole))
    stops.draw(Stop::Focus, false, [&] {
      if (const Page* const page = page_of_mode(scene.pages, scene.view.mode))
        page->draw(scene, layout.whole);
    });
  draw_bars(scene, layout, stops);
}

}  // namespace

void take_keyboard(KeyboardState& keyboard) {
  take_keyboard_here();
  ImGui::SetNavCursorVisible(true);
  keyboard.wanted.reset();
}

void draw_regions(Scene& scene, const Layout& layout) {
  SentenceState& sentence = scene.view.keyboard.sentence;
  const bool has_field = is_visible(layout.strip) && !is_watching(scene.view) && !scene.result.is_long() &&
                         has_text_field(scene);
  if (!has_field) {
    sentence.active = sentence.wide = false;
    // The strip may be shown a frame later; after `patience` frames its field is no longer waited for.
    constexpr int patience = 3;  // frames
    if (sentence.wanted && sentence.waited++ >= patience) sentence.wanted = false;
  }
  for (const auto& page : scene.pages)
    if (page->facts().mode != scene.view.mode) page->rest(scene.view);
  // Only Compare shows two different heads side by side.
  if (scene.view.mode != Mode::Compare) scene.stats.pair_heads(-1, -1);
  if (is_watching(scene.view)) {
    draw_watch_regions(scene, layout);
  } else if (is_page(scene.view.mode)) {
    draw_page_regions(scene, layout);
  } else if (scene.result.is_long()) {
    draw_long_regions(scene, layout);
  } else {
    draw_short_regions(scene, layout);
  }
  draw_refusal(scene, layout);
  for (const auto& page : scene.pages) page->draw_cards(scene);
}

void draw_sought(const Ui& ui, Sought& sought) {
  if (sought.label.empty()) return;
  const double now = ImGui::GetTime();
  if (sought.until > 0) {
    if (now >= sought.until) {
      sought = {};
    } else if (sought.box.w > 0 && sought.box.h > 0) {
      const Box ring = sought.box.grown(ui.px(3));
      ImGui::GetForegroundDrawList()->AddRect(ring.min(), ring.max(), ui.theme.query, ui.px(8), 0, ui.px(2));
    }
  } else if (--sought.frames <= 0) {
    if (sought.fallback.empty()) {
      sought = {};
    } else {
      sought.label = std::exchange(sought.fallback, {});
      sought.frames = 4;
    }
  }
}

}  // namespace attnscope
