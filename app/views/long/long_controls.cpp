// app/views/long: left of a long map: its settings, the heads as small pictures, the field to go to a place,
// and the cost.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/scene/head_words.hpp"
#include "app/state/regions/long_state.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/long/long_parts.hpp"

namespace attnscope {
namespace {

void head_pictures(Column& c) {
  Scene& scene = c.scene;
  const Ui& ui = c.ui();
  const Dimensions& d = scene.result.dimensions;
  if (c.begin({.which = Section::LongHeads,
               .label = "All heads",
               .note = grouped(d.heads) + " pooled",
               .opens = Opens::Always})) {
    const int columns = scene.compact ? 3 : 4;
    const float gap = ui.px(8), side = std::floor((c.width - gap * static_cast<float>(columns - 1)) /
                                                  static_cast<float>(columns));
    const Part whole{0, 0, static_cast<double>(d.queries), static_cast<double>(d.keys), false};
    for (std::int64_t h = 0; h < d.heads; ++h) {
      const auto column = static_cast<float>(h % columns);
      const Box box{std::round(c.x + column * (side + gap)), std::round(c.y), side, side};
      const std::string id = "Head " + std::to_string(h);
      const Ui::Touch touch = ui.touch(id.c_str(), box);
      draw_long_picture(scene, {id.c_str(), box, h, whole});
      const Rgba hue = ui.theme.head(h);
      badge(ui, {box.right() - ui.px(20), box.y + ui.px(2), ui.px(18), ui.px(15)}, std::to_string(h), hue,
            ink_on(hue));
      if (h == scene.selection.head)
        ui.frame(box.grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(3));
      else if (touch.hovered)
        ui.frame(box.grown(ui.px(3)), ui.theme.text3, ui.px(1), ui.px(3));
      std::string name = "head " + std::to_string(h);
      if (const HeadRole role = role_of(scene.result, h); !role.built_as.empty())
        name += " · built as · " + role.built_as;
      tooltip(ui, touch.hovered, box, {name, {}, "A click shows this head in the map.", "[ ]"});
      if (touch.clicked) scene.next.head = h;
      if (h % columns == columns - 1 || h + 1 == d.heads) c.y += side + gap;
    }
    c.y += ui.px(4);
  }
  c.end();
}

void mask_rows(Column& c) {
  Masking& mask = c.document().layer().masking;
  if (c.begin({.which = Section::Mask,
               .label = "Mask",
               .note = mask.causal          ? "causal"
                       : mask.window.open() ? ""
                                            : "window",
               .opens = Opens::Always})) {
    constexpr std::array<std::string_view, 2> names{"None", "Causal"};
    constexpr std::array<Tip, 2> tips{
        Tip{"None", {}, "Every query sees every key.", "N"},
        Tip{"Causal", "key ≤ query", "No query sees what comes after it.", "C"}};
    if (const auto chosen = segments(c.ui(), "Mask", c.row(28), names, mask.causal ? 1 : 0, tips))
      mask.causal = *chosen == 1;
    const auto next = [&](int step) {
      const std::int64_t now = mask.window.left;
      if (now < 0) return step > 0 ? std::int64_t{256} : now;
      const std::int64_t then = step > 0 ? std::max<std::int64_t>(1, now * 2) : now / 2;
      return then == 0 ? std::int64_t{-1} : std::min<std::int64_t>(then, 1 << 24);
    };
    if (const auto left =
            c.number("Window", "window back", mask.window.left, next,
                     {"Window", "p − left ≤ key", "How far back a query sees; open where it sees all."},
                     mask.window.left < 0 ? "open" : ""))
      mask.window.left = static_cast<int>(std::clamp<std::int64_t>(*left, -1, 1 << 24));
  }
  c.end();
}

void go_to_rows(Column& c) {
  Scene& scene = c.scene;
  if (c.begin({.which = Section::GoTo, .label = "Go to", .opens = Opens::Always})) {
    const Box line = c.row(28, 6);
    const float wide = c.ui().px(56);
    std::string& text = long_view_of(scene.view).go_to;
    text_field(c.ui(), "##Go to", {line.x, line.y, line.w - wide - c.ui().px(8), line.h}, text,
               "token, or 1204, 800");
    const bool entered = ImGui::IsItemDeactivated() &&
                         (ImGui::IsKeyPressed(ImGuiKey_Enter) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter));
    const Box go{line.right() - wide, line.y, wide, line.h};
    const bool pressed = button(
        c.ui(), "Next", go,
        {"Next", {}, "The next key with this token, or the query and key with these numbers.", "Enter"});
    if ((entered || pressed) && !text.empty()) {
      if (const auto cell = find_place(scene, text)) {
        scene.next.choose(*cell);
      } else {
        scene.view.notices.say("No key of this sequence is the token \"" + text + "\".");
      }
    }
    const Box strongest = c.row(28, 6);
    if (button(c.ui(), "Strongest cell in sight", strongest,
               {"Strongest cell in sight", "max of the weights",
                "Among queries that see at least 16 keys, as far as they are known.", "J"}))
      long_view_of(scene.view).to_strongest = true;
  }
  c.end();
}

void weights_memory_rows(Column& c) {
  const Dimensions& d = c.scene.result.dimensions;
  if (c.begin({.which = Section::Cost, .label = "Memory", .opens = Opens::WhenWide})) {
    const double all = 4.0 * static_cast<double>(d.batch) * static_cast<double>(d.heads) *
                       static_cast<double>(d.queries) * static_cast<double>(d.keys);
    c.fact("All weights", "all weights would take",
           all > 9e18 ? "> 8 EiB" : bytes(static_cast<std::int64_t>(all)),
           {"All weights", "4 bytes · heads · queries · keys",
            "What the staged path would have to keep, several times."});
  }
  c.end();
}

}  // namespace

void draw_long_controls(Scene& scene, const Box& region) {
  constexpr DrawSection sections[] = {head_pictures, strong_lines_section, scaling_section,
                                      mask_rows,     softmax_section,      go_to_rows,
                                      heads_section, positions_section,    weights_memory_rows};
  draw_column(scene, region, sections, regions_of(scene.view).scrolls.controls);
}

}  // namespace attnscope
