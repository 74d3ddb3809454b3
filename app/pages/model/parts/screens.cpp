// app/pages/model: the choice of the screen.
#include <algorithm>
#include <array>

#include "app/pages/model/parts/parts.hpp"
#include "app/state/window_state.hpp"

namespace attnscope {
namespace {

/// Bits of the screens that this model cannot show; their tips say why.
unsigned disabled_screens(const Scene& scene, std::array<Tip, 6>& tips) {
  const ModelSpec& spec = scene.model->within.model->model->spec;
  unsigned disabled = 0;
  const auto disable = [&](std::size_t screen, std::string_view why) {
    tips[screen].why = why;
    disabled |= 1u << screen;
  };
  if (!spec.has_logits()) {
    disable(2,
            "Nothing is predicted by this model, so what a head does to the prediction cannot be measured.");
    disable(3, "There is no prediction here whose answer could be brought back.");
  }
  if (spec.head.kind != HeadKind::NextToken)
    disable(4, "This model does not continue a text: it predicts no next token.");
  return disabled;
}

}  // namespace

void toggle_screen(Scene& scene, ModelScreen screen) {
  if (scene.model == nullptr) return scene.view.notices.say("No model is open.");
  ModelScreen& now = model_state_of(scene.view).screen;
  now = now == screen ? ModelScreen::Heads : screen;
}

float draw_screen_choice(Scene& scene, const Box& line) {
  const Ui& ui = scene.ui;
  ModelState& state = model_state_of(scene.view);
  constexpr std::array<std::string_view, 6> names{"Heads",    "Groups",   "Atlas",
                                                  "Patching", "Generate", "Compare"};
  std::array<Tip, 6> tips{
      {{"In their layers", {}, "Every row is a layer, every column a head.", {}},
       {"By what they do",
        {},
        "Heads with most of their weight on the token before, on what followed the same token, on the first "
        "token or on the same token stand together. Induction on random tokens counts first.",
        {}},
       {"Atlas", "ablation of every head",
        "What zeroing each head alone does to the prediction, and how many can go together.", "A"},
       {"Activation patching", "clean head in a corrupted text",
        "Which heads bring the answer of this text back into another one.", "Shift+A"},
       {"Generation", "one token after the other",
        "How the text goes on: every step with what it was chosen from, and the key/value cache.", "G"},
       {"Compare", "now − held",
        "How far every head is from what is held: another text, layer, model or precision. F4 again goes "
        "back.",
        "F4"}}};
  const unsigned disabled = disabled_screens(scene, tips);
  const float size = scene.compact ? type::tick : type::label;
  float widest = 0;
  for (const std::string_view name : names) widest = std::max(widest, ui.text_width(name, size, Ink::Medium));
  const float wide = static_cast<float>(names.size()) * (widest + ui.px(scene.compact ? 10 : 16)) + ui.px(4);
  const Box box{line.right() - wide, line.y + ui.px(8), wide, ui.px(28)};
  const int now = state.screen == ModelScreen::Atlas        ? 2
                  : state.screen == ModelScreen::Patching   ? 3
                  : state.screen == ModelScreen::Generation ? 4
                  : state.screen == ModelScreen::Compare    ? 5
                  : state.order == GridOrder::Groups        ? 1
                                                            : 0;
  if (const auto picked =
          segments(ui, "Grid", box, names, now, tips, {.text_size = size, .disabled = disabled})) {
    if (*picked == 5)
      state.compare_heads();
    else
      state.screen = *picked == 2   ? ModelScreen::Atlas
                     : *picked == 3 ? ModelScreen::Patching
                     : *picked == 4 ? ModelScreen::Generation
                                    : ModelScreen::Heads;
    if (*picked < 2) state.order = *picked == 1 ? GridOrder::Groups : GridOrder::Layers;
  }
  return box.x;
}

Box begin_screen_region(Scene& scene, const Box& region, std::string_view title, std::string_view note,
                        const ColourScale* scale, std::string (*written)(double)) {
  const Ui& ui = scene.ui;
  ui.fill(region, ui.theme.picture);
  const float pad = region_pad(scene), high = title_height(ui);
  const Box line{region.x + pad, region.y, region.w - 2 * pad, high};
  const float choice = draw_screen_choice(scene, line);
  const float name = line.x + ui.text_width(title, type::body, Ink::Semibold) + ui.px(12);
  float right = choice - ui.px(14);
  if (scale != nullptr) {
    // As above all heads: the title has priority over the ramp, and the choice of screens over both.
    const auto end = [&](float value) { return value == 0 ? "0" : written(static_cast<double>(value)); };
    const std::string low = end(scale->low), high_end = end(scale->high);
    const float words = ui.text_width(low, type::tick) + ui.text_width(high_end, type::tick) + ui.px(12);
    const float room = std::min(ui.px(scene.compact ? 48 : 72), std::floor(right - words - name));
    if (room >= ui.px(16))
      right = draw_small_ramp(ui, "atlas ramp", right, line.y + ui.px(22), *scale, scale->high, low, high_end,
                              room) -
              ui.px(12);
  }
  if (name - ui.px(8) <= choice) draw_region_title(ui, line, title, note, right);
  return {line.x, region.y + high, line.w, region.h - high - ui.px(8)};
}

}  // namespace attnscope
