// app: everything a key does, in one table. Tooltips name the same keys.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <imgui.h>

#include "app/scene.hpp"

namespace attnscope {

struct Action {
  std::string_view name;  // as a person calls it
  ImGuiKeyChord key;
  bool repeats = false;  // while the key is held
  void (*run)(Scene&);
};

std::span<const Action> actions();
/// "Ctrl+K", as tooltips and the palette write it.
std::string key_name(ImGuiKeyChord key);

/// Ctrl+K: opens the list of all actions; draw_palette() shows it.
void open_palette(Scene&);
void draw_palette(Scene&);

/// Runs the actions whose keys were pressed. While text is typed or a list is open the keys belong to those;
/// while the keyboard walks through the controls the arrows do.
void run_keyboard(Scene&);

}  // namespace attnscope
