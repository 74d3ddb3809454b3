// app/pages/compare: shown instead of pictures that cannot be compared: what is missing, and which key or
// button supplies it.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/kit/widgets/plot.hpp"
#include "app/pages/compare/parts.hpp"
#include "core/edits/switches.hpp"

namespace attnscope {
namespace {

void draw_outline(const Ui& ui, const Box& box) {
  const float thin = std::max(1.f, std::floor(ui.scale()));
  draw_dashes(ui, {box.min(), {box.right(), box.y}, box.max(), {box.x, box.bottom()}, box.min()},
              ui.theme.border, thin);
}

/// A keycap with what it does beside it, centred on `x`.
void draw_key(const Ui& ui, float x, float y, std::string_view key, std::string_view does) {
  const float cap = ui.text_width(key, type::label) + ui.px(16), gap = ui.px(10);
  const float width = cap + gap + ui.text_width(does, type::label);
  const Box box{std::round(x - width / 2), std::round(y - ui.px(12)), cap, ui.px(24)};
  ui.frame(box, ui.theme.border, std::max(1.f, std::floor(ui.scale())), ui.px(4));
  ui.text(box.centre_x(), y, key, {type::label, ui.theme.text1, Ink::Medium, Align::Centre});
  ui.text(box.right() + gap, y, does, {type::label, ui.theme.text2});
}

float button_width(const Ui& ui, const char* label) {
  return ui.text_width(label, type::label, Ink::Medium) + ui.px(32);
}

}  // namespace

void draw_nothing_held(Scene& scene, const Panel& b, const Panel& difference) {
  const Ui& ui = scene.ui;
  const float inset = b.head.x - b.whole.x;
  const Box box{b.whole.x + inset, b.whole.y + inset, difference.whole.right() - b.whole.x - 2 * inset,
                b.whole.h - 2 * inset};
  draw_outline(ui, box);
  const Box inner = box.grown(-ui.px(24));
  const bool divided = edit::is_divided(scene.document);
  const char* hold = "Hold this";
  const char* start = divided ? "Hold, then switch scaling off" : "Hold, then switch scaling on";
  const float hold_width = button_width(ui, hold), start_width = button_width(ui, start), gap = ui.px(12);
  const bool beside = hold_width + gap + start_width <= inner.w;
  const std::string_view why =
      "Hold what is shown now. Then change a setting: what is held stays, and now − held shows the effect.";
  const float body = ui.paragraph_height(std::min(inner.w, ui.px(420)), why, type::label);
  const float height = ui.px(36) + body + ui.px(52) + ui.px(beside ? 32 : 72);
  float y = std::round(std::max(inner.y, box.centre_y() - height / 2));
  ui.text(box.centre_x(), y + ui.px(12), "Nothing is held yet",
          {type::title, ui.theme.text1, Ink::Semibold, Align::Centre, inner.w});
  y += ui.px(36);
  const float width = std::min(inner.w, ui.px(420));
  y +=
      ui.paragraph(box.centre_x(), y, width, why, {type::label, ui.theme.text2, Ink::Regular, Align::Centre});
  draw_key(ui, box.centre_x(), y + ui.px(26), "\\", "holds what is shown");
  y += ui.px(52);

  const float total = beside ? hold_width + gap + start_width : start_width;
  const float left = std::round(box.centre_x() - total / 2);
  const Box first{left, y, start_width, ui.px(32)};
  const Box second = beside ? Box{first.right() + gap, y, hold_width, ui.px(32)}
                            : Box{std::round(box.centre_x() - hold_width / 2), first.bottom() + ui.px(8),
                                  hold_width, ui.px(32)};
  if (button(ui, start, first,
             {start,
              divided ? "held: S ÷ √dₖ    now: S" : "held: S    now: S ÷ √dₖ",
              "What the division by √dₖ does, in one click.",
              {}})) {
    scene.requests.hold = true;
    scene.document = edit::divided(std::move(scene.document), !divided);
  }
  ui.frame(first, ui.theme.query, std::max(1.f, std::floor(ui.scale())), ui.px(6));  // what to try first
  if (button(ui, hold, second, {hold, {}, "What is shown is held while you go on changing it.", "\\"}))
    scene.requests.hold = true;
}

void draw_no_difference(const Ui& ui, const Panel& panel, std::string_view why) {
  const Box& free = panel.bar_area;
  const Box box{free.x, free.y + ui.px(4), free.w, free.h - ui.px(20)};
  draw_outline(ui, box);
  const float width = std::min(box.w - ui.px(48), ui.px(340));
  if (width < ui.px(80)) return;
  const float body = ui.paragraph_height(width, why, type::label);
  float y = std::round(box.centre_y() - (ui.px(36) + body) / 2);
  ui.text(box.centre_x(), y + ui.px(12), "No difference here",
          {type::title, ui.theme.text1, Ink::Semibold, Align::Centre, width});
  y += ui.px(36);
  ui.paragraph(box.centre_x(), y, width, why, {type::label, ui.theme.text2, Ink::Regular, Align::Centre});
}

}  // namespace attnscope
