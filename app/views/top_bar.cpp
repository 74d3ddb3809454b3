// app/views: the top bar: mark, what is open, how it looks, who computes and how long it took.
#include <algorithm>
#include <array>

#include "app/number_format.hpp"
#include "app/picture.hpp"

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

/// A field of the menu; true when Enter ended it, which also closes the menu.
bool path_row(const Ui& ui, const char* label, std::string& text, std::string_view placeholder) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = std::max(ui.px(260), ImGui::GetContentRegionAvail().x - ui.px(12));
  const Box field{at.x + ui.px(6), at.y + ui.px(6), width, ui.px(28)};
  text_field(ui, label, field, text, placeholder);
  const bool entered = ImGui::IsItemDeactivatedAfterEdit() && ImGui::IsKeyPressed(ImGuiKey_Enter);
  if (entered) ImGui::CloseCurrentPopup();
  ImGui::SetCursorScreenPos({at.x, field.bottom() + ui.px(6)});
  ImGui::Dummy({field.w, ui.px(1)});
  return entered;
}

void draw_file_menu(Scene& scene, const Box& bar, float x) {
  const Ui& ui = scene.ui;
  std::string title = scene.document.title.empty() ? "untitled" : scene.document.title;
  if (scene.edited) title += " · edited";
  const float width =
      std::min(ui.text_width(title, type::label) + ui.px(44), ui.px(scene.compact ? 240 : 360));
  const Box box{x, bar.centre_y() - ui.px(14), width, ui.px(28)};
  drop(ui, "File", box, title,
       {"Open and save", {}, "Examples, a file by its path, or drop a file anywhere on the window.", {}},
       [&] {
         for (const Example& example : scene.examples) {
           if (menu_row(ui, example.name.c_str(), "example", scene.document.title == example.name))
             scene.open(example.path);
         }
         if (path_row(ui, "##path", scene.view.path_field, "path of a file, Enter opens it"))
           scene.open(scene.view.path_field);
         if (menu_row(ui, "Save", "Ctrl+S")) scene.save({});
         if (path_row(ui, "##save", scene.view.save_field, "save as .json, export as .csv .npy .safetensors"))
           scene.save(scene.view.save_field);
       });
}

}  // namespace

void draw_top_bar(Scene& scene, const Box& bar) {
  const Ui& ui = scene.ui;
  const float pad = ui.px(16), y = bar.centre_y();
  draw_mark(ui, bar.x + pad, y - ui.px(10));
  float x = bar.x + pad + ui.px(28);
  x += ui.text(x, y, "AttnScope", {type::body, ui.theme.text1, Ink::Semibold}) + ui.px(16);
  ui.vertical(x, y - ui.px(8), ui.px(16), ui.theme.border);
  draw_file_menu(scene, bar, x + ui.px(12));

  constexpr std::array<std::string_view, 3> names{"Dark", "Light", "Contrast"};
  const std::array<Tip, 3> tips{Tip{"Dark", {}, "For a desk.", "T"},
                                Tip{"Light", {}, "For paper and bright rooms.", "T"},
                                Tip{"High contrast", {}, "For projectors and low vision.", "T"}};
  const float width = ui.px(scene.compact ? 192 : 232);
  const Box look{bar.right() - pad - width, y - ui.px(14), width, ui.px(28)};
  if (const auto chosen = segments(ui, "Theme", look, names, static_cast<int>(scene.view.theme), tips,
                                   {.text_size = scene.compact ? type::tick : type::label})) {
    scene.view.theme = static_cast<ThemeName>(*chosen);
  }

  const std::string time = fixed(scene.result.total_milliseconds, 2) + " ms";
  x = look.x - ui.px(20);
  const float time_width = ui.text_width(time, type::label, Ink::Medium);
  ui.text(x, y, time, {type::label, ui.theme.text1, Ink::Medium, Align::Right});
  const std::string backend =
      scene.compact ? scene.result.backend.substr(0, scene.result.backend.find(' ')) : scene.result.backend;
  const float name_width = ui.text_width(backend, type::label);
  const float name_x = x - time_width - ui.px(12) - name_width;
  ui.text(name_x, y, backend, {type::label, ui.theme.text2});
  ui.list()->AddCircleFilled({name_x - ui.px(10), std::round(y)}, ui.px(3.5f), ui.theme.value);
  const Box area{name_x - ui.px(16), y - ui.px(14), x - name_x + ui.px(16), ui.px(28)};
  const Ui::Touch touch = ui.touch("Backend", area, false);
  const std::string what = "last change: " + time + " for all stages and measures";
  tooltip(ui, touch.hovered, area, {scene.result.backend, what, scene.view.backend_note, {}});
  ui.horizontal(bar.x, bar.bottom() - 1, bar.w, ui.theme.hairline);
}

}  // namespace attnscope
