#include "app/actions.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "app/picture.hpp"

namespace attnscope {
namespace {

void move_cell(Scene& scene, std::int64_t rows, std::int64_t columns) {
  const Dimensions& d = scene.result.dimensions;
  Cell cell = scene.selection.cell;
  cell.query = std::clamp<std::int64_t>(cell.query + rows, 0, d.queries - 1);
  cell.key = std::clamp<std::int64_t>(cell.key + columns, 0, d.keys - 1);
  scene.next.cell = cell;
  scene.next.locked = true;
}

void move_head(Scene& scene, std::int64_t step) {
  const std::int64_t heads = scene.result.dimensions.heads;
  scene.next.head = (scene.selection.head + step + heads) % heads;
}

void move_stage(Scene& scene, int step) {
  const std::vector<Plane> all = planes(scene.result);
  const auto now = std::find(all.begin(), all.end(), scene.view.stage) - all.begin();
  const std::ptrdiff_t next = std::clamp<std::ptrdiff_t>(now + step, 0, std::ssize(all) - 1);
  scene.view.show_stage(all[static_cast<std::size_t>(next)]);
}

void turn(Scene& scene, Region region) {
  bool& hidden = scene.view.hidden[static_cast<std::size_t>(region)];
  hidden = !hidden;
}

void toggle_scaling(Scene& scene) {
  Scaling::Kind& kind = scene.document.scaling.kind;
  kind = kind == Scaling::Kind::InverseSqrtDk ? Scaling::Kind::Off : Scaling::Kind::InverseSqrtDk;
}

void toggle_positions(Scene& scene) {
  Positions& now = scene.document.positions;
  if (now != Positions::None) scene.view.positions = now;
  now = now == Positions::None ? scene.view.positions : Positions::None;
}

void leave(Scene& scene) {
  if (!scene.view.message.empty()) {
    scene.view.message.clear();
  } else {
    scene.next.locked = false;
  }
}

void next_range(Scene& scene) {
  const ColourScale scale = colour_scale(scene, scene.view.stage, scene.head());
  scene.view.locked_range = {scale.low, scale.high};
  scene.view.range = static_cast<RangeMode>((static_cast<int>(scene.view.range) + 1) % 4);
}

void step_in_history(Scene& scene, std::optional<Document> (History::*step)(const Document&)) {
  if (std::optional<Document> there = (scene.history.*step)(scene.document))
    scene.document = std::move(*there);
}
void undo(Scene& scene) { step_in_history(scene, &History::undo); }
void redo(Scene& scene) { step_in_history(scene, &History::redo); }

const std::array<Action, 30> table{{
    {"Find an action by name", ImGuiMod_Ctrl | ImGuiKey_K, false, open_palette},
    {"Save the document", ImGuiMod_Ctrl | ImGuiKey_S, false, [](Scene& s) { s.save({}); }},
    {"Undo", ImGuiMod_Ctrl | ImGuiKey_Z, true, undo},
    {"Redo", ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Z, true, redo},
    {"Redo", ImGuiMod_Ctrl | ImGuiKey_Y, true, redo},
    {"Divide by √dₖ on or off", ImGuiKey_S, false, toggle_scaling},
    {"Causal mask on or off", ImGuiKey_C, false,
     [](Scene& s) { s.document.masking.causal = !s.document.masking.causal; }},
    {"Padding mask on or off", ImGuiKey_P, false,
     [](Scene& s) { s.document.masking.padding = !s.document.masking.padding; }},
    {"No mask", ImGuiKey_N, false, [](Scene& s) { s.document.masking = {}; }},
    {"Hide the chosen cell, or show it again", ImGuiKey_M, false, toggle_hidden_cell},
    {"Positions on or off", ImGuiKey_O, false, toggle_positions},
    {"Next theme", ImGuiKey_T, false,
     [](Scene& s) { s.view.theme = static_cast<ThemeName>((static_cast<int>(s.view.theme) + 1) % 3); }},
    {"Direction of the token strip", ImGuiKey_D, false,
     [](Scene& s) { s.view.direction = static_cast<Direction>(1 - static_cast<int>(s.view.direction)); }},
    {"Next range of the colour bar", ImGuiKey_R, false, next_range},
    {"Stage before", ImGuiKey_Comma, false, [](Scene& s) { move_stage(s, -1); }},
    {"Stage after", ImGuiKey_Period, false, [](Scene& s) { move_stage(s, 1); }},
    {"Head before", ImGuiKey_LeftBracket, true, [](Scene& s) { move_head(s, -1); }},
    {"Head after", ImGuiKey_RightBracket, true, [](Scene& s) { move_head(s, 1); }},
    {"Query above", ImGuiKey_UpArrow, true, [](Scene& s) { move_cell(s, -1, 0); }},
    {"Query below", ImGuiKey_DownArrow, true, [](Scene& s) { move_cell(s, 1, 0); }},
    {"Key before", ImGuiKey_LeftArrow, true, [](Scene& s) { move_cell(s, 0, -1); }},
    {"Key after", ImGuiKey_RightArrow, true, [](Scene& s) { move_cell(s, 0, 1); }},
    {"Close the message, unlock the cell", ImGuiKey_Escape, false, leave},
    {"Token strip", ImGuiKey_1, false, [](Scene& s) { turn(s, Region::Strip); }},
    {"Controls", ImGuiKey_2, false, [](Scene& s) { turn(s, Region::Controls); }},
    {"Heads", ImGuiKey_3, false, [](Scene& s) { turn(s, Region::Heads); }},
    {"Signals", ImGuiKey_4, false, [](Scene& s) { turn(s, Region::Signals); }},
    {"Inspector", ImGuiKey_5, false, [](Scene& s) { turn(s, Region::Inspector); }},
    {"Larger", ImGuiMod_Ctrl | ImGuiKey_Equal, true,
     [](Scene& s) { s.view.scale = std::min(4.f, s.view.scale * 1.1f); }},
    {"Smaller", ImGuiMod_Ctrl | ImGuiKey_Minus, true,
     [](Scene& s) { s.view.scale = std::max(0.5f, s.view.scale / 1.1f); }},
}};

bool is_arrow(ImGuiKeyChord key) { return key >= ImGuiKey_LeftArrow && key <= ImGuiKey_DownArrow; }

}  // namespace

std::span<const Action> actions() { return table; }

std::string key_name(ImGuiKeyChord key) {
  const auto plain = static_cast<ImGuiKey>(key & ~ImGuiMod_Mask_);
  std::string name;
  if ((key & ImGuiMod_Ctrl) != 0) name += "Ctrl+";
  if ((key & ImGuiMod_Shift) != 0) name += "Shift+";
  switch (plain) {
    case ImGuiKey_Comma: return name + ",";
    case ImGuiKey_Period: return name + ".";
    case ImGuiKey_LeftBracket: return name + "[";
    case ImGuiKey_RightBracket: return name + "]";
    case ImGuiKey_Equal: return name + "+";
    case ImGuiKey_Minus: return name + "\u2212";
    case ImGuiKey_UpArrow: return name + "↑";
    case ImGuiKey_DownArrow: return name + "↓";
    case ImGuiKey_LeftArrow: return name + "←";
    case ImGuiKey_RightArrow: return name + "→";
    case ImGuiKey_Escape: return name + "Esc";
    default: return name + ImGui::GetKeyName(plain);
  }
}

void run_keyboard(Scene& scene) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.WantTextInput || ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) return;
  for (const Action& action : table) {
    if (is_arrow(action.key) && io.NavVisible) continue;
    const ImGuiInputFlags flags = ImGuiInputFlags_RouteGlobal | (action.repeats ? ImGuiInputFlags_Repeat : 0);
    if (ImGui::Shortcut(action.key, flags)) action.run(scene);
  }
}

}  // namespace attnscope
