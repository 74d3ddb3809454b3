#include "app/pages/walk/transport.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/widgets/transport.hpp"
#include "app/walk/walk_state.hpp"

namespace attnscope::walk {
namespace {

/// Returns the right end.
float draw_buttons(const View& v, const Box& bar) {
  const auto& state = v.state;
  const Transport transport{
      {"One move back", {"One move back", {}, "Undoes exactly one move.", "Backspace"}},
      {"Play",
       {state.playing ? "Pause" : "Play", {}, "One move after the other, to the end.", "Shift+Space"}},
      {"One move", {"One move", {}, "One short move, then it stops.", "Space"}},
      state.playing};
  switch (draw_transport_buttons(v.ui(), bar, transport)) {
    case TransportPress::None: break;
    case TransportPress::Back: step_back(v.scene); break;
    case TransportPress::Play: play_or_pause(v.scene); break;
    case TransportPress::Forward: step_forward(v.scene); break;
  }
  return bar.x + transport_width(v.ui());
}

/// Instant, ½×, 1×, 2×. Returns the left end.
float draw_speed(const View& v, float right, float y) {
  const Ui& ui = v.ui();
  constexpr std::array<float, 4> speeds{0, 0.5f, 1, 2};
  constexpr std::array<std::string_view, 4> names{"Instant", "½×", "1×", "2×"};
  const std::array<Tip, 4> tips{
      Tip{"Instant", {}, "Nothing is animated; Play goes to the end at once.", {}},
      Tip{"½×", {}, "Half as many moves a minute.", {}},
      Tip{"1×", {}, "A move fades in within 0.2 s; playing, one follows every 0.9 s.", {}},
      Tip{"2×", {}, "Twice as many moves a minute.", {}}};
  auto& state = v.state;
  const auto now = std::find(speeds.begin(), speeds.end(), state.speed) - speeds.begin();
  const float wide = ui.px(212);
  const Box box{right - wide, y - ui.px(13), wide, ui.px(26)};
  if (const auto chosen =
          segments(ui, "Speed", box, names, static_cast<int>(now), tips, {.text_size = type::tick}))
    state.speed = speeds[static_cast<std::size_t>(*chosen)];
  return box.x;
}

/// Where the moves lie on the scrubber.
struct Track {
  Box box;
  float move, gap;  // width of a move; between stages
  float start(const Script& script, std::size_t step) const {
    return box.x + move * static_cast<float>(script.first(script.steps()[step].stage)) +
           gap * static_cast<float>(step);
  }
  /// The x of a place, that is of a number of made moves.
  float x(const Script& script, int place) const {
    for (std::size_t i = script.steps().size(); i-- > 0;) {
      const int first = script.first(script.steps()[i].stage);
      if (place > first) return start(script, i) + move * static_cast<float>(place - first);
    }
    return box.x;
  }
  /// The place nearest to an x.
  int place(const Script& script, float at) const {
    int best = 0;
    for (int p = 1; p <= script.moves(); ++p)
      if (std::abs(x(script, p) - at) < std::abs(x(script, best) - at)) best = p;
    return best;
  }
};

void draw_segments(const View& v, const Track& track) {
  const Ui& ui = v.ui();
  const std::optional<Stage> current = v.current();
  for (std::size_t i = 0; i < v.script.steps().size(); ++i) {
    const Step& step = v.script.steps()[i];
    const int made = v.made(step.stage);
    for (int move = 0; move < step.moves; ++move) {
      const float x0 = std::round(track.start(v.script, i) + track.move * static_cast<float>(move));
      const float x1 = std::round(track.start(v.script, i) + track.move * static_cast<float>(move + 1));
      const bool lit = current == step.stage;
      const Rgba colour = move >= made ? (lit ? ui.theme.border : ui.theme.control_hover)
                                       : fade(ui.theme.query, lit ? 1 : 0.5f);
      ui.fill({x0, track.box.centre_y() - ui.px(3), std::max(1.f, x1 - x0 - (track.move > 4 ? 1.f : 0.f)),
               ui.px(6)},
              colour, ui.px(2));
    }
  }
}

/// The current stage always has its name, others where they have room.
void draw_names(const View& v, const Track& track, float y) {
  const Ui& ui = v.ui();
  const std::optional<Stage> current = v.current();
  const auto steps = v.script.steps();
  struct Name {
    float x, half;
    bool current;
    std::string_view text;
  };
  std::vector<Name> names;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool now = current == steps[i].stage;
    const std::string_view text = tight_name(v, steps[i].stage);
    const float half = ui.text_width(text, type::tick, now ? Ink::Semibold : Ink::Regular) / 2;
    const float middle = track.start(v.script, i) + track.move * static_cast<float>(steps[i].moves) / 2;
    names.push_back(
        {std::clamp(middle, track.box.x + half, std::max(track.box.x + half, track.box.right() - half)), half,
         now, text});
  }
  std::stable_sort(names.begin(), names.end(),
                   [](const Name& a, const Name& b) { return a.current > b.current; });
  std::vector<Name> drawn;
  for (const Name& name : names) {
    const bool free = std::none_of(drawn.begin(), drawn.end(), [&](const Name& other) {
      return std::abs(name.x - other.x) < name.half + other.half + ui.px(6);
    });
    if (!free) continue;
    drawn.push_back(name);
    ui.text(name.x, y, name.text,
            {type::tick, name.current ? ui.theme.text1 : ui.theme.text3,
             name.current ? Ink::Semibold : Ink::Regular, Align::Centre});
  }
}

void draw_scrubber(const View& v, const Box& box) {
  const Ui& ui = v.ui();
  const auto steps = static_cast<float>(v.script.steps().size());
  Track track{box, 0, ui.px(4)};
  track.move = (box.w - track.gap * (steps - 1)) / static_cast<float>(std::max(1, v.script.moves()));
  if (track.move < 1) return;
  ImGui::SetNextItemAllowOverlap();
  const Box area{box.x - ui.px(8), box.centre_y() - ui.px(22), box.w + ui.px(16), ui.px(44)};
  const Ui::Touch touch = ui.touch("Scrubber", area);
  draw_segments(v, track);
  draw_names(v, track, box.centre_y() + ui.px(20));
  const float x = track.x(v.script, v.place), y = box.centre_y();
  draw_scrub_knob(ui, {x, y}, touch);
  std::string text = "before the first move";
  if (const auto stage = v.current())
    text = "move " + std::to_string(v.made(*stage)) + " of " + std::to_string(v.script.moves_of(*stage));
  const float half = ui.text_width(text, type::tick) / 2;
  ui.text(std::clamp(x, box.x + half, std::max(box.x + half, box.right() - half)), y - ui.px(19), text,
          {type::tick, ui.theme.text2, Ink::Regular, Align::Centre});
  tooltip(ui, touch.hovered && !touch.held, area,
          {"All moves", {}, "Drag to any move. The width of a stage is its number of moves.", "Home End"});
  if (!touch.held || !ImGui::GetIO().MouseDown[0]) return;
  auto& state = v.state;
  const int place = track.place(v.script, ImGui::GetIO().MousePos.x);
  state.playing = false;
  if (place != v.place) v.script.go(state, place);
}

}  // namespace

void draw_transport(const View& v, const Box& bar) {
  const Ui& ui = v.ui();
  const float pad = ui.px(v.scene.compact ? 16 : 32);
  const Box inner{bar.x + pad, bar.y, bar.w - 2 * pad, bar.h};
  ui.horizontal(bar.x, bar.y, bar.w, ui.theme.hairline);
  const float left = draw_buttons(v, inner);
  float right = inner.right();
  if (inner.w >= ui.px(1280)) {
    const float y = inner.centre_y();
    const TextStyle quiet{type::tick, ui.theme.text3, Ink::Regular, Align::Right};
    ui.text(right, y - ui.px(10), "one move   Space", quiet);
    ui.text(right, y + ui.px(10), "one stage   PageDown", quiet);
    right -= ui.text_width("one stage   PageDown", type::tick) + ui.px(28);
  }
  if (inner.w >= ui.px(640)) right = draw_speed(v, right, inner.centre_y());
  const Box track{left + ui.px(32), inner.y, right - left - ui.px(72), inner.h};
  if (track.w >= ui.px(60)) draw_scrubber(v, track);
}

}  // namespace attnscope::walk
