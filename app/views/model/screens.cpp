// app/views/model: which of the screens of all heads is shown.
#include <algorithm>
#include <array>

#include "app/views/model/parts.hpp"

namespace attnscope {

float draw_screen_choice(Scene& scene, const Box& line) {
  const Ui& ui = scene.ui;
  ModelState& state = *scene.view.model;
  constexpr std::array<std::string_view, 4> names{"Heads", "Groups", "Atlas", "Patching"};
  constexpr std::array<Tip, 4> tips{
      {{"In their layers", {}, "Every row is a layer, every column a head.", {}},
       {"By what they do",
        {},
        "Heads with most of their weight on the token before, on what followed the same token, on the first "
        "token or on the same token stand together.",
        {}},
       {"Atlas", "ablation of every head",
        "What zeroing each head alone does to the prediction, and how many can go together.", "A"},
       {"Activation patching", "clean head in a corrupted text",
        "Which heads bring the answer of this text back into another one.", "Shift+A"}}};
  const float size = scene.compact ? type::tick : type::label;
  const float wide =
      std::max(std::ceil(segments_width(ui, names, size)) + ui.px(4), ui.px(scene.compact ? 224 : 288));
  const Box box{line.right() - wide, line.y + ui.px(8), wide, ui.px(28)};
  const int now = state.screen == ModelScreen::Atlas      ? 2
                  : state.screen == ModelScreen::Patching ? 3
                  : state.order == GridOrder::Groups      ? 1
                                                          : 0;
  if (const auto picked = segments(ui, "Grid", box, names, now, tips, {.text_size = size})) {
    state.screen = *picked == 2   ? ModelScreen::Atlas
                   : *picked == 3 ? ModelScreen::Patching
                                  : ModelScreen::Heads;
    if (*picked < 2) state.order = *picked == 1 ? GridOrder::Groups : GridOrder::Layers;
  }
  return box.x;
}

}  // namespace attnscope
