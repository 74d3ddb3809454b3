#include "app/kit/widgets/number_edit.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

namespace attnscope {
namespace {

constexpr float coarse = 0.01f, fine = 0.001f;  // per logical pixel

/// The number as text to type: six significant digits, a plain hyphen.
std::string as_typed(float value) { return fmt::format("{:.6g}", value); }

/// One grid in one frame.
class NumberGridFrame {
 public:
  NumberGridFrame(const Ui& ui, NumberEditing& editing, const NumberGrid& grid)
      : ui_(ui), editing_(editing), grid_(grid) {}

  NumberGridResult run() {
    ImGui::SetNextItemAllowOverlap();  // the field stands above the numbers
    result_.touch = ui_.touch(grid_.label, grid_.area);
    result_.touch.clicked = result_.touch.clicked && !was_dragged();
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (result_.touch.pointed || (is_mine() && editing_.scrubbing)) result_.hovered = grid_.under(mouse);
    tell();
    take_mouse();
    if (is_mine() && (editing_.at.row >= grid_.rows || editing_.at.column >= grid_.columns)) stop();
    if (is_mine() && editing_.scrubbing) scrub();
    if (is_mine() && editing_.typing) type();
    menu();
    return result_;
  }

 private:
  bool is_mine() const { return editing_.is(grid_.label); }

  void stop() {
    editing_.grid.clear();
    editing_.typing = editing_.scrubbing = editing_.menu = editing_.begun = false;
  }

  void begin(NumberAt at) {
    stop();
    editing_.grid = grid_.label;
    editing_.at = at;
    editing_.start = editing_.value = grid_.value(at);
    editing_.since = ImGui::GetTime();
    ++editing_.count;
  }

  void begin_typing(NumberAt at) {
    begin(at);
    editing_.typing = true;
    editing_.text = as_typed(editing_.start);
  }

  void event(NumberEvent::Kind kind, float value = 0) {
    result_.event = NumberEvent{kind, editing_.at, value, stretch()};
  }

  NumberStretch stretch() const {
    return grid_.stretch ? grid_.stretch(editing_.at) : NumberStretch{0, grid_.columns};
  }

  void set(float value) {
    if (value == editing_.value) return;
    editing_.value = value;
    event(NumberEvent::Kind::Set, value);
  }

  void restore() {
    if (editing_.value != editing_.start) event(NumberEvent::Kind::Restore, editing_.start);
    stop();
  }

  void tell() const {
    if (!result_.hovered || result_.touch.held || (is_mine() && (editing_.typing || editing_.menu))) return;
    const std::string name = grid_.name(*result_.hovered);
    Tip tip = grid_.tip(*result_.hovered);
    tip.title = name;
    tooltip(ui_, result_.touch.hovered, grid_.box_of(*result_.hovered), tip);
  }

  void take_mouse() {
    const ImGuiIO& io = ImGui::GetIO();
    if (result_.touch.clicked && !result_.hovered) {  // by the keyboard: the last number
      const NumberAt at{std::clamp<std::int64_t>(editing_.at.row, 0, grid_.rows - 1),
                        std::clamp<std::int64_t>(editing_.at.column, 0, grid_.columns - 1)};
      if (grid_.can_edit(at)) begin_typing(at);
      return;
    }
    if (!result_.hovered || !result_.touch.hovered) return;
    const NumberAt at = *result_.hovered;
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Right) && grid_.can_edit_rows && grid_.can_edit(at)) {
      begin(at);
      editing_.menu = true;
      ImGui::OpenPopup(menu_label().c_str());
    } else if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && io.KeyAlt && grid_.can_edit(at)) {
      begin(at);
      editing_.scrubbing = true;
    } else if (result_.touch.clicked && !(is_mine() && editing_.scrubbing) && grid_.can_edit(at)) {
      begin_typing(at);
    }
  }

  /// Whether the mouse was dragged before this release, so that it is not a click.
  bool was_dragged() const {
    const float far = ui_.px(5);
    const ImGuiIO& io = ImGui::GetIO();
    return io.MouseReleased[0] && io.MouseDragMaxDistanceSqr[0] > far * far;
  }

  void scrub() {
    const ImGuiIO& io = ImGui::GetIO();
    if (ImGui::IsKeyPressed(ImGuiKey_Escape)) {
      restore();
      return;
    }
    if (!io.MouseDown[0]) {
      stop();
      return;
    }
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
    const float more = io.MouseDelta.x - io.MouseDelta.y;  // to the right and up
    if (more != 0) set(editing_.value + more / ui_.scale() * (io.KeyCtrl ? fine : coarse));
    frame_of_cell();
  }

  void frame_of_cell() const { ui_.frame(grid_.box_of(editing_.at), ui_.theme.query, ui_.px(2), ui_.px(3)); }

  /// The box of the text field: over the number, wide enough to type into, between the sides of the area.
  Box field() const {
    const Box cell = grid_.box_of(editing_.at);
    const float w = std::max(cell.w, ui_.px(92)), h = std::max(std::min(cell.h, ui_.px(28)), ui_.px(24));
    const float x = std::clamp(cell.centre_x() - w / 2, std::min(grid_.area.x, cell.x),
                               std::max(grid_.area.x, grid_.area.right() - w));
    return {std::round(x), std::round(cell.centre_y() - h / 2), w, h};
  }

  static int without_tabs(ImGuiInputTextCallbackData* data) { return data->EventChar == '\t' ? 1 : 0; }

  /// The field itself; true when its text changed.
  bool draw_field(const Box& box) {
    const std::string label =
        fmt::format("##{}: type {} {}", grid_.label, editing_.at.row, editing_.at.column);
    ImGui::SetCursorScreenPos(box.min());
    ImGui::SetNextItemWidth(box.w);
    ui_.push_font(type::label);
    const float padding = std::max(0.f, std::floor((box.h - type::label * ui_.scale()) / 2));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui_.px(6), padding});
    ImGui::PushStyleVar(ImGuiStyleVar_FrameRounding, ui_.px(4));
    ImGui::PushStyleColor(ImGuiCol_FrameBg, ui_.theme.raised);
    ImGui::PushStyleColor(ImGuiCol_Text, ui_.theme.text1);
    ImGui::PushStyleColor(ImGuiCol_TextSelectedBg, fade(ui_.theme.query, 0.35f));
    ImGui::PushStyleColor(ImGuiCol_InputTextCursor, ui_.theme.query);
    ImGui::PushStyleColor(ImGuiCol_NavCursor, 0);
    if (!editing_.begun) ImGui::SetKeyboardFocusHere();
    const bool changed =
        ImGui::InputText(label.c_str(), &editing_.text,
                         ImGuiInputTextFlags_AutoSelectAll | ImGuiInputTextFlags_AllowTabInput |
                             ImGuiInputTextFlags_CallbackCharFilter | ImGuiInputTextFlags_NoUndoRedo,
                         without_tabs);
    ImGui::PopStyleColor(5);
    ImGui::PopStyleVar(2);
    ImGui::PopFont();
    ui_.frame(box, ui_.theme.query, ui_.px(2), ui_.px(4));
    return changed;
  }

  void type() {
    const Box box = field();
    const bool first_click =
        ImGui::GetTime() - editing_.since < 2 * static_cast<double>(ImGui::GetIO().MouseDoubleClickTime);
    const bool changed = draw_field(box);
    const bool left = editing_.begun && ImGui::IsItemDeactivated();
    const bool hovered = ImGui::IsItemHovered();
    if (ImGui::IsItemActive()) editing_.begun = true;
    if (hovered && first_click && ImGui::IsMouseDoubleClicked(0)) {
      if (grid_.can_reset(editing_.at)) event(NumberEvent::Kind::Reset);
      stop();
      return;
    }
    if (left && ImGui::IsKeyPressed(ImGuiKey_Escape, false)) return stop();  // the typed number stays
    if (changed)
      if (const std::optional<float> typed = typed_float(editing_.text)) set(*typed);
    move_on(left);
  }

  /// Enter and Tab go to the next number, with Shift to the previous one; the arrows go up and down. A click
  /// elsewhere ends the editing.
  void move_on(bool left) {
    const bool shift = ImGui::GetIO().KeyShift;
    const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(key, false); };
    NumberAt next = editing_.at;
    const bool enter = pressed(ImGuiKey_Enter) || pressed(ImGuiKey_KeypadEnter);
    if (editing_.begun && (enter || pressed(ImGuiKey_DownArrow) || pressed(ImGuiKey_UpArrow))) {
      next.row += pressed(ImGuiKey_UpArrow) || (enter && shift) ? -1 : 1;
    } else if (editing_.begun && pressed(ImGuiKey_Tab)) {
      next.column += shift ? -1 : 1;
      if (next.column < 0 || next.column >= grid_.columns) {  // on to the next line, as in a table
        next.row += shift ? -1 : 1;
        next.column = shift ? grid_.columns - 1 : 0;
      }
    } else {
      if (left) stop();
      return;
    }
    const bool there =
        next.row >= 0 && next.row < grid_.rows && next.column >= 0 && next.column < grid_.columns;
    if (there && grid_.can_edit(next)) {
      begin_typing(next);
      editing_.since = -1e9;  // no click began it
    } else {
      stop();
    }
  }

  std::string menu_label() const { return std::string(grid_.label) + ": row"; }

  void menu() {
    using Kind = NumberEvent::Kind;
    context_menu(ui_, menu_label().c_str(), [&] {
      if (!is_mine()) return;
      const std::string name = grid_.name(editing_.at);
      menu_title(ui_, name);
      const auto choice = [&](const char* label, std::string_view note, Kind kind) {
        if (menu_row(ui_, label, note)) event(kind);
      };
      choice("Zero row", "0 0 0 …", Kind::Zero);
      choice("One-hot row", "1 here, else 0", Kind::OneHot);
      choice("Noise row", "N(0, σ²)", Kind::Noise);
      if (menu_row(ui_, "Copy row", "to paste elsewhere")) copy();
      if (!editing_.row.empty())
        choice("Paste row", std::to_string(editing_.row.size()) + " numbers", Kind::PasteRow);
      if (grid_.can_reset(editing_.at)) {
        choice("Reset number", "double click", Kind::Reset);
        choice("Reset row", "as it was made", Kind::ResetRow);
      }
    });
    if (is_mine() && editing_.menu && !ImGui::IsPopupOpen(menu_label().c_str())) stop();
  }

  void copy() {
    editing_.row.clear();
    const auto [begin, end] = stretch();
    for (std::int64_t column = begin; column < end; ++column)
      editing_.row.push_back(grid_.value({editing_.at.row, column}));
  }

  const Ui& ui_;
  NumberEditing& editing_;
  const NumberGrid& grid_;
  NumberGridResult result_;
};

template <class Real>
std::optional<Real> typed_real(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("\u2212")) {
      plain += '-';
      i += std::string_view("\u2212").size() - 1;
    } else if (text[i] != ' ' && !(plain.empty() && text[i] == '+')) {
      plain += text[i] == ',' ? '.' : text[i];
    }
  }
  Real value = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (error != std::errc() || end != plain.data() + plain.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

}  // namespace

std::optional<float> typed_float(std::string_view text) { return typed_real<float>(text); }

std::optional<double> typed_double(std::string_view text) { return typed_real<double>(text); }

NumberGridResult number_grid(const Ui& ui, NumberEditing& editing, const NumberGrid& grid) {
  return NumberGridFrame(ui, editing, grid).run();
}

}  // namespace attnscope
