// app/kit/widgets: buttons, text fields, badges and section heads.
#include <algorithm>
#include <utility>

#include <imgui.h>
#include <imgui_internal.h>
#include <misc/cpp/imgui_stdlib.h>

#include "app/files/paths.hpp"
#include "app/kit/widgets/widgets.hpp"

namespace attnscope {

bool button(const Ui& ui, const char* label, const Box& box, const Tip& tip, std::string_view shown) {
  if (ui.is_figure()) return false;
  const Ui::Touch touch = ui.touch(label, box);
  ui.fill(box,
          touch.held      ? ui.theme.segment_on
          : touch.hovered ? ui.theme.control_hover
                          : ui.theme.control,
          ui.px(6));
  if (touch.focused) ui.frame(box.grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(9));
  ui.text(box.centre_x(), box.centre_y(), shown.empty() ? label : shown,
          {type::label, ui.theme.text1, Ink::Medium, Align::Centre, box.w});
  tooltip(ui, touch.hovered, box, tip);
  return touch.clicked;
}

namespace {

/// The behaviour of a text field beyond its text.
struct FieldKind {
  ImGuiInputTextFlags flags = 0;
  ImGuiInputTextCallback callback = nullptr;
  bool accent = false;
  bool keeps = false;    // the picture follows each letter: Esc leaves the field, and what was typed stays
  void* data = nullptr;  // for the callback
};

bool edit_text(const Ui& ui, const char* label, const Box& box, std::string& text,
               std::string_view placeholder, const FieldKind& kind) {
  ImGui::SetCursorScreenPos(box.min());
  ImGui::SetNextItemWidth(box.w);
  ui.push_font(type::label);
  const float line = type::label * ui.scale();
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui.px(10), std::max(0.f, std::floor((box.h - line) / 2))});
  ImGui::PushStyleVar(ImGuiStyleVar_FrameRounding, ui.px(6));
  ImGui::PushStyleColor(ImGuiCol_FrameBg, ui.theme.canvas);
  // While typed into, the field shows letters one by one in the order in which they are typed.
  const bool ours = ImGui::GetActiveID() != ImGui::GetID(label) && ui.is_shaped(text);
  ImGui::PushStyleColor(ImGuiCol_Text, ours ? 0 : ui.theme.text1);
  ImGui::PushStyleColor(ImGuiCol_TextDisabled, ui.theme.text3);
  ImGui::PushStyleColor(ImGuiCol_TextSelectedBg, fade(ui.theme.query, 0.35f));
  ImGui::PushStyleColor(ImGuiCol_InputTextCursor, ui.theme.query);
  ImGui::PushStyleColor(ImGuiCol_NavCursor, 0);
  const std::string hint = ui.translated(placeholder);
  const std::string typed = kind.keeps ? text : std::string();
  bool answer = ImGui::InputTextWithHint(label, hint.c_str(), &text, kind.flags, kind.callback, kind.data);
  if (kind.keeps && ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGuiKey_Escape, false)) {
    text = typed;
    answer = false;
  }
  const bool active = ImGui::IsItemActive(), hovered = ImGui::IsItemHovered();
  ImGui::PopStyleColor(6);
  ImGui::PopStyleVar(2);
  ImGui::PopFont();
  if (ours) ui.field_text(box, text, {type::label, ui.theme.text1});
  ui.copy_field(box, text.empty() ? hint : text,
                {type::label, text.empty() ? ui.theme.text3 : ui.theme.text1, Ink::Regular, Align::Left,
                 box.w - ui.px(20)});
  const float hair = std::max(1.f, std::floor(ui.scale()));
  const Rgba edge = active || kind.accent ? ui.theme.query : hovered ? ui.theme.text3 : ui.theme.border;
  ui.frame(box, edge, active ? 2 * hair : hair, ui.px(6));
  ui.show_if_sought(label, box);
  return answer;
}

struct PathEditing {
  const std::filesystem::path& folder;
  bool* to_end;
};

int edit_path(ImGuiInputTextCallbackData* data) {
  const auto& editing = *static_cast<const PathEditing*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackAlways) {
    if (editing.to_end && std::exchange(*editing.to_end, false)) {
      data->CursorPos = data->BufTextLen;
      data->ClearSelection();
    }
    return 0;
  }
  const std::string before(data->Buf, static_cast<std::size_t>(data->BufTextLen));
  const std::string longer = completed_path(before, editing.folder);
  if (longer == before) return 0;
  data->DeleteChars(0, data->BufTextLen);
  data->InsertChars(0, longer.c_str());
  return 0;
}

}  // namespace

bool text_field(const Ui& ui, const char* label, const Box& box, std::string& text,
                std::string_view placeholder, bool accent) {
  return edit_text(ui, label, box, text, placeholder, {0, nullptr, accent, true});
}

bool path_field(const Ui& ui, const char* label, const Box& box, std::string& text,
                std::string_view placeholder, const std::filesystem::path& folder, bool* to_end) {
  PathEditing editing{folder, to_end};
  return edit_text(ui, label, box, text, placeholder,
                   {ImGuiInputTextFlags_CallbackCompletion | ImGuiInputTextFlags_CallbackAlways |
                        ImGuiInputTextFlags_EnterReturnsTrue,
                    edit_path, false, false, &editing});
}

void badge(const Ui& ui, const Box& box, std::string_view text, Rgba ground, Rgba ink, float size) {
  ui.fill(box, ground, ui.px(4));
  ui.text(box.centre_x(), box.centre_y(), text, {size, ink, Ink::Semibold, Align::Centre});
}

bool section_header(const Ui& ui, const char* label, const Box& row, std::string_view note, bool open) {
  const Ui::Touch touch = ui.touch(label, row);
  const float cx = row.x + ui.px(4), cy = row.centre_y(), r = ui.px(3.5f);
  const ImVec2 down[3] = {{cx - r, cy - r / 2}, {cx, cy + r / 2}, {cx + r, cy - r / 2}};
  const ImVec2 right[3] = {{cx - r / 2, cy - r}, {cx + r / 2, cy}, {cx - r / 2, cy + r}};
  ui.polyline(open ? down : right, touch.hovered ? ui.theme.text1 : ui.theme.text3, ui.px(1.5f));
  ui.text(row.x + ui.px(16), row.centre_y(), label, {type::label, ui.theme.text1, Ink::Semibold});
  ui.text(row.right(), row.centre_y(), note, {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  if (touch.focused) ui.frame(row.grown(ui.px(2)), ui.theme.query, ui.px(2), ui.px(6));
  return touch.clicked;
}

}  // namespace attnscope
