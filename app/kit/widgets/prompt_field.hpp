// app/kit/widgets: the text field for a prompt. It shows the text in one line, newlines and tabs as the signs
// ↵ and ⇥; while it has the keyboard, it shows several lines below each other.
#pragma once

#include <string>
#include <string_view>

#include "app/kit/ui/ui.hpp"

namespace attnscope {

/// The text in one line: a newline as ↵, a tab as ⇥.
std::string with_signs(std::string_view text);

/// Editable text of any number of lines, UTF-8; true on every keystroke that changed it. `text` contains
/// newlines and tabs themselves: the signs are only drawn. Shift+Enter inserts a newline; Enter and Esc leave
/// the field and keep what was typed. While it has the keyboard, the field grows downwards from `box` (device
/// pixels) over what lies there, to six lines at most and never out of the window; its item has that size.
/// `accent` outlines it as the chosen one.
bool prompt_field(const Ui&, const char* label, const Box&, std::string& text, std::string_view placeholder,
                  bool accent = false);

/// Call after ImGui::EndChild() or a prompt_field(): raises that child above the other children of its
/// window. It is painted over them and takes the mouse before them.
void raise_last_child();

}  // namespace attnscope
