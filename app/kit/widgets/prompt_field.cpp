#include "app/kit/widgets/prompt_field.hpp"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <utility>

#include <climits>
#include <imgui_internal.h>

namespace attnscope {
namespace {

constexpr std::array<std::pair<char, std::string_view>, 2> prompt_signs{{{'\n', "↵"}, {'\t', "⇥"}}};

/// The sign drawn for the character; empty: the character itself.
std::string_view sign_of(char c) {
  const auto* const sign = std::ranges::find(prompt_signs, c, &std::pair<char, std::string_view>::first);
  return sign == prompt_signs.end() ? std::string_view() : sign->second;
}

/// The layout of the field in this frame.
struct PromptShape {
  Box box;
  ImVec2 pad;
  bool typed_into;  // it had the keyboard when the frame began
  bool grown;       // it shows several lines
};

PromptShape shape_of(const Ui& ui, const Box& box, const ImGuiInputTextState* typed) {
  const float line = type::label * ui.scale();
  PromptShape shape{box, {ui.px(10), std::max(0.f, std::floor((box.h - line) / 2))}, typed != nullptr, false};
  if (typed == nullptr) return shape;
  const auto lines = 1 + std::count(typed->TextA.Data, typed->TextA.Data + typed->TextLen, '\n');
  constexpr float most_lines = 6;
  const float room = ImGui::GetIO().DisplaySize.y - ui.px(8) - box.y - 2 * shape.pad.y;
  const float most = std::clamp(std::floor(room / line), 1.f, most_lines);
  shape.grown = lines > 1;
  shape.box.h =
      std::max(box.h, std::ceil(std::min(static_cast<float>(lines), most) * line + 2 * shape.pad.y));
  return shape;
}

/// Dear ImGui sets TextSrc only while the field takes its keys.
void type_into(ImGuiInputTextState& field, std::string_view text) {
  field.TextSrc = field.TextA.Data;
  for (const char *at = text.data(), *end = at + text.size(); at < end;) {
    unsigned int letter = 0;
    at += ImTextCharFromUtf8(&letter, at, end);
    field.OnCharPressed(letter);
  }
  field.TextSrc = nullptr;
}

bool is_paste_pressed(ImGuiKey& key) {
  const ImGuiIO& io = ImGui::GetIO();
  key = io.KeyCtrl ? ImGuiKey_V : ImGuiKey_Insert;
  return io.KeyCtrl ? !io.KeyAlt && ImGui::IsKeyPressed(key) : io.KeyShift && ImGui::IsKeyPressed(key);
}

/// Pastes texts whose newlines are single '\r', letter by letter: Dear ImGui would drop those.
void paste_old_newlines(ImGuiInputTextState& field) {
  ImGuiKey key;
  const char* const clipboard = is_paste_pressed(key) ? ImGui::GetClipboardText() : nullptr;
  if (clipboard == nullptr) return;
  std::string pasted(clipboard);
  for (std::size_t at = 0; (at = pasted.find("\r\n", at)) != std::string::npos;) pasted.erase(at, 1);
  if (pasted.find('\r') == std::string::npos) return;
  ImGui::SetKeyOwner(key, ImGui::GetID("old newlines"), ImGuiInputFlags_LockThisFrame);
  std::ranges::replace(pasted, '\r', '\n');
  type_into(field, pasted);
}

/// Before the field takes its keys: Shift+Enter inserts a newline, Enter alone leaves the field.
void take_newlines(ImGuiInputTextState& field) {
  for (const ImGuiKey key : {ImGuiKey_Enter, ImGuiKey_KeypadEnter}) {
    if (!ImGui::GetIO().KeyShift || !ImGui::IsKeyDown(key)) continue;
    if (ImGui::IsKeyPressed(key, false)) type_into(field, "\n");
    ImGui::GetKeyData(key)->DownDuration = FLT_MIN;  // hides the key from the field, which Enter would leave
  }
  paste_old_newlines(field);
}

ImGuiInputTextFlags prompt_flags() {
  ImGuiInputTextFlags flags = ImGuiInputTextFlags_CallbackResize;
  flags |= ImGuiInputTextFlags_Multiline;  // an enumerator of another type
  // Enter never inserts a newline, with Ctrl or without.
  if (!ImGui::GetIO().KeyCtrl) flags |= ImGuiInputTextFlags_CtrlEnterForNewLine;
  // What is pasted keeps its tabs; the key Tab goes on to the next widget.
  ImGuiKey key;
  if (is_paste_pressed(key)) flags |= ImGuiInputTextFlags_AllowTabInput;
  return flags;
}

int resize_prompt(ImGuiInputTextCallbackData* data) {
  std::string& text = *static_cast<std::string*>(data->UserData);
  text.resize(static_cast<std::size_t>(data->BufTextLen));
  data->Buf = text.data();
  return 0;
}

/// Dear ImGui's own field, with the font pushed. Its text is visible only while it is typed into.
bool edit_prompt(const Ui& ui, const char* label, const PromptShape& shape, std::string& text,
                 std::string_view placeholder) {
  ImGui::SetCursorScreenPos(shape.box.min());
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, shape.pad);
  ImGui::PushStyleVar(ImGuiStyleVar_FrameRounding, ui.px(6));
  ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, 0);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, shape.grown ? ui.theme.canvas : 0);
  ImGui::PushStyleColor(ImGuiCol_Text, shape.typed_into ? ui.theme.text1 : 0);
  ImGui::PushStyleColor(ImGuiCol_TextDisabled, ui.theme.text3);
  ImGui::PushStyleColor(ImGuiCol_TextSelectedBg, fade(ui.theme.query, 0.35f));
  ImGui::PushStyleColor(ImGuiCol_InputTextCursor, ui.theme.query);
  ImGui::PushStyleColor(ImGuiCol_NavCursor, 0);
  const std::string hint = ui.translated(placeholder), before = text;
  bool changed = ImGui::InputTextEx(label, hint.c_str(), text.data(), static_cast<int>(text.capacity() + 1),
                                    {shape.box.w, shape.box.h}, prompt_flags(), resize_prompt, &text);
  // Undoes Dear ImGui's revert on Esc: the picture follows each letter, so what was typed stays.
  if (ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGuiKey_Escape, false)) {
    text = before;
    changed = false;
  }
  ImGui::PopStyleColor(6);
  ImGui::PopStyleVar(3);
  return changed;
}

float width_of_line(std::string_view line) {
  if (line.empty()) return 0;
  const char* const begin = line.data();
  return ImGui::GetFont()->CalcTextSizeA(ImGui::GetFontSize(), FLT_MAX, 0, begin, begin + line.size()).x;
}

/// The byte offset of the letter at `x`, which is measured from the first letter of the text in one line.
int place_in_line(std::string_view text, float x) {
  float used = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    unsigned int letter = 0;
    const int bytes = ImTextCharFromUtf8(&letter, text.data() + at, text.data() + text.size());
    const std::string_view sign = sign_of(text[at]);
    const float width = width_of_line(sign.empty() ? text.substr(at, static_cast<std::size_t>(bytes)) : sign);
    if (x < used + width / 2) break;
    used += width;
    at += static_cast<std::size_t>(bytes);
  }
  return static_cast<int>(at);
}

/// Called when the field gets the keyboard. By a key, all of the text is selected. By a click, the cursor
/// goes to the clicked letter of the text as it was drawn then, in one line.
void begin_typing(ImGuiInputTextState& field, const PromptShape& shape, std::string_view text) {
  const ImGuiIO& io = ImGui::GetIO();
  field.CursorFollow = true;
  if (!io.MouseClicked[0] || io.KeyCtrl) return field.SelectAll();
  if (text.find_first_of("\n\t") == std::string_view::npos) return;
  field.ReloadUserBufAndMoveToEnd();
  field.ReloadSelectionStart = field.ReloadSelectionEnd =
      place_in_line(text, io.MousePos.x - shape.box.x - shape.pad.x);
  field.SelectedAllMouseLock = true;  // the lines move under the mouse, which must not select by that
}

/// The field grows as its text is typed: text that was scrolled out at the left comes back.
void fill_prompt(const Ui& ui, ImGuiInputTextState& field, const PromptShape& shape, std::string_view text) {
  const float room = shape.box.w - ui.px(24);
  field.Scroll.x = std::min(field.Scroll.x, std::max(0.f, width_of_line(text) - room));
}

/// Drawn over Dear ImGui's text: ↵ behind each line, ⇥ in the space of a tab.
void draw_prompt_signs(const Ui& ui, const PromptShape& shape, std::string_view text, ImVec2 scroll) {
  const float line = ImGui::GetFontSize(), left = shape.box.x + shape.pad.x - scroll.x;
  float y = shape.box.y + shape.pad.y - scroll.y;
  ui.clip(shape.box);
  for (std::size_t begin = 0, at = 0; at < text.size() && y < shape.box.bottom(); ++at) {
    const std::string_view sign = sign_of(text[at]);
    if (!sign.empty() && y + line > shape.box.y) {
      const float x = left + width_of_line(text.substr(begin, at - begin));
      ui.field_text({x - ui.px(10), y, 2 * line + ui.px(20), line}, sign, {type::label, ui.theme.text3});
    }
    if (text[at] != '\n') continue;
    begin = at + 1;
    y += line;
  }
  ui.unclip();
}

/// Draws a scrollbar for a text with more lines than are shown.
void draw_scrolled(const Ui& ui, const PromptShape& shape, std::string_view text, float scroll) {
  const auto lines = static_cast<float>(1 + std::ranges::count(text, '\n'));
  const float whole = lines * ImGui::GetFontSize() + 2 * shape.pad.y, room = shape.box.h - ui.px(8);
  if (whole < shape.box.h + 1) return;
  const float share = shape.box.h / whole, top = std::clamp(scroll / whole, 0.f, 1 - share);
  ui.fill({shape.box.right() - ui.px(6), shape.box.y + ui.px(4) + top * room, ui.px(3), share * room},
          ui.theme.border, ui.px(1.5f));
}

/// The scroll offset of the lines: they are in a child window, which does not exist while the field is out of
/// sight.
float scroll_of(ImGuiID field) {
  const ImVector<ImGuiWindow*>& children = ImGui::GetCurrentWindow()->DC.ChildWindows;
  return children.empty() || children.back()->ChildId != field ? 0 : children.back()->Scroll.y;
}

void draw_edge(const Ui& ui, const PromptShape& shape, bool active, bool hovered, bool accent) {
  const float hair = std::max(1.f, std::floor(ui.scale()));
  const Rgba edge = active || accent ? ui.theme.query : hovered ? ui.theme.text3 : ui.theme.border;
  ui.frame(shape.box, edge, active ? 2 * hair : hair, ui.px(6));
}

/// Draws in the field's own window, which covers the drawing of the window around it. The field remains the
/// last item.
template <class Draw>
void draw_above_text(const char* label, const PromptShape& shape, const Draw& draw) {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  const ImGuiLastItemData item = g.LastItemData;
  const ImGuiID activated = std::exchange(g.NavActivateId, 0);  // else the child would take the keyboard
  ImGui::BeginChild(label, {shape.box.w, shape.box.h}, ImGuiChildFlags_Borders, ImGuiWindowFlags_NoMove);
  draw();
  ImGui::EndChild();
  g.NavActivateId = activated;
  g.LastItemData = item;
}

}  // namespace

std::string with_signs(std::string_view text) {
  std::string shown;
  for (const char& c : text) {
    const std::string_view sign = sign_of(c);
    shown += sign.empty() ? std::string_view(&c, 1) : sign;
  }
  return shown;
}

void raise_last_child() {
  const ImVector<ImGuiWindow*>& children = ImGui::GetCurrentWindow()->DC.ChildWindows;
  if (!children.empty()) children.back()->BeginOrderWithinParent = SHRT_MAX;
}

bool prompt_field(const Ui& ui, const char* label, const Box& box, std::string& text,
                  std::string_view placeholder, bool accent) {
  const ImGuiID id = ImGui::GetID(label);
  ImGuiInputTextState* const before = ImGui::GetActiveID() == id ? ImGui::GetInputTextState(id) : nullptr;
  if (before != nullptr) take_newlines(*before);
  const PromptShape shape = shape_of(ui, box, before);
  if (!shape.grown) ui.fill(box, ui.theme.canvas, ui.px(6));
  ui.push_font(type::label);
  const bool changed = edit_prompt(ui, label, shape, text, placeholder);
  const bool active = ImGui::IsItemActive(), hovered = ImGui::IsItemHovered();
  ImGuiInputTextState* const field = active ? ImGui::GetInputTextState(id) : nullptr;
  const float scrolled = scroll_of(id);
  if (field != nullptr && ImGui::IsItemActivated()) begin_typing(*field, shape, text);
  if (field != nullptr) fill_prompt(ui, *field, shape, text);
  const std::string line = with_signs(text);
  // The place in which Dear ImGui draws the line while it is typed into.
  const Box row{box.x, box.y, box.w, ImGui::GetFontSize() + 2 * shape.pad.y};
  if (!shape.typed_into && !text.empty()) ui.field_text(row, line, {type::label, ui.theme.text1});
  const auto draw = [&] {
    if (shape.typed_into && field != nullptr) draw_prompt_signs(ui, shape, text, {field->Scroll.x, scrolled});
    if (shape.grown) draw_scrolled(ui, shape, text, scrolled);
    draw_edge(ui, shape, active, hovered, accent);
  };
  if (shape.grown) {
    raise_last_child();
    draw_above_text(label, shape, draw);
  }
  ui.copy_field(box, text.empty() ? ui.translated(placeholder) : line,
                {type::label, text.empty() ? ui.theme.text3 : ui.theme.text1, Ink::Regular, Align::Left,
                 box.w - ui.px(20)});
  if (!shape.grown) draw();
  ImGui::PopFont();
  ui.show_if_sought(label, shape.box);
  return changed;
}

}  // namespace attnscope
