// app/views/frame: the top bar: logo, open document, mode, look, backend and its time.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/words.hpp"
#include "app/scene/page_facts.hpp"
#include "app/scene/picture.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/state/watch/watch_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/backends/switch.hpp"
#include "app/views/files/files.hpp"
#include "app/views/held/held_chip.hpp"
#include "app/views/model_compare/held_model.hpp"
#include "app/views/watch/watch.hpp"
#include "core/engine/model/model_reading.hpp"

namespace attnscope {
namespace {

/// Nine cells of a small attention matrix, in colours of the weight map.
void draw_mark(const Ui& ui, float x, float y) {
  constexpr std::array<float, 9> weights{0.35f, 0.55f, 0.97f, 0.8f, 0.45f, 0.3f, 0.25f, 0.65f, 0.5f};
  const float side = ui.px(6), gap = ui.px(1);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const Rgba colour = colormap(Map::Weights)[static_cast<std::size_t>(weights[i] * 255)];
    const float column = static_cast<float>(i % 3), row = static_cast<float>(i / 3);
    ui.fill({x + column * (side + gap), y + row * (side + gap), side, side}, colour, ui.px(1));
  }
}

/// Explore, Walk, Compare, Model, Experiments, Lessons or Training, in the middle of the bar. Returns the
/// box.
Box draw_modes(Scene& scene, const Box& bar) {
  const Ui& ui = scene.ui;
  std::vector<Mode> modes_there;
  std::vector<std::string_view> names;
  std::vector<Tip> tips;
  for (const Mode& mode : modes()) {
    const PageFacts* const page = page_facts_of(mode);
    if (page == nullptr || !page->is_on_bar) continue;
    modes_there.push_back(mode);
    names.push_back(page->name);
    tips.push_back(page->tip);
  }
  const float usual = ui.px(scene.compact ? 0 : 612);
  const float width = std::max(usual, segments_width(ui, names, type::label));
  const Box box{std::round(bar.centre_x() - width / 2), bar.centre_y() - ui.px(15), width, ui.px(30)};
  const auto now = std::ranges::find(modes_there, scene.view.mode) - modes_there.begin();
  if (const auto chosen = segments(ui, "Mode", box, names, static_cast<int>(now), tips)) {
    const Mode mode = modes_there[static_cast<std::size_t>(*chosen)];
    const PageFacts* const page = page_facts_of(mode);
    if (page != nullptr && page->show != nullptr)
      page->show(scene);
    else
      scene.view.mode = mode;
  }
  return box;
}

/// Theme, size and help. Returns the box.
Box draw_look_menu(Scene& scene, float right, float y) {
  const Ui& ui = scene.ui;
  const float width = std::max(ui.px(76), ui.text_width("Look", type::label) + ui.px(38));
  const Box box{right - width, y - ui.px(14), width, ui.px(28)};
  drop(ui, "Look", box, "Look", {"Look", {}, "Theme, size of everything, language, keys and gestures.", "T"},
       [&] {
         constexpr std::array<const char*, 3> names{"Dark", "Light", "High contrast"};
         constexpr std::array<std::string_view, 3> notes{"for a desk", "for bright rooms", "for projectors"};
         for (std::size_t i = 0; i < names.size(); ++i) {
           const auto theme = static_cast<ThemeName>(i);
           if (menu_row(ui, names[i], notes[i], scene.view.theme == theme)) scene.view.theme = theme;
         }
         for (const float scale : {0.75f, 1.f, 1.25f, 1.5f, 2.f, 2.5f, 3.f}) {
           const std::string label = "Size " + fixed(100 * static_cast<double>(scale), 0) + " %";
           if (menu_row(ui, label.c_str(), "Ctrl +/\u2212", std::abs(scene.view.scale - scale) < 0.01f))
             scene.view.scale = scale;
         }
         if (scene.languages.size() > 1)  // with only English there is no choice
           for (const Language& language : scene.languages)
             if (menu_row(ui, own(language.name).c_str(), "language", scene.view.language == language.code))
               scene.view.language = language.code;
         if (menu_row(ui, "Usual sizes of the regions")) regions_of(scene.view).sizes = {};
         if (menu_row(ui, "Milliseconds of every stage", "H", scene.view.timings))
           scene.view.timings = !scene.view.timings;
         if (menu_row(ui, "Numbers of two backends", "Shift+U", scene.view.parity))
           scene.view.parity = !scene.view.parity;
         if (menu_row(ui, "Keys and gestures", "F1")) scene.view.help = true;
       });
  return box;
}

/// The palette's button, for those who do not know its key. Returns the box.
Box draw_find(Scene& scene, float right, float y, bool narrow) {
  const Ui& ui = scene.ui;
  const float width = ui.px(narrow ? 72 : 176);
  const Box box{right - width, y - ui.px(14), width, ui.px(28)};
  const Ui::Touch touch = ui.touch("Find", box);
  ui.fill(box, touch.hovered ? ui.theme.control_hover : ui.theme.control, ui.px(6));
  if (touch.focused) ui.frame(box.grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(8));
  const float cap = ui.text_width("Ctrl K", type::tick) + ui.px(12);
  const Box key{narrow ? box.centre_x() - cap / 2 : box.right() - cap - ui.px(6), y - ui.px(10), cap,
                ui.px(20)};
  if (!narrow)
    ui.text(box.x + ui.px(12), y, "Find or do…",
            {type::label, ui.theme.text2, Ink::Regular, Align::Left, key.x - box.x - ui.px(20)});
  ui.frame(key, ui.theme.border, std::max(1.f, std::floor(ui.scale())), ui.px(4));
  ui.text(key.centre_x(), y, "Ctrl K", {type::tick, ui.theme.text2, Ink::Regular, Align::Centre});
  tooltip(ui, touch.hovered, box, {"Find or do", {}, "Every action by its name.", "Ctrl+K"});
  if (touch.clicked) open_palette(scene);
  return box;
}

/// The backend and the time of the last change; a click opens the times of all stages.
void draw_backend(Scene& scene, float left, float right, float y) {
  if (!scene.backends.is_alone()) return draw_backend_bar(scene, left, right, y);
  const Ui& ui = scene.ui;
  // For a model, the time covers all its heads and its prediction.
  const bool is_model = scene.model != nullptr && scene.view.mode == Mode::Model;
  const std::string time = time_words(is_model ? scene.model->milliseconds : scene.run.total_milliseconds);
  const float time_width = ui.text_width(time, type::label, Ink::Medium);
  std::string backend = backend_words(scene.run.backend);
  const auto width = [&] { return ui.text_width(backend, type::label) + time_width + ui.px(32); };
  if (right - width() < left) backend = own(backend.substr(0, backend.find(' ')));
  if (right - width() < left) return;
  const Box area{right - width(), y - ui.px(14), width(), ui.px(28)};
  const Ui::Touch touch = ui.touch("Backend", area);
  if (touch.hovered || scene.view.timings) ui.fill(area, ui.theme.control_hover, ui.px(6));
  if (touch.focused) ui.frame(area.grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(8));
  const float x = area.right() - ui.px(6);
  ui.text(x, y, time, {type::label, ui.theme.text1, Ink::Medium, Align::Right});
  ui.text(x - time_width - ui.px(8), y, backend, {type::label, ui.theme.text2, Ink::Regular, Align::Right});
  ui.disc({area.x + ui.px(8), std::round(y)}, ui.px(3.5f), ui.theme.value);
  const std::string what =
      "last change: " + own_number(time) + " for all stages and measures; a click shows each";
  if (!scene.view.timings)
    tooltip(ui, touch.hovered, area,
            {backend_words(scene.run.backend), what, scene.backends.why_alone(), "H"});
  if (touch.clicked) scene.view.timings = !scene.view.timings;
}

}  // namespace

void draw_top_bar(Scene& scene, const Box& bar) {
  const Ui& ui = scene.ui;
  const float pad = ui.px(16), y = bar.centre_y();
  const Box modes = draw_modes(scene, bar);
  draw_mark(ui, bar.x + pad, y - ui.px(10));
  float x = bar.x + pad + ui.px(28);
  if (!scene.compact) {
    x += ui.text(x, y, "AttnScope", {type::body, ui.theme.text1, Ink::Semibold}) + ui.px(16);
    ui.vertical(x, y - ui.px(8), ui.px(16), ui.theme.border);
    x += ui.px(12);
  }
  draw_file_menu(scene, bar, x, modes.x - ui.px(16) - x);
  const Box look = draw_look_menu(scene, bar.right() - pad, y);
  // In a narrow window the modes have priority over it: Ctrl+K works without the button. A choice of
  // backends, and the chip of the held state in Explore, need the room of its text.
  const bool has_chip = scene.held != nullptr && scene.view.mode == Mode::Explore;
  const bool narrow = scene.compact || !scene.backends.is_alone() || has_chip;
  const bool has_find = look.x - ui.px(narrow ? 88 : 192) > modes.right();
  const Box find = has_find ? draw_find(scene, look.x - ui.px(8), y, narrow) : look;
  if (is_watching(scene.view)) {
    draw_watch_rate(scene, modes.right() + ui.px(12), find.x - ui.px(12), y);
    return ui.horizontal(bar.x, bar.bottom() - 1, bar.w, ui.theme.hairline);
  }
  // The chip of the held state is beside Compare; it leaves room for the backend's shortest text.
  const float left = modes.right() + ui.px(12), room = find.x - ui.px(scene.compact ? 100 : 122);
  const float held =
      std::max(draw_held_chip(scene, left, room, y), draw_held_model_chip(scene, left, room, y));
  // In a lesson that trains, the times of the open document would be misleading.
  if (name_on_screen(scene.view.mode, scene).empty())
    draw_backend(scene, held + ui.px(held > left ? 12 : 0), find.x - ui.px(12), y);
  ui.horizontal(bar.x, bar.bottom() - 1, bar.w, ui.theme.hairline);
}

}  // namespace attnscope
