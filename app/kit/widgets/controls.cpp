// app/kit/widgets: switches, segments, sliders and steppers.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/number_edit.hpp"
#include "app/kit/widgets/widgets.hpp"

namespace attnscope {
namespace {

void focus_ring(const Ui& ui, const Box& box, bool focused, float radius) {
  if (focused) ui.frame(box.grown(ui.px(3)), ui.theme.query, ui.px(2), radius + ui.px(3));
}

/// The state of typing a number between frames, kept in Dear ImGui's storage under the control.
struct Typing {
  ImGuiID id;

  int& frame() const { return *ImGui::GetStateStorage()->GetIntRef(id ^ 0x7479u, 0); }  // the last, 0: none
  bool& begun() const { return *ImGui::GetStateStorage()->GetBoolRef(id ^ 0x6267u, false); }
  bool& tabbed() const { return *ImGui::GetStateStorage()->GetBoolRef(id ^ 0x7462u, false); }  // leaves soon

  explicit Typing(const std::string& label) : id(ImGui::GetID(label.c_str())) {}
  void begin() const {
    frame() = ImGui::GetFrameCount();
    begun() = false;
    tabbed() = false;
  }
  void end() const { frame() = 0; }
  /// False, which closes the field, if it was not drawn in the last frame.
  bool goes_on() const {
    if (frame() == 0 || frame() < ImGui::GetFrameCount() - 1) return false;
    frame() = ImGui::GetFrameCount();
    return true;
  }
};

/// The result of a field for a number.
struct TypedNumber {
  std::optional<double> number;  // empty while the text is not a number
  bool is_broken = false;        // and it cannot become one by typing on
  bool is_taken = false;         // Return, or a changed text that was left by hand, but not by Esc
};

/// The read-out as a text field, while a number is typed. It closes on Enter, Esc, Tab and a click elsewhere.
TypedNumber typed_number(const Ui& ui, const std::string& label, const Box& box, double value, int places) {
  const Typing typing(label);
  ImGui::SetCursorScreenPos({box.x, box.y});
  ImGui::SetNextItemWidth(box.w);
  ui.push_font(type::label);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      {ui.px(4), std::floor((box.h - type::label * ui.scale()) / 2)});
  ImGui::PushStyleVar(ImGuiStyleVar_FrameRounding, ui.px(4));
  ImGui::PushStyleColor(ImGuiCol_FrameBg, ui.theme.canvas);
  ImGui::PushStyleColor(ImGuiCol_Text, ui.theme.text1);
  // Repeated until the field has the keyboard: the window may have lost the focus in between.
  if (!typing.begun()) ImGui::SetKeyboardFocusHere();
  const std::string shown = fmt::format("{:.{}f}", value, places);
  std::string text = shown;  // while it is typed into, Dear ImGui keeps the text and hands it out here
  const bool entered =
      ImGui::InputText(("##type " + label).c_str(), &text,
                       ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  const bool left = typing.begun() && !ImGui::IsItemActive();
  if (ImGui::IsItemActive()) {
    typing.begun() = true;
    if (ImGui::IsKeyPressed(ImGuiKey_Tab, false)) typing.tabbed() = true;
  }
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar(2);
  ImGui::PopFont();
  if (entered || left) typing.end();
  // A field that closes because a file or a text is opened must not write into the new one.
  const bool by_hand = ui.leaves_field() || typing.tabbed() || ImGui::IsMouseClicked(ImGuiMouseButton_Left) ||
                       ImGui::IsMouseClicked(ImGuiMouseButton_Right);
  const bool escaped = ImGui::IsKeyPressed(ImGuiKey_Escape, false);
  const bool begins = text.empty() || text == "-" || text == "+" || text == "\u2212";
  const std::optional<double> number = typed_double(text);
  return {number, !number && !begins, entered || (left && by_hand && !escaped && text != shown)};
}

/// Marks a field whose text cannot be used.
void draw_wrong(const Ui& ui, const Box& field) {
  ui.fill(field, fade(ui.theme.error, 0.2f), ui.px(4));
  ui.frame(field, ui.theme.error, std::max(1.f, ui.px(1.5f)), ui.px(4));
}

}  // namespace

bool toggle(const Ui& ui, const char* label, std::string_view shown, const Box& row, bool on, const Tip& tip,
            bool enabled) {
  const Ui::Touch touch = ui.touch(label, row);
  ui.text(row.x, row.centre_y(), shown,
          {type::label, enabled ? ui.theme.text1 : ui.theme.disabled, Ink::Regular, Align::Left,
           row.w - ui.px(36)});
  const Box track{row.right() - ui.px(28), std::round(row.centre_y() - ui.px(16) / 2), ui.px(28), ui.px(16)};
  const Rgba off = touch.hovered && enabled ? ui.theme.segment_on : ui.theme.control_hover;
  ui.fill(track, !on ? off : enabled ? ui.theme.query : ui.theme.disabled, track.h / 2);
  if (!on) ui.frame(track, ui.theme.border, std::max(1.f, std::floor(ui.scale())), track.h / 2);
  const float x = on ? track.right() - ui.px(8) : track.x + ui.px(8);
  const Rgba knob_off = enabled ? ui.theme.text2 : ui.theme.disabled;
  const Rgba knob = on ? (ui.theme.name == ThemeName::Light ? 0xFFFFFFFFu : ui.theme.canvas) : knob_off;
  ui.disc({x, track.centre_y()}, ui.px(6), knob);
  focus_ring(ui, track, touch.focused, track.h / 2);
  tooltip(ui, touch.hovered, row, tip);
  return touch.clicked && enabled;
}

namespace {

/// The right ends of the segments: of equal width, or, if a name does not fit, of its name's width.
std::vector<float> segment_ends(const Ui& ui, float width, std::span<const std::string_view> names,
                                float text_size) {
  const float alike = width / static_cast<float>(names.size()), pad = ui.px(10);
  std::vector<float> ends;
  float needed = 0, widest = 0;
  for (const std::string_view name : names) {
    const float own = ui.text_width(name, text_size, Ink::Medium);
    needed += own + pad;
    widest = std::max(widest, own);
    ends.push_back(needed);
  }
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const float share = static_cast<float>(i + 1) / static_cast<float>(names.size());
    if (widest <= alike)
      ends[i] = width * share;
    else
      ends[i] = needed > width ? ends[i] * width / needed : ends[i] + (width - needed) * share;
  }
  return ends;
}

}  // namespace

float segments_width(const Ui& ui, std::span<const std::string_view> names, float text_size) {
  float needed = 2 * ui.px(2);
  for (const std::string_view name : names) needed += ui.text_width(name, text_size, Ink::Medium) + ui.px(10);
  return needed;
}

std::optional<int> segments(const Ui& ui, const char* label, const Box& box,
                            std::span<const std::string_view> names, int chosen, std::span<const Tip> tips,
                            SegmentsStyle style) {
  std::optional<int> picked;
  if (!ui.is_figure()) ui.fill(box, ui.theme.control, ui.px(6));
  const float inset = ui.px(2);
  const std::vector<float> ends = segment_ends(ui, box.w - 2 * inset, names, style.text_size);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const float left = std::round(box.x + inset + (i == 0 ? 0 : ends[i - 1]));
    const float right = std::round(box.x + inset + ends[i]);
    const Box cell{left, box.y + inset, right - left, box.h - 2 * inset};
    const bool on = static_cast<int>(i) == chosen, off = (style.disabled >> i & 1u) != 0;
    if (ui.is_figure()) {
      if (on)
        ui.text(cell.centre_x(), cell.centre_y(), names[i],
                {style.text_size, ui.theme.text2, Ink::Regular, Align::Centre});
      continue;
    }
    const Ui::Touch touch = ui.touch((std::string(label) + ": " + plain(names[i])).c_str(), cell);
    if (on) {
      ui.fill(cell, ui.theme.segment_on, ui.px(4));
      ui.frame(cell, ui.theme.segment_line, std::max(1.f, std::floor(ui.scale())), ui.px(4));
    } else if (touch.hovered && !off) {
      ui.fill(cell, ui.theme.control_hover, ui.px(4));
    }
    const Rgba ink = on ? ui.theme.text1 : off ? ui.theme.disabled : ui.theme.text2;
    ui.text(cell.centre_x(), cell.centre_y(), names[i],
            {style.text_size, ink, on ? Ink::Medium : Ink::Regular, Align::Centre, cell.w});
    focus_ring(ui, cell, touch.focused, ui.px(4));
    if (i < tips.size()) tooltip(ui, touch.hovered, cell, tips[i]);
    if (touch.clicked && !on && !off) picked = static_cast<int>(i);
  }
  return picked;
}

std::optional<float> slider(const Ui& ui, const char* label, std::string_view shown,
                            std::string_view read_out, const Box& row, float value, SliderRange range,
                            bool moved, const Tip& tip) {
  const auto to_unit = [&](float v) {
    v = std::clamp(v, range.low, range.high);
    return range.log ? std::log(v / range.low) / std::log(range.high / range.low)
                     : (v - range.low) / (range.high - range.low);
  };
  const auto from_unit = [&](float u) {
    u = std::clamp(u, 0.f, 1.f);
    return range.log ? range.low * std::pow(range.high / range.low, u)
                     : range.low + u * (range.high - range.low);
  };
  std::optional<float> result;
  const float line = ui.px(18), inset = ui.px(6);
  const Box track{row.x + inset, row.y + line, row.w - 2 * inset, row.h - line};
  const Ui::Touch touch = ui.touch(label, {row.x, track.y, row.w, track.h});
  const ImGuiIO& io = ImGui::GetIO();
  if (touch.held && io.MouseDown[0]) {
    const float next = from_unit((io.MousePos.x - track.x) / track.w);
    if (next != value) result = next;
  }
  if (touch.hovered && ImGui::IsMouseDoubleClicked(0)) result = range.rest;
  if (touch.focused) {
    const int step =
        static_cast<int>(ImGui::IsKeyPressed(ImGuiKey_Equal) || ImGui::IsKeyPressed(ImGuiKey_KeypadAdd)) -
        static_cast<int>(ImGui::IsKeyPressed(ImGuiKey_Minus) || ImGui::IsKeyPressed(ImGuiKey_KeypadSubtract));
    if (step != 0) result = from_unit(to_unit(value) + 0.02f * static_cast<float>(step));
  }

  const bool lit = moved || touch.held;
  const float y = std::round(track.y + ui.px(8)), knob = track.x + to_unit(value) * track.w;
  ui.fill({track.x, y - ui.px(2), track.w, ui.px(4)}, ui.theme.control_hover, ui.px(2));
  ui.fill({track.x, y - ui.px(2), knob - track.x, ui.px(4)}, lit ? ui.theme.query : ui.theme.bar, ui.px(2));
  ui.fill(
      {std::round(track.x + to_unit(range.rest) * track.w), y + ui.px(6), std::max(1.f, ui.px(1)), ui.px(4)},
      ui.theme.text3);
  if (touch.hovered || touch.held) ui.disc({knob, y}, ui.px(10), fade(ui.theme.query, 0.22f));
  ui.disc({knob, y}, ui.px(6), ui.theme.name == ThemeName::Light ? 0xFFFFFFFFu : ui.theme.text1);
  if (ui.theme.name == ThemeName::Light) {
    ui.ring({knob, y}, ui.px(6), lit ? ui.theme.query : ui.theme.text3, ui.px(1.5f));
  }
  if (touch.focused) ui.ring({knob, y}, ui.px(10), ui.theme.query, ui.px(2));
  tooltip(ui, touch.hovered && !touch.held, {row.x, track.y, row.w, track.h}, tip);

  const float width = ui.text_width(read_out, type::label);
  ui.text(row.x, row.y + line / 2, shown,
          {type::label, ui.theme.text2, Ink::Regular, Align::Left, std::max(1.f, row.w - width)});
  const Box number{row.right() - std::max(width, ui.px(48)), row.y, std::max(width, ui.px(48)), line};
  const std::string number_id = std::string(label) + " value";
  if (const Typing typing(number_id); typing.goes_on()) {
    const Box field{row.right() - ui.px(72), row.y, ui.px(72), line};
    const TypedNumber typed = typed_number(ui, number_id, field, static_cast<double>(value), 4);
    if (typed.is_broken) draw_wrong(ui, field);
    if (typed.is_taken && typed.number) result = static_cast<float>(*typed.number);
  } else {
    const Ui::Touch type_it = ui.touch(number_id.c_str(), number);
    if (type_it.clicked) typing.begin();
    if (type_it.hovered) ui.horizontal(row.right() - width, row.y + line, width, ui.theme.text3);
    ui.text(row.right(), row.y + line / 2, read_out,
            {type::label, lit ? ui.theme.query : ui.theme.text1, Ink::Regular, Align::Right});
  }
  return result;
}

std::optional<std::int64_t> stepper(const Ui& ui, const char* label, const Box& box, std::int64_t value,
                                    const std::function<std::int64_t(int)>& next, const Tip& tip,
                                    std::string_view read_out, bool wrong, const RefusesTyped& refuses) {
  std::optional<std::int64_t> result;
  const std::string name(label), number = name + " value";
  const Typing typing(number);
  const bool is_typed = typing.goes_on();
  ui.fill(box, ui.theme.control, ui.px(6));
  if (wrong && !is_typed) ui.frame(box, ui.theme.error, std::max(1.f, ui.px(1.5f)), ui.px(6));
  const float side = ui.px(24);
  for (const int step : {-1, 1}) {
    const Box end{step < 0 ? box.x : box.right() - side, box.y, side, box.h};
    const Ui::Touch touch = ui.touch((name + (step < 0 ? " less" : " more")).c_str(), end);
    if (touch.hovered) ui.fill(end, ui.theme.control_hover, ui.px(6));
    ui.text(end.centre_x(), end.centre_y(), step < 0 ? "\u2212" : "+",
            {type::body, touch.hovered ? ui.theme.text1 : ui.theme.text3, Ink::Regular, Align::Centre});
    focus_ring(ui, end, touch.focused, ui.px(6));
    if (touch.clicked) result = next(step);
  }
  const Box middle{box.x + side, box.y, box.w - 2 * side, box.h};
  if (is_typed) {
    const TypedNumber typed = typed_number(ui, number, middle, static_cast<double>(value), 0);
    std::optional<std::int64_t> chosen;
    if (typed.number)
      chosen = static_cast<std::int64_t>(std::llround(std::clamp(*typed.number, -9e15, 9e15)));
    if (typed.is_taken && chosen) {
      result = chosen;
    } else if (const bool told = (chosen || typed.is_broken) && refuses && refuses(chosen);
               told || typed.is_broken) {
      draw_wrong(ui, middle);
    }
  } else {
    const Ui::Touch touch = ui.touch(number.c_str(), middle);
    if (touch.clicked) typing.begin();
    ui.text(middle.centre_x(), middle.centre_y(), read_out.empty() ? grouped(value) : std::string(read_out),
            {type::label, wrong ? ui.theme.error : ui.theme.text1, Ink::Medium, Align::Centre, middle.w});
    focus_ring(ui, middle, touch.focused, ui.px(4));
    tooltip(ui, touch.hovered, box, tip);
  }
  return result == value ? std::nullopt : result;
}

}  // namespace attnscope
