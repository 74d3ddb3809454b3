// app/kit/widgets: tooltips and lists, which float.
#include <algorithm>

#include <imgui_internal.h>

#include "app/kit/widgets/widgets.hpp"

namespace attnscope {
namespace {

/// Whether the mouse has not moved since it clicked the hovered item: the click may have opened something
/// where the tooltip would be.
bool was_just_clicked() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  const double rests = static_cast<double>(std::min(g.MouseStationaryTimer, g.HoveredIdTimer));
  return ImGui::GetTime() - g.IO.MouseClickedTime[0] <= rests + static_cast<double>(g.IO.DeltaTime) / 2;
}

/// Storage that all parts of the main window share. Null in the window of the speaker's notes.
ImGuiStorage* kept_for_tips() {
  ImGuiWindow* const window = ImGui::FindWindowByName("AttnScope");
  return window != nullptr ? &window->StateStorage : nullptr;
}

/// Whether a key has opened something and the mouse has not moved since.
bool do_tips_rest() {
  ImGuiStorage* const kept = kept_for_tips();
  if (kept == nullptr) return false;
  bool& rest = *kept->GetBoolRef(ImHashStr("##tips rest"));
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  rest = rest && mouse.x == kept->GetFloat(ImHashStr("##tips x")) &&
         mouse.y == kept->GetFloat(ImHashStr("##tips y"));
  return rest;
}

/// Whether the page of keys covers the current window. It is drawn last, so last frame's state counts.
bool is_behind_keys() {
  const ImGuiWindow* const page = ImGui::FindWindowByName("help");
  return page != nullptr && page->WasActive && ImGui::GetCurrentWindowRead()->RootWindow != page;
}

void push_popup_style(const Ui& ui) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(6), ui.px(6)});
  ImGui::PushStyleVar(ImGuiStyleVar_PopupRounding, ui.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_PopupBorderSize, std::max(1.f, std::floor(ui.scale())));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::PushStyleColor(ImGuiCol_PopupBg, ui.theme.raised);
  ImGui::PushStyleColor(ImGuiCol_Border, ui.theme.border);
}

void pop_popup_style() {
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar(4);
}

}  // namespace

void rest_tips() {
  ImGuiStorage* const kept = kept_for_tips();
  if (kept == nullptr) return;
  kept->SetBool(ImHashStr("##tips rest"), true);
  kept->SetFloat(ImHashStr("##tips x"), ImGui::GetIO().MousePos.x);
  kept->SetFloat(ImHashStr("##tips y"), ImGui::GetIO().MousePos.y);
}

Box place_of_tip(ImVec2 screen, const Box& near, ImVec2 size, float gap, Clear clear) {
  const float margin = gap / 2;
  const float right = near.right() + gap, left = near.x - gap - size.x;
  const float below = near.bottom() + gap, above = near.y - gap - size.y;
  const bool fits_right = right + size.x <= screen.x - margin, fits_left = left >= margin;
  const bool fits_below = below + size.y <= screen.y - margin, fits_above = above >= margin;
  // Along a side, the tip begins where the box begins, if the screen has room.
  const float along_x = std::clamp(near.x, margin, std::max(margin, screen.x - size.x - margin));
  const float along_y = std::clamp(near.y, margin, std::max(margin, screen.y - size.y - margin));
  const auto at = [&](float x, float y) { return Box{std::round(x), std::round(y), size.x, size.y}; };
  if (clear == Clear::OfRowAndColumn && (fits_right || fits_left) && (fits_below || fits_above))
    return at(fits_right ? right : left, fits_below ? below : above);
  // Tips of wide boxes (rows, bars) go below them, those of narrow boxes beside them.
  const bool wide = near.w > 2 * size.x;
  if (!wide && fits_right) return at(right, along_y);
  if (fits_below) return at(along_x, below);
  if (fits_above) return at(along_x, above);
  if (fits_right) return at(right, along_y);
  if (fits_left) return at(left, along_y);
  return at(along_x, std::max(margin, screen.y - size.y - margin));
}

void tooltip(const Ui& ui, bool hovered, const Box& near, const Tip& tip, Clear clear) {
  if (!hovered || tip.title.empty() || was_just_clicked() || is_behind_keys() || do_tips_rest()) return;
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_DelayShort)) return;
  const float pad = ui.px(14), width = ui.px(300), inner = width - 2 * pad;
  const TextStyle title{type::body, ui.theme.text1, Ink::Semibold};
  const TextStyle formula{type::label, ui.theme.query};
  const TextStyle why{type::label, ui.theme.text2};
  const auto height_of = [&](std::string_view text) { return ui.paragraph_height(inner, text, type::label); };
  const float height = 2 * pad + ui.px(20) + (tip.formula.empty() ? 0 : ui.px(6) + height_of(tip.formula)) +
                       (tip.why.empty() ? 0 : ui.px(6) + height_of(tip.why));
  const Box box = place_of_tip(ImGui::GetIO().DisplaySize, near, {width, height}, ui.px(8), clear);

  ImGui::SetNextWindowPos(box.min());
  ImGui::SetNextWindowSize({box.w, box.h});
  push_popup_style(ui);
  if (ImGui::BeginTooltip()) {
    ui.text(box.x + pad, box.y + pad + ui.px(8), tip.title, title);
    if (!tip.key.empty()) {
      const float w = ui.text_width(tip.key, type::tick) + ui.px(12);
      const Box cap{box.right() - pad - w, box.y + pad - ui.px(2), w, ui.px(20)};
      ui.frame(cap, ui.theme.border, std::max(1.f, std::floor(ui.scale())), ui.px(4));
      ui.text(cap.centre_x(), cap.centre_y(), tip.key,
              {type::tick, ui.theme.text2, Ink::Regular, Align::Centre});
    }
    float y = box.y + pad + ui.px(26);
    if (!tip.formula.empty()) y += ui.px(6) + ui.paragraph(box.x + pad, y, inner, tip.formula, formula);
    if (!tip.why.empty()) ui.paragraph(box.x + pad, y, inner, tip.why, why);
    ImGui::Dummy({width - ui.px(12), height - ui.px(12)});
    ImGui::EndTooltip();
  }
  pop_popup_style();
}

bool drop_box(const Ui& ui, const char* label, const Box& box, std::string_view shown, const Tip& tip) {
  if (ui.is_figure()) {
    ui.text(box.x + ui.px(10), box.centre_y(), shown,
            {type::label, ui.theme.text2, Ink::Regular, Align::Left, box.w - ui.px(36)});
    return false;
  }
  const Ui::Touch touch = ui.touch(label, box);
  const bool open = ImGui::IsPopupOpen(label);
  ui.fill(box, touch.hovered || open ? ui.theme.control_hover : ui.theme.control, ui.px(6));
  if (touch.focused) ui.frame(box.grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(8));
  ui.text(box.x + ui.px(10), box.centre_y(), shown,
          {type::label, ui.theme.text1, Ink::Regular, Align::Left, box.w - ui.px(36)});
  const float cx = box.right() - ui.px(14), cy = box.centre_y(), r = ui.px(3.5f);
  const ImVec2 chevron[3] = {{cx - r, cy - r / 2}, {cx, cy + r / 2}, {cx + r, cy - r / 2}};
  ui.polyline(chevron, ui.theme.text3, ui.px(1.5f));
  tooltip(ui, touch.hovered && !open, box, tip);
  return touch.clicked;
}

void drop(const Ui& ui, const char* label, const Box& box, std::string_view shown, const Tip& tip,
          const std::function<void()>& rows) {
  if (drop_box(ui, label, box, shown, tip)) ImGui::OpenPopup(label);
  drop_list(ui, label, box, rows);
}

void drop_list(const Ui& ui, const char* label, const Box& box, const std::function<void()>& rows) {
  // Dear ImGui shows a list one frame after measuring it. The measured size decides whether the list goes
  // below the box, and how far to the left, so that it stays inside the screen.
  ImGuiStorage& measured = *ImGui::GetStateStorage();
  const ImGuiID id = ImGui::GetID(label);
  const ImGuiID width_id = id ^ 0x7769u;
  const float height = measured.GetFloat(id), width = measured.GetFloat(width_id);
  const float below = box.bottom() + ui.px(4), above = box.y - ui.px(4) - height;
  const bool fits = below + height <= ImGui::GetIO().DisplaySize.y || above < 0;
  const float x = std::max(0.f, std::min(box.x, ImGui::GetIO().DisplaySize.x - ui.px(8) - width));
  ImGui::SetNextWindowPos({x, fits ? below : above});
  ImGui::SetNextWindowSizeConstraints({std::max(box.w, ui.px(232)), 0}, {ui.px(420), ui.px(560)});
  push_popup_style(ui);
  if (ImGui::BeginPopup(label)) {
    rows();
    measured.SetFloat(id, ImGui::GetWindowHeight());
    measured.SetFloat(width_id, ImGui::GetWindowWidth());
    ImGui::EndPopup();
  }
  pop_popup_style();
}

void context_menu(const Ui& ui, const char* label, const std::function<void()>& rows) {
  ImGui::SetNextWindowSizeConstraints({ui.px(232), 0}, {ui.px(420), ui.px(560)});
  push_popup_style(ui);
  if (ImGui::BeginPopup(label)) {
    rows();
    ImGui::EndPopup();
  }
  pop_popup_style();
}

void menu_title(const Ui& ui, std::string_view title) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ui.text_width(title, type::tick) + ui.px(36);
  ui.text(at.x + ui.px(18), at.y + ui.px(13), title, {type::tick, ui.theme.text3});
  ImGui::Dummy({std::max(ImGui::GetContentRegionAvail().x, width), ui.px(26)});
}

bool menu_row(const Ui& ui, const char* label, std::string_view note, bool chosen) {
  const std::string_view text(label), shown = text.substr(0, text.find("##"));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float wanted = ui.text_width(shown, type::label) + ui.text_width(note, type::tick) + ui.px(56);
  const Box row{at.x, at.y, std::max(ImGui::GetContentRegionAvail().x, wanted), ui.px(28)};
  const Ui::Touch touch = ui.touch(label, row);
  if (touch.hovered || touch.focused) ui.fill(row, ui.theme.control_hover, ui.px(6));
  if (chosen)
    ui.fill({row.x + ui.px(6), row.centre_y() - ui.px(2.5f), ui.px(5), ui.px(5)}, ui.theme.query, ui.px(3));
  ui.text(row.x + ui.px(18), row.centre_y(), shown, {type::label, ui.theme.text1});
  ui.text(row.right() - ui.px(10), row.centre_y(), note,
          {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  if (touch.clicked) ImGui::CloseCurrentPopup();
  return touch.clicked;
}

}  // namespace attnscope
