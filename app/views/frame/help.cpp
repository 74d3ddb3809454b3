// app/views/frame: the page of keys and gestures (F1), made from the table of actions, so that it cannot be
// out of date.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/scene/actions.hpp"
#include "app/scene/scene.hpp"
#include "app/state/window_state.hpp"

namespace attnscope {
namespace {

struct HelpLine {
  std::string text, key;
};
/// The lines under one heading, which stay together in a column.
struct KeyBlock {
  std::string heading;
  std::vector<HelpLine> lines;
};

/// The gestures of the mouse; keys are in the table of actions.
constexpr std::array<std::array<std::string_view, 2>, 9> gestures{{
    {"Look at what is under the mouse", "hover"},
    {"Lock a head, a token or a cell", "click"},
    {"Zoom a picture; drag moves it", "wheel"},
    {"Type a number, the picture follows", "click a number"},
    {"Scrub a number, with Ctrl finely", "Alt + drag"},
    {"Give a knob its usual value", "double click"},
    {"Zero, one-hot, noise; patterns of heads", "right click"},
    {"Mute a head, with Shift solo", "click its badge"},
    {"Open a file", "drop it anywhere"},
}};

/// The keyboard's general behaviour.
constexpr std::array<std::string_view, 3> notes{
    "Words typed anywhere go to the sentence: three different letters, each within 0.4 s of the one before, "
    "or two of which one is no key of its own. What the first ones did is taken back.",
    "Undo covers the document and how it is looked at: theme, mode, stage, cell, regions, plots, brush. It "
    "does not cover zoom, scrolling, the size of everything and open cards. To hold is no step; what a step "
    "has dropped or replaced is held again.",
    "Tab goes from control to control, F6 from region to region; Space or Enter presses. On the map the "
    "arrows move the cell."};

std::vector<KeyBlock> blocks() {
  std::vector<KeyBlock> all;
  std::optional<Action::Group> group;
  for (const Action& action : actions()) {
    if (group != action.group) all.push_back({std::string(name_of(action.group)), {}});
    group = action.group;
    std::vector<HelpLine>& lines = all.back().lines;
    if (!lines.empty() && lines.back().text == action.name) {
      lines.back().key =
          inner(lines.back().key) + " or " + inner(key_name(action.key));  // a second key for the same
    } else {
      lines.push_back({std::string(action.name), action.key == 0 ? "by name" : key_name(action.key)});
    }
  }
  KeyBlock mouse{"Mouse", {}};
  for (const auto& [text, key] : gestures) mouse.lines.push_back({std::string(text), std::string(key)});
  all.push_back(std::move(mouse));
  return all;
}

/// Blocks in columns, in reading order; no column is much higher than the others.
struct HelpPage {
  std::vector<std::vector<KeyBlock>> columns;
  float height = 0;  // of the highest, device pixels
};

float help_line_height(const Ui& ui) { return ui.px(22); }
float height_of(const Ui& ui, const KeyBlock& block) {
  return help_line_height(ui) * static_cast<float>(block.lines.size() + 1) + ui.px(12);
}

/// The page with at most `columns` columns and the smallest height.
HelpPage page_of(const Ui& ui, const std::vector<KeyBlock>& all, std::size_t columns) {
  HelpPage page;
  for (float limit = 0; page.columns.empty() || page.columns.size() > columns;
       limit += help_line_height(ui)) {
    page = {{{}}, 0};
    float y = 0;
    for (const KeyBlock& block : all) {
      if (y > 0 && y + height_of(ui, block) > limit) {
        page.columns.emplace_back();
        y = 0;
      }
      page.columns.back().push_back(block);
      page.height = std::max(page.height, y += height_of(ui, block));
    }
  }
  return page;
}

float notes_height(const Ui& ui, float width) {
  float height = 0;
  for (const std::string_view note : notes)
    height += ui.paragraph_height(width, note, type::label) + ui.px(6);
  return height;
}

void draw_block(const Ui& ui, Box row, const KeyBlock& block) {
  row.h = help_line_height(ui);
  ui.text(row.x, row.centre_y(), block.heading, {type::label, ui.theme.query, Ink::Semibold});
  for (const HelpLine& line : block.lines) {
    row.y += row.h;
    const float key = ui.text(row.right(), row.centre_y(), line.key,
                              {type::tick, ui.theme.text2, Ink::Medium, Align::Right, row.w * 0.5f});
    ui.text(row.x, row.centre_y(), line.text,
            {type::label, ui.theme.text1, Ink::Regular, Align::Left, row.w - key - ui.px(12)});
  }
}

}  // namespace

void draw_help(Scene& scene) {
  if (!scene.view.help) return;
  const Ui& ui = scene.ui;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float width = std::min(ui.px(1160), screen.x - ui.px(32)), pad = ui.px(28), gap = ui.px(40);
  if (width < ui.px(120)) return;
  const auto columns = static_cast<std::size_t>(std::clamp(width / ui.px(360), 1.f, 3.f));
  const HelpPage page = page_of(ui, blocks(), columns);
  const float head = ui.px(64), below = notes_height(ui, width - 2 * pad);
  const float height = std::min(page.height + head + below + pad, screen.y - ui.px(32));
  const Box card{std::round((screen.x - width) / 2), std::round((screen.y - height) / 2), width, height};
  ImGui::SetNextWindowPos(card.min());
  ImGui::SetNextWindowSize({card.w, card.h});
  ImGui::SetNextWindowFocus();
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ui.theme.raised);
  ImGui::PushStyleColor(ImGuiCol_Border, ui.theme.border);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, ui.px(12));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, std::max(1.f, std::floor(ui.scale())));
  ImGui::Begin("help", nullptr,
               ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  const float top = ImGui::GetCursorScreenPos().y - ImGui::GetStyle().WindowPadding.y;
  const Box close{card.right() - pad - ui.px(20), card.y + ui.px(20), ui.px(28), ui.px(28)};
  const Ui::Touch touch = ui.touch("Close help", close);
  if (touch.hovered) ui.fill(close, ui.theme.control_hover, ui.px(4));
  ui.text(close.centre_x(), close.centre_y(), "×",
          {type::title, ui.theme.text2, Ink::Regular, Align::Centre});
  ui.text(card.x + pad, top + ui.px(34), "Keys and gestures", {type::title, ui.theme.text1, Ink::Semibold});
  const float wide =
      std::floor((width - 2 * pad - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns));
  float x = card.x + pad;
  for (const std::vector<KeyBlock>& column : page.columns) {
    float y = top + head;
    for (const KeyBlock& block : column) {
      draw_block(ui, {x, y, wide, 0}, block);
      y += height_of(ui, block);
    }
    x += wide + gap;
  }
  float y = top + head + page.height;
  for (const std::string_view note : notes)
    y += ui.paragraph(card.x + pad, y, width - 2 * pad, note, {type::label, ui.theme.text2}) + ui.px(6);
  ImGui::SetCursorScreenPos({card.x + pad, y});
  ImGui::Dummy({1, ui.px(8)});
  if (touch.clicked) scene.view.help = false;
  const bool outside = ImGui::IsMouseClicked(0) && !card.contains(ImGui::GetIO().MousePos);
  if (outside) scene.view.help = false;
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor(2);
}

}  // namespace attnscope
