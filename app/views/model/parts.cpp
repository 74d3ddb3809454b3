#include "app/views/model/parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/state/model_look.hpp"
#include "app/state/window_state.hpp"
#include "core/base/error.hpp"

namespace attnscope {

void change_within(Scene& scene, const std::function<ModelContext(ModelContext)>& edit) {
  const ModelContext& now = scene.document.within.read();
  try {
    ModelContext next = edit(now);
    if (!(next == now)) scene.document.within.change() = std::move(next);
  } catch (const Error& error) {
    scene.view.notices.say(error.what());
  }
}

void look_at(Scene& scene, const ModelHead& head) {
  change_within(scene, [&](ModelContext within) {
    return edit::looked_at(std::move(within), {head.of, head.block});
  });
  scene.next.head = head.head;
}

void open_in_explore(Scene& scene) {
  scene.view.mode = Mode::Explore;
  model_look_of(scene.view).hovered.reset();
}

float draw_region_title(const Ui& ui, const Box& region, std::string_view title, std::string_view note,
                        float right) {
  const float y = region.y + ui.px(22);
  const float end = region.x + ui.text(region.x, y, title, {type::body, ui.theme.text1, Ink::Semibold});
  const float begin = end + ui.px(12);
  if (note.empty() || right - begin < ui.px(60)) return end;
  // Parts that do not fit are left out from the end, as a whole if possible.
  for (std::size_t last = note.rfind("  ·  ");
       last != std::string_view::npos && ui.text_width(note, type::tick) > right - begin;
       last = note.rfind("  ·  "))
    note = note.substr(0, last);
  return begin +
         ui.text(begin, y, note, {type::tick, ui.theme.text3, Ink::Regular, Align::Left, right - begin});
}

float draw_small_ramp(const Ui& ui, const char* place, float right, float y, const ColourScale& scale,
                      float to, std::string_view low, std::string_view high, float width) {
  const TextStyle style{type::tick, ui.theme.text2};
  const float after = ui.text_width(high, type::tick), before = ui.text_width(low, type::tick);
  const Box ramp{std::round(right - after - ui.px(6) - width), std::round(y - ui.px(4)), width, ui.px(8)};
  ui.text(ramp.right() + ui.px(6), y, high, style);
  draw_ramp(ui, place, ramp, scale, scale.low, to);
  const float left = ramp.x - ui.px(6) - before;
  ui.text(left, y, low, style);
  return left;
}

float draw_picture_choice(Scene& scene, float right, float y) {
  constexpr std::array<std::string_view, 2> names{"picture", "norms"};
  constexpr std::array<Tip, 2> tips{
      {{"Picture", {}, "What a head looks at, over the picture.", {}},
       {"Norms", "‖x‖", "The residual stream: the length of the vectors after each layer.", {}}}};
  const Ui& ui = scene.ui;
  const float wide = ui.px(scene.compact ? 128 : 144);
  const Box box{right - wide, y - ui.px(14), wide, ui.px(28)};
  bool& shown = model_look_of(scene.view).picture.shown;
  if (const auto picked = segments(ui, "Below the heads", box, names, shown ? 0 : 1, tips))
    shown = *picked == 0;
  return box.x;
}

Box choice_row(Column& c, std::string_view name) {
  const Box row = c.row(28);
  const float left = c.ui().px(c.scene.compact ? 58 : 80);
  c.ui().text(row.x, row.centre_y(), name,
              {type::label, c.ui().theme.text2, Ink::Regular, Align::Left, left - c.ui().px(6)});
  return {row.x + left, row.y, row.w - left, row.h};
}

}  // namespace attnscope
