// app/views: the command palette: every action of the window by name, with its key. Typed letters narrow it
// down.
#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "app/actions.hpp"

namespace attnscope {
namespace {

constexpr const char* popup = "Command palette";

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Whether every word that was typed is somewhere in the name.
bool matches(std::string_view name, std::string_view typed) {
  const std::string in = lower(name), wanted = lower(typed);
  std::size_t start = 0;
  while (start < wanted.size()) {
    const std::size_t end = std::min(wanted.find(' ', start), wanted.size());
    if (in.find(wanted.substr(start, end - start)) == std::string::npos) return false;
    start = end + 1;
  }
  return true;
}

/// What can be run now and is called what was typed: by the name that is shown, or in English as the manual
/// calls it.
std::vector<const Action*> matching(const Scene& scene) {
  const Ui& ui = scene.ui;
  const std::string_view typed = scene.view.palette_text;
  std::vector<const Action*> found;
  for (const Action& action : actions()) {
    if (!is_possible(action, scene)) continue;
    const bool second_key = !found.empty() && found.back()->run == action.run;
    if (action.run != open_palette && !second_key &&
        (matches(action.name, typed) || matches(ui.said(action.name), typed)))
      found.push_back(&action);
  }
  return found;
}

/// One action; true when it was clicked.
bool action_row(const Ui& ui, const Action& action, const Box& row, bool chosen) {
  const Ui::Touch touch = ui.touch(std::string(action.name).c_str(), row);
  if (chosen || touch.hovered) ui.fill(row, ui.theme.control_hover, ui.px(6));
  ui.text(row.x + ui.px(12), row.centre_y(), action.name,
          {type::label, ui.theme.text1, chosen ? Ink::Medium : Ink::Regular});
  ui.text(row.right() - ui.px(12), row.centre_y(), key_name(action.key),
          {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  return touch.clicked;
}

void run_and_close(Scene& scene, const Action& action) {
  ImGui::CloseCurrentPopup();
  if (action.only) scene.view.mode = *action.only;
  action.run(scene);
}

void draw_rows(Scene& scene, const Box& area, const std::vector<const Action*>& found) {
  const Ui& ui = scene.ui;
  std::size_t& at = scene.view.palette_row;
  const std::size_t count = found.size();
  if (count == 0) {
    ui.text(area.x + ui.px(12), area.y + ui.px(18), "Nothing is called that.", {type::label, ui.theme.text3});
    return;
  }
  at = std::min(at, count - 1);
  if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) at = (at + 1) % count;
  if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) at = (at + count - 1) % count;
  const float line = ui.px(30);
  const auto fits = std::max<std::size_t>(1, static_cast<std::size_t>(area.h / line));
  const std::size_t first = at >= fits ? at - fits + 1 : 0;
  for (std::size_t i = first; i < std::min(count, first + fits); ++i) {
    const Box row{area.x, area.y + line * static_cast<float>(i - first), area.w, line};
    if (action_row(ui, *found[i], row, i == at)) return run_and_close(scene, *found[i]);
  }
  if (ImGui::IsKeyPressed(ImGuiKey_Enter) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter))
    run_and_close(scene, *found[at]);
}

}  // namespace

void open_palette(Scene& scene) {
  scene.view.palette_text.clear();
  scene.view.palette_row = 0;
  scene.view.palette_opens = true;
}

void draw_palette(Scene& scene) {
  const Ui& ui = scene.ui;
  const bool opens = scene.view.palette_opens;
  scene.view.palette_opens = false;
  if (opens) ImGui::OpenPopup(popup);
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float width = std::min(ui.px(520), screen.x - ui.px(16));
  const float height = std::min(ui.px(430), screen.y - ui.px(16));
  const Box box{std::round((screen.x - width) / 2),
                std::round(std::max(ui.px(8), (screen.y - height) * 0.3f)), width, height};
  ImGui::SetNextWindowPos(box.min());
  ImGui::SetNextWindowSize({box.w, box.h});
  ImGui::PushStyleVar(ImGuiStyleVar_PopupRounding, ui.px(10));
  ImGui::PushStyleColor(ImGuiCol_PopupBg, ui.theme.raised);
  ImGui::PushStyleColor(ImGuiCol_Border, ui.theme.border);
  // Arrows and Enter belong to the list.
  if (ImGui::BeginPopup(
          popup, ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoNavInputs | ImGuiWindowFlags_NoScrollbar)) {
    const float pad = ui.px(12);
    if (opens) ImGui::SetKeyboardFocusHere();
    if (text_field(ui, "##palette", {box.x + pad, box.y + pad, box.w - 2 * pad, ui.px(36)},
                   scene.view.palette_text, "What shall happen?", true))
      scene.view.palette_row = 0;
    const float top = box.y + pad + ui.px(46);
    draw_rows(scene, {box.x + pad, top, box.w - 2 * pad, box.bottom() - pad - top}, matching(scene));
    ImGui::EndPopup();
  }
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar();
}

}  // namespace attnscope
