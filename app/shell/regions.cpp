// app/shell: the sentence above a page, the bars above and below it, and what lies over all of them.
#include "app/shell/regions.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "app/scene/scene.hpp"
#include "app/scene/stops.hpp"
#include "app/shell/page.hpp"
#include "app/state/watch/watch_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/frame/model_crumb.hpp"
#include "app/views/parts/refusal.hpp"
#include "app/views/watch/watch.hpp"

namespace attnscope {
namespace {

void draw_long_regions(Scene& scene, const Layout& layout) {
  page_of_long(scene.pages, scene.view.mode).draw_long(scene, layout);
  draw_top_bar(scene, layout.top);
  draw_status(scene, layout.status);
}

/// The bars above and below the regions; none in presenter mode.
void draw_bars(Scene& scene, const Layout& layout, Stops& stops) {
  if (!has_room(layout.top)) return;
  stops.draw(Stop::TopBar, false, [&] { draw_top_bar(scene, layout.top); });
  draw_status(scene, layout.status);
}

/// A page whose numbers are all kept, or that stands alone: below the sentence, if there is one.
void draw_page_regions(Scene& scene, const Layout& layout) {
  // Dear ImGui gives a click to the first widget drawn under the mouse: what floats comes first in input,
  // last in paint. Tab goes in the order of drawing: the sentence first.
  ViewState& view = scene.view;
  view.keyboard.on_map = false;
  const Page& page = *page_of_mode(scene.pages, view.mode);
  std::vector<Stop> there;
  if (has_room(layout.strip)) there.push_back(Stop::Sentence);
  std::ranges::copy(page.stops(layout), std::back_inserter(there));
  there.push_back(Stop::TopBar);
  Stops stops(view.keyboard, there);
  if (has_room(layout.strip))
    stops.draw(Stop::Sentence, has_text_field(scene), [&] {
      draw_token_strip(scene, layout.strip);
      draw_model_crumb(scene, layout.strip);
      draw_watch_way_back(scene, layout.strip);
    });
  page.draw_regions(scene, layout, stops);
  draw_bars(scene, layout, stops);
}

/// The Watch page, whatever is open.
void draw_watch_regions(Scene& scene, const Layout& layout) {
  scene.view.keyboard.on_map = false;
  Stops stops(scene.view.keyboard, {Stop::Sentence, Stop::Focus, Stop::TopBar});
  if (has_room(layout.strip))
    stops.draw(Stop::Sentence, false, [&] { draw_watch_strip(scene, layout.strip); });
  if (has_room(layout.whole)) stops.draw(Stop::Focus, false, [&] { draw_watch(scene, layout.whole); });
  draw_bars(scene, layout, stops);
}

}  // namespace

void draw_regions(Scene& scene, const Layout& layout) {
  SentenceState& sentence = scene.view.keyboard.sentence;
  const bool has_field =
      has_room(layout.strip) && !is_watching(scene.view) && !scene.result.is_long() && has_text_field(scene);
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
  } else if (scene.result.is_long() && !is_page(scene.view.mode)) {
    draw_long_regions(scene, layout);
  } else {
    draw_page_regions(scene, layout);
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
