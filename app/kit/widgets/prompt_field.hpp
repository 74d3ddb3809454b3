// app/kit/widgets: the field that a prompt is typed into. It stands in one line, newlines and tabs as the
// signs ↵ and ⇥; with the keyboard in it, a text of several lines shows them below each other.
#pragma once

#include <string>
#include <string_view>

#include "app/kit/ui/ui.hpp"

namespace attnscope {

/// The text in one line: a newline as ↵, a tab as ⇥.
std::string with_signs(std::string_view text);

/// Editable text of any number of lines, UTF-8; true on every keystroke that changed it. `text` has newlines
/// and tabs themselves: the signs are only drawn. Shift+Enter is a new line; Enter and Esc leave the field
/// and keep what was typed. With the keyboard in it the field grows downwards from `box` (device pixels) over
/// what lies there, to six lines at most and never out of the window; its item is as large as it is then.
/// `accent` outlines it as the chosen one.
bool prompt_field(const Ui&, const char* label, const Box&, std::string& text, std::string_view placeholder,
                  bool accent = false);

/// Behind ImGui::EndChild() or a prompt_field(): that child lies above the other children of its window. It
/// is painted over them and takes the mouse before them.
void raise_last_child();

}  // namespace attnscope
