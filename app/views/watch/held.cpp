// app/views/watch: a held pass: its facts, and its comparison with the current one.
#include <algorithm>
#include <array>
#include <memory>

#include <imgui.h>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/own_words.hpp"
#include "app/kit/widgets/widgets.hpp"
#include "app/state/window_state.hpp"
#include "app/views/controls/column.hpp"
#include "app/views/held/held_chip.hpp"
#include "app/views/watch/parts.hpp"
#include "app/views/watch/watch.hpp"

namespace attnscope {
namespace {

/// Whether the tokens at common positions are the same; empty: the process does not send token ids.
std::optional<bool> has_same_tokens(const WatchedSnapshot& now, const WatchedSnapshot& held) {
  if (now.ids.empty() || held.ids.empty()) return std::nullopt;
  const auto &a = now.ids.front(), &b = held.ids.front();
  const std::ptrdiff_t both = std::min(std::ssize(a), std::ssize(b));
  return std::equal(a.begin(), a.begin() + both, b.begin());
}

void draw_facts(Column& c, const WatchView& v) {
  const WatchHeld& held = *v.state.held;
  const WatchedSnapshot& text = *held.head->text;
  c.fact("Held pass", "pass", held.pass ? own(std::to_string(*held.pass)) : std::string("–"),
         {"Held pass", {}, "The pass whose row was followed when it was held.", {}});
  std::string tokens = own(std::to_string(text.keys));
  if (const auto same = has_same_tokens(v.text(), text); same && !*same) tokens += " · another text";
  c.fact("Held tokens", "tokens", tokens,
         {"Tokens", {}, "Cells of equal position and key are compared, also of two texts.", {}});
  if (held.pid != v.connection().process.pid)
    c.fact("Held process", "process", "python " + own(std::to_string(held.pid)),
           {"Process", {}, "The process whose pass it was.", {}});
}

}  // namespace

void hold_watched(Scene& scene) {
  const WatchView v = watch_view(scene);
  if (!is_watching(scene.view) || v.head == nullptr || !v.shown.grid)
    return scene.view.notices.say("No pass is there that could be held.");
  auto held = std::make_shared<WatchHeld>();
  held->grid = v.shown.grid;
  held->head = v.shown.head;
  held->position = v.position;
  for (const WatchedPass& pass : v.text().passes)
    if (pass.text == v.text().text && v.position >= pass.first && v.position <= last_row_of(pass))
      held->pass = pass.number;
  held->pid = v.connection().process.pid;
  held->seconds = ImGui::GetTime();
  v.state.held = std::move(held);
}

void drop_watched(Scene& scene) {
  if (!is_watching(scene.view)) return;
  scene.view.watch->held.reset();
  scene.view.watch->held_head.reset();
  scene.view.watch->differs = false;
}

void turn_watched_difference(Scene& scene) {
  if (!is_watching(scene.view)) return;
  WatchState& state = *scene.view.watch;
  if (!state.held)
    return scene.view.notices.say("Nothing is held to compare with: the key \\ holds what is on screen.");
  state.differs = !state.differs;
}

void watch_held_section(Column& c) {
  const WatchView v = watch_view(c.scene);
  if (!v.state.held) return;
  c.fact("Held since", "What is held", age_words(ImGui::GetTime() - v.state.held->seconds),
         {"What is held", {}, "A pass that later ones are compared with.", {}});
  draw_facts(c, v);
  constexpr std::array<std::string_view, 2> names{"now", "now − held"};
  constexpr std::array<Tip, 2> tips{
      {{"Now", {}, "Heads show what is followed.", "/"},
       {"now − held",
        {},
        "Heads show the difference, cell by cell; hatched is what only one of the two has.",
        "/"}}};
  if (const auto picked =
          segments(c.ui(), "Watched difference", c.row(28), names, v.state.differs ? 1 : 0, tips))
    v.state.differs = *picked == 1;
  if (button(c.ui(), "Drop the held pass", c.row(28), {"Drop", {}, "Nothing is held any more.", "Shift+\\"},
             "Drop"))
    drop_watched(c.scene);
}

}  // namespace attnscope
