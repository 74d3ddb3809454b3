#include "app/views/controls/column.hpp"

#include <algorithm>
#include <cmath>

#include "app/state/model_look.hpp"
#include "app/state/regions/controls_state.hpp"
#include "app/state/regions/layout.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/state/window_state.hpp"

namespace attnscope {
namespace {

/// Three dots beside a section's title; true when they were clicked.
bool dots(const Ui& ui, const char* label, const Box& box, bool open, bool used) {
  const Ui::Touch touch = ui.touch(label, box);
  if (touch.hovered || open) ui.fill(box, ui.theme.control, ui.px(4));
  if (touch.focused) ui.frame(box.grown(ui.px(2)), ui.theme.query, ui.px(2), ui.px(6));
  const Rgba ink = used ? ui.theme.query : touch.hovered || open ? ui.theme.text1 : ui.theme.text3;
  for (const float step : {-1.f, 0.f, 1.f})
    ui.disc({box.centre_x() + step * ui.px(5), box.centre_y()}, ui.px(1.5f), ink);
  tooltip(ui, touch.hovered, box,
          {open ? "Fewer controls" : "More controls",
           {},
           used ? "A setting in here differs from its default." : "Less common settings."});
  return touch.clicked;
}

}  // namespace

Box Column::row(float logical_height, float gap_after) {
  const Box box{x, std::round(y), width, ui().px(logical_height)};
  y += ui().px(logical_height + gap_after);
  return box;
}

/// Only sections of Explore can be hidden; those of a model are always shown.
bool Column::is_away(Section which) const {
  const auto at = static_cast<std::size_t>(which);
  return at < ControlsState::known_sections.size() &&
         !controls_of(scene.view).sections.has(ControlsState::known_sections[at]);
}

/// The menu of a right click on a section's title, which reduces the column, such as for a class.
void Column::title_menu(const char* label, Section which, const Box& title) {
  const auto at = static_cast<std::size_t>(which);
  if (at >= ControlsState::known_sections.size()) return;
  const std::string menu = std::string("Sections: ") + label;
  if (ImGui::IsMouseHoveringRect(title.min(), title.max()) && ImGui::IsWindowHovered() &&
      ImGui::IsMouseClicked(ImGuiMouseButton_Right))
    ImGui::OpenPopup(menu.c_str());
  ListOfNames& shown = controls_of(scene.view).sections;
  context_menu(ui(), menu.c_str(), [&] {
    if (menu_row(ui(), "This section alone")) shown.names = ControlsState::known_sections[at];
    if (menu_row(ui(), "Hide this section")) {
      std::string rest;
      for (std::size_t i = 0; i < ControlsState::known_sections.size(); ++i)
        if (i != at && shown.has(ControlsState::known_sections[i]))
          rest += (rest.empty() ? "" : ", ") + std::string(ControlsState::known_sections[i]);
      if (!rest.empty()) shown.names = rest;
    }
    if (!shown.names.empty() && menu_row(ui(), "All sections")) shown.names.clear();
  });
}

bool Column::begin(const SectionHead& head) {
  away_ = is_away(head.which);
  if (away_) return false;
  const auto at = static_cast<std::size_t>(head.which);
  constexpr auto of_model = static_cast<std::size_t>(Section::Model);
  signed char& fold =
      at < of_model ? controls_of(scene.view).fold[at] : model_look_of(scene.view).fold[at - of_model];
  const bool usual = head.opens == Opens::Always || (head.opens == Opens::WhenWide && !scene.compact);
  bool open = fold == 0 ? usual : fold > 0;
  const Box title = row(24, 6);
  const float name_end =
      ui().px(head.has_extras ? 60 : 24) + ui().text_width(head.label, type::label, Ink::Semibold);
  const std::string note = ui().fitted(head.note, type::tick, Ink::Regular, title.w - name_end);
  // The dots come before the line, as Dear ImGui gives a click to the first widget under the mouse.
  if (head.has_extras) {
    const float left = title.x + ui().px(24) + ui().text_width(head.label, type::label, Ink::Semibold);
    const std::string label = std::string("More: ") + head.label;
    bool& more = controls_of(scene.view).more[at];
    const Box box{left, title.y + ui().px(2), ui().px(28), ui().px(20)};
    if (dots(ui(), label.c_str(), box, open && more, head.extras_used)) {
      more = !(open && more);
      fold = 1;
      open = true;
      if (more) opened_ = title.y;
    }
  }
  title_menu(head.label, head.which, title);
  if (section_header(ui(), head.label, title, note, open)) {
    open = !open;
    fold = open ? 1 : -1;
    if (open) opened_ = title.y;
  }
  return open;
}

void Column::end() {
  if (away_) return;
  // Scrolls a section unfolded at the lower end into sight, its title at most to the top.
  if (opened_ && y > bottom_) {
    const float top = ImGui::GetWindowPos().y + ui().px(12);
    ImGui::SetScrollY(ImGui::GetScrollY() + std::min(y + ui().px(12) - bottom_, *opened_ - top));
  }
  opened_.reset();
  y += ui().px(2);
  ui().horizontal(x, y, width, ui().theme.hairline);
  y += ui().px(8);
}

std::optional<std::int64_t> Column::number(const char* label, std::string_view shown, std::int64_t value,
                                           const std::function<std::int64_t(int)>& next, const Tip& tip,
                                           std::string_view read_out, bool wrong,
                                           const std::function<std::string(std::int64_t)>& why_not) {
  const Box line = row(28);
  const float wide = ui().px(scene.compact ? 92 : 112);
  ui().text(line.x, line.centre_y(), shown,
            {type::label, ui().theme.text2, Ink::Regular, Align::Left, line.w - wide - ui().px(8)});
  const auto refuses = [&](std::optional<std::int64_t> typed) {
    std::string words;
    if (!typed)
      words = "A number is expected here.";
    else if (why_not)
      words = why_not(*typed);
    if (words.empty()) return false;
    scene.view.hint = std::move(words);
    return true;
  };
  return stepper(ui(), label, {line.right() - wide, line.y, wide, line.h}, value, next, tip, read_out, wrong,
                 refuses);
}

bool Column::whole_number(const char* label, std::string_view shown, int& value, WholeRange range,
                          const Tip& tip, std::string_view read_out) {
  const auto next = [&](int by) { return std::int64_t{value} + by * range.step; };
  const auto chosen = number(label, shown, value, next, tip, read_out);
  if (chosen) value = static_cast<int>(std::clamp<std::int64_t>(*chosen, range.least, range.most));
  return chosen.has_value();
}

void Column::seed(const char* label, std::string_view shown, std::uint64_t& value, const Tip& tip) {
  const auto now = static_cast<std::int64_t>(value);
  if (const auto chosen = number(
          label, shown, now, [now](int by) { return now + by; }, tip))
    value = static_cast<std::uint64_t>(std::max<std::int64_t>(0, *chosen));
}

bool Column::turn(const char* label, std::string_view shown, bool& on, const Tip& tip, float gap_after) {
  const bool turned = toggle(ui(), label, shown, row(28, gap_after), on, tip);
  if (turned) on = !on;
  return turned;
}

std::optional<int> Column::choice(const char* label, std::string_view shown,
                                  std::span<const std::string_view> names, int chosen,
                                  std::span<const Tip> tips) {
  const SegmentsStyle style{.text_size = scene.compact ? type::tick : type::label};
  const TextStyle text{type::label, ui().theme.text2};
  const float gap = ui().px(8), left = ui().text_width(shown, type::label);
  const float needed = segments_width(ui(), names, style.text_size);
  const float usual = std::round(std::min(ui().px(156), width * 0.66f));
  if (needed > usual && left + gap + needed > width) {  // the names need the whole width
    const Box title = row(20, 2);
    ui().text(title.x, title.centre_y(), shown, text);
    return segments(ui(), label, row(28), names, chosen, tips, style);
  }
  const Box line = row(28);
  const float wide = std::max(usual, std::ceil(needed));
  ui().text(line.x, line.centre_y(), shown,
            {text.size, text.colour, Ink::Regular, Align::Left, line.w - wide - gap});
  return segments(ui(), label, {line.right() - wide, line.y, wide, line.h}, names, chosen, tips, style);
}

void Column::fact(const char* label, std::string_view shown, std::string_view value, const Tip& tip,
                  bool alarming) {
  const Box line = row(20, 4);
  const Ui::Touch touch = ui().touch(label, line, false);
  const float wide = ui().text(
      line.right(), line.centre_y(), value,
      {type::label, alarming ? ui().theme.key : ui().theme.text1, Ink::Regular, Align::Right, line.w * 0.7f});
  ui().text(line.x, line.centre_y(), shown,
            {type::label, ui().theme.text2, Ink::Regular, Align::Left, line.w - wide - ui().px(8)});
  tooltip(ui(), touch.hovered, line, tip);
}

void Column::remark(std::string_view text, bool alarming) {
  y += ui().paragraph(x, std::round(y), width, text,
                      {type::tick, alarming ? ui().theme.key : ui().theme.text3}) +
       ui().px(8);
}

void draw_column(Scene& scene, const Box& region, std::span<const DrawSection> sections, float& scroll) {
  const Ui& ui = scene.ui;
  ImGui::SetCursorScreenPos(region.min());
  ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, ui.px(8));
  ImGui::BeginChild("controls", {region.w - ui.px(splitter_reach), region.h}, ImGuiChildFlags_NavFlattened,
                    ImGuiWindowFlags_NoBackground);
  keep_scroll(ui, scroll);
  const ImVec2 top = ImGui::GetCursorScreenPos();
  Column column(scene, {region.x + ui.px(16), top.y + ui.px(12), region.w - ui.px(32), 0}, region.bottom());
  for (const DrawSection section : sections) section(column);
  if (!controls_of(scene.view).sections.names.empty()) {
    const Box row = column.row(28, 4);
    if (button(ui, "All sections", row,
               {"All sections", {}, "The column is reduced; this brings back what is not shown."}))
      controls_of(scene.view).sections.names.clear();
  }
  ImGui::SetCursorScreenPos({region.x, column.y});
  ImGui::Dummy({1, ui.px(4)});
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ui.vertical(region.right() - 1, region.y, region.h, ui.theme.hairline);
}

void draw_controls(Scene& scene, const Box& region) {
  // The sections used most in class come first; in a small window the others fold to one line each.
  constexpr DrawSection sections[] = {scaling_section,    mask_section,      softmax_section,
                                      input_section,      weights_section,   heads_section,
                                      block_section,      positions_section, backward_section,
                                      statistics_section, cost_section};
  draw_column(scene, region, sections, regions_of(scene.view).scrolls.controls);
}

}  // namespace attnscope
