// app/views/palette: the command palette: everything that the window can do or show, by name or by meaning.
// Typed letters filter it; the best matches come first.
#include <algorithm>
#include <utility>
#include <vector>

#include <imgui_internal.h>

#include "app/scene/actions.hpp"
#include "app/scene/scene.hpp"
#include "app/state/window_state.hpp"
#include "app/views/palette/entries.hpp"
#include "core/text/letters.hpp"

namespace attnscope {
namespace {

constexpr const char* popup = "Command palette";

/// Longer than any name: comparing the rest of a pasted page with all entries would take seconds.
std::string_view beginning_of(std::string_view typed) {
  constexpr std::size_t most = 200;  // bytes
  if (typed.size() <= most) return typed;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(typed[end]) & 0xC0) == 0x80) --end;
  return typed.substr(0, end);
}

/// The matching entries, the best first; equal ones in the order of the table.
std::vector<PaletteEntry> matching(const Scene& scene) {
  const std::string_view typed = beginning_of(scene.view.palette_text);
  std::vector<std::pair<int, PaletteEntry>> scored;
  for (PaletteEntry& entry : palette_entries(scene))
    if (const int score = score_of(scene.ui.translated(entry.name), entry, typed); score > 0)
      scored.emplace_back(score, std::move(entry));
  std::stable_sort(scored.begin(), scored.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<PaletteEntry> found;
  for (auto& [score, entry] : scored) found.push_back(std::move(entry));
  return found;
}

/// One entry; true when it was clicked.
bool entry_row(const Ui& ui, const PaletteEntry& entry, const Box& row, bool chosen) {
  const Ui::Touch touch = ui.touch((entry.label.empty() ? entry.name : entry.label).c_str(), row);
  if (chosen || touch.hovered) ui.fill(row, ui.theme.control_hover, ui.px(6));
  const float note = ui.text(row.right() - ui.px(12), row.centre_y(), entry.note,
                             {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  ui.text(row.x + ui.px(12), row.centre_y(), entry.name,
          {type::label, ui.theme.text1, chosen ? Ink::Medium : Ink::Regular, Align::Left,
           row.w - note - ui.px(36)});
  return touch.clicked;
}

void run_and_close(Scene& scene, const PaletteEntry& entry) {
  ImGui::CloseCurrentPopup();
  entry.run(scene);
}

void draw_rows(Scene& scene, const Box& area, const std::vector<PaletteEntry>& found) {
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
    if (entry_row(ui, found[i], row, i == at)) return run_and_close(scene, found[i]);
  }
  if (ImGui::IsKeyPressed(ImGuiKey_Enter) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter))
    run_and_close(scene, found[at]);
}

/// The field gets the keyboard at least one frame after the request, and Dear ImGui drops the letters of that
/// frame: until then they are collected here.
void collect_first_letters(ViewState& view) {
  auto& typed = ImGui::GetIO().InputQueueCharacters;
  for (const ImWchar c : typed)
    if (c >= ' ' && c != 127) append_utf8(view.palette_text, static_cast<char32_t>(c));
  typed.resize(0);
}

void draw_palette_field(Scene& scene, const Box& box) {
  ViewState& view = scene.view;
  if (view.palette_waits) collect_first_letters(view);
  if (text_field(scene.ui, "##palette", box, view.palette_text, "What shall happen?", true))
    view.palette_row = 0;
  if (!view.palette_waits || !ImGui::IsItemActive()) return;
  view.palette_waits = false;
  ImGuiInputTextState* const field = ImGui::GetInputTextState(ImGui::GetItemID());
  if (field != nullptr && !view.palette_text.empty()) field->ReloadUserBufAndMoveToEnd();
}

}  // namespace

void open_palette(Scene& scene) {
  if (!std::exchange(scene.view.palette_keeps, false)) scene.view.palette_text.clear();
  scene.view.palette_row = 0;
  scene.view.palette_opens = scene.view.palette_waits = true;
}

void draw_palette(Scene& scene) {
  const Ui& ui = scene.ui;
  const bool opens = scene.view.palette_opens;
  scene.view.palette_opens = scene.view.palette_shown = false;
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
  // Arrows and Enter select in the list.
  if (ImGui::BeginPopup(
          popup, ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoNavInputs | ImGuiWindowFlags_NoScrollbar)) {
    const float pad = ui.px(12);
    scene.view.palette_shown = true;
    if (opens) ImGui::SetKeyboardFocusHere();
    draw_palette_field(scene, {box.x + pad, box.y + pad, box.w - 2 * pad, ui.px(36)});
    if (ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGuiKey_Escape, false)) ImGui::CloseCurrentPopup();
    const float top = box.y + pad + ui.px(46);
    draw_rows(scene, {box.x + pad, top, box.w - 2 * pad, box.bottom() - pad - top}, matching(scene));
    ImGui::EndPopup();
  }
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar();
}

}  // namespace attnscope
