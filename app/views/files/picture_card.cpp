// app/views/files: the card that saves a picture: of what, as what, how large, where.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include <imgui.h>

#include "app/number_format.hpp"
#include "app/paths.hpp"
#include "app/still.hpp"
#include "app/views/files/files.hpp"

namespace attnscope {
namespace {

constexpr const char* card_title = "Save a picture";

struct Choice {
  PictureRegion region;
  std::string_view name, file;
};

/// What there is to choose from in this mode.
std::vector<Choice> choices(const ViewState& view, bool is_long) {
  if (view.mode == Mode::Walk)
    return {{PictureRegion::Focus, "Walk", "walk"}, {PictureRegion::Window, "Window", "window"}};
  if (view.mode == Mode::Compare)
    return {{PictureRegion::Focus, "Comparison", "comparison"}, {PictureRegion::Window, "Window", "window"}};
  if (is_long)
    return {{PictureRegion::Focus, "Map", "map"},
            {PictureRegion::Inspector, "Exact cells", "cells"},
            {PictureRegion::Window, "Window", "window"}};
  return {{PictureRegion::Focus, "Heatmap", "heatmap"},
          {PictureRegion::Signals, "Plots", "plots"},
          {PictureRegion::Heads, "Heads", "heads"},
          {PictureRegion::Inspector, "Inspector", "inspector"},
          {PictureRegion::Window, "Window", "window"}};
}

int index_of(const std::vector<Choice>& all, PictureRegion region) {
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].region == region) return static_cast<int>(i);
  return 0;
}

/// A name that was never typed over follows what is chosen; a path of the person's own keeps all but its
/// ending.
void follow_choice(FilesState& files, const std::vector<Choice>& all, const Choice& chosen) {
  const std::string ending = files.vector ? ".svg" : ".png";
  const std::filesystem::path now = typed_path(files.picture_path);
  const bool ours = files.picture_path.empty() || std::any_of(all.begin(), all.end(), [&](const Choice& c) {
                      return now == std::string(c.file) + ".png" || now == std::string(c.file) + ".svg";
                    });
  if (ours) {
    files.picture_path = std::string(chosen.file) + ending;
  } else if (now.extension() == ".png" || now.extension() == ".svg") {
    files.picture_path.replace(files.picture_path.rfind('.'), 4, ending);
  }
}

/// One line: what is chosen, and the control.
Box line(const Ui& ui, const Box& card, float& y, std::string_view shown) {
  const float pad = ui.px(20), label = ui.px(72);
  const Box box{card.x + pad + label, y, card.w - 2 * pad - label, ui.px(28)};
  ui.text(card.x + pad, box.centre_y(), shown, {type::label, ui.theme.text2});
  y += ui.px(40);
  return box;
}

/// How large it will be, in words.
std::string size_of(const Scene& scene, const Layout& layout) {
  const FilesState& files = scene.view.files;
  const std::optional<Box> box = box_of(files.region, layout, scene.view);
  if (!box) return "hidden: show it first";
  if (files.vector) return "text stays text";
  const auto pixels = [&](float side) {
    return grouped(static_cast<std::int64_t>(std::lround(side)) * files.scale);
  };
  return pixels(box->w) + " × " + pixels(box->h) + " px";
}

void draw_card(Scene& scene, const Layout& layout, const Box& card, bool opens) {
  const Ui& ui = scene.ui;
  FilesState& files = scene.view.files;
  const std::vector<Choice> all = choices(scene.view, scene.result.is_long());
  const Choice& chosen = all[static_cast<std::size_t>(index_of(all, files.region))];
  files.region = chosen.region;
  if (opens) follow_choice(files, all, chosen);
  float y = card.y + ui.px(20);
  ui.text(card.x + ui.px(20), y + ui.px(8), card_title, {type::title, ui.theme.text1, Ink::Semibold});
  y += ui.px(36);

  std::vector<std::string_view> names;
  for (const Choice& choice : all) names.push_back(choice.name);
  if (const auto picked =
          segments(ui, "Picture of", line(ui, card, y, "Of"), names, index_of(all, files.region))) {
    files.region = all[static_cast<std::size_t>(*picked)].region;
    follow_choice(files, all, all[static_cast<std::size_t>(*picked)]);
  }
  Box as = line(ui, card, y, "As");
  as.w = ui.px(160);
  constexpr std::array<std::string_view, 2> kinds{"PNG", "SVG"};
  const std::array<Tip, 2> tips{
      Tip{"PNG", {}, "Pixels, drawn anew at the chosen size.", {}},
      Tip{"SVG", {}, "Shapes and text, for papers: every label can be edited.", {}}};
  if (const auto picked = segments(ui, "Picture as", as, kinds, files.vector ? 1 : 0, tips)) {
    files.vector = *picked == 1;
    follow_choice(files, all, chosen);
  }
  Box size = line(ui, card, y, "Size");
  ui.text(size.right(), size.centre_y(), size_of(scene, layout),
          {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  size.w = ui.px(112);
  const auto step = [&](int by) {
    return std::clamp<std::int64_t>(files.scale + by, least_picture_scale, most_picture_scale);
  };
  if (const auto scale =
          stepper(ui, "Picture scale", size, files.scale, step,
                  {"Size", {}, "Times the size on the screen, from 1 to 8; drawn anew, not enlarged.", {}},
                  std::to_string(files.scale) + "×"))
    files.scale = static_cast<int>(std::clamp<std::int64_t>(*scale, least_picture_scale, most_picture_scale));

  const Box path = line(ui, card, y, "Path");
  const bool entered = path_field(ui, "##picture", path, files.picture_path, "a path; Tab completes it");
  const float wide = ui.px(132);
  const Box save{card.right() - ui.px(20) - wide, y + ui.px(4), wide, ui.px(30)};
  if (button(ui, "Save picture", save, {"Save picture", {}, "The window stays as it is.", "Enter"}) ||
      entered) {
    scene.requests.picture =
        PictureWish{files.region, static_cast<float>(files.scale), typed_path(files.picture_path)};
    ImGui::CloseCurrentPopup();
  }
}

}  // namespace

void open_picture_card(Scene& scene, PictureRegion region) {
  scene.view.files.region = region;
  scene.view.files.picture_opens = true;
}

void draw_picture_card(Scene& scene, const Layout& layout) {
  const Ui& ui = scene.ui;
  const bool opens = std::exchange(scene.view.files.picture_opens, false);
  if (opens) ImGui::OpenPopup(card_title);
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float width = std::min(ui.px(560), screen.x - ui.px(16)),
              height = std::min(ui.px(276), screen.y - ui.px(16));
  const Box card{std::round((screen.x - width) / 2),
                 std::round(std::max(ui.px(8), (screen.y - height) * 0.3f)), width, height};
  ImGui::SetNextWindowPos(card.min());
  ImGui::SetNextWindowSize({card.w, card.h});
  ImGui::PushStyleVar(ImGuiStyleVar_PopupRounding, ui.px(10));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleColor(ImGuiCol_PopupBg, ui.theme.raised);
  ImGui::PushStyleColor(ImGuiCol_Border, ui.theme.border);
  if (ImGui::BeginPopup(card_title, ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoScrollbar)) {
    draw_card(scene, layout, card, opens);
    ImGui::EndPopup();
  }
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar(2);
}

}  // namespace attnscope
