// app/views/signals: the names of the plots and the line above each.
#include <algorithm>
#include <array>

#include "app/scene/picture.hpp"
#include "app/state/regions/signals_state.hpp"
#include "app/views/signals/plots.hpp"

namespace attnscope {

namespace {

struct PlotWords {
  const char* in_list;
  Tip above;
};

/// In the order of the enumerators.
constexpr std::array<PlotWords, plot_kinds> plot_words{
    {{"Entropy per row",
      {"Entropy per row", "H = −Σ w ln w", "Entropy of every query's weights, in every head."}},
     {"Entropy per head",
      {"Entropy per head", "mean over the rows of H", "Which heads attend to one key and which to all."}},
     {"Entropy map, heads × rows",
      {"Entropy map", "H / ln(allowed), heads × queries", "Normalised entropy of every row of every head."}},
     {"Spread of the scores",
      {"Scores", "S and S × scale, allowed cells",
       "Distribution of the allowed scores, before and after scaling."}},
     {"Spread of the weights",
      {"Weights", "number of cells, log(1 + count)",
       "How many weights matter, and how many underflowed to exactly 0."}},
     {"Chosen cell against time",
      {"Against time", "H of the row, weight and scale of the chosen cell",
       "What the chosen cell does while a knob moves.", "F"}},
     {"Gradient norms per head",
      {"Gradient norms", "√ Σ (∂loss / ∂w)² of each head",
       "Gradient norms of each head's weights under this loss."}},
     {"Attention received per key",
      {"Attention received", "Σ over the queries of w",
       "Column sums of this head's weights; dashed: uniform attention under this mask."}}}};

}  // namespace

Tip words(PlotKind kind) { return plot_words[static_cast<std::size_t>(kind)].above; }

const char* name_in_list(PlotKind kind) { return plot_words[static_cast<std::size_t>(kind)].in_list; }

void show_plot(SignalsState& signals, int slot, PlotKind kind) {
  auto& slots = signals.slots;
  PlotKind& here = slots[static_cast<std::size_t>(slot)];
  const auto there = std::find(slots.begin(), slots.end(), kind);
  if (there != slots.end()) *there = here;
  here = kind;
}

std::optional<Box> TitleLine::room(float width) {
  const Ui& ui = place_.scene.ui;
  if (right_ - width - place_.box.x < ui.px(88)) return std::nullopt;
  const Box box{std::round(right_ - width), place_.box.y - ui.px(2), width, ui.px(24)};
  right_ = box.x - ui.px(6);
  return box;
}

bool TitleLine::tool(const char* label, std::string_view shown, bool on, const Tip& tip) {
  const Ui& ui = place_.scene.ui;
  if (ui.is_figure()) return false;
  const auto box = room(ui.text_width(shown, type::tick, Ink::Medium) + ui.px(16));
  if (!box) return false;
  const Ui::Touch touch = ui.touch(label, *box);
  ui.fill(*box,
          on || touch.held ? ui.theme.segment_on
          : touch.hovered  ? ui.theme.control_hover
                           : ui.theme.control,
          ui.px(6));
  if (on) ui.frame(*box, ui.theme.segment_line, std::max(1.f, std::floor(ui.scale())), ui.px(6));
  if (touch.focused) ui.frame(box->grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(9));
  ui.text(box->centre_x(), box->centre_y(), shown,
          {type::tick, on ? ui.theme.query : ui.theme.text1, Ink::Medium, Align::Centre});
  tooltip(ui, touch.hovered, *box, tip);
  return touch.clicked;
}

std::optional<int> TitleLine::choice(const char* label, std::span<const std::string_view> names, int chosen,
                                     std::span<const Tip> tips) {
  const Ui& ui = place_.scene.ui;
  float widest = 0;
  for (const std::string_view name : names)
    widest = std::max(widest, ui.text_width(name, type::tick, Ink::Medium));
  const auto box = room(static_cast<float>(names.size()) * (widest + ui.px(14)) + ui.px(4));
  if (!box) return std::nullopt;
  return segments(ui, label, *box, names, chosen, tips, {.text_size = type::tick});
}

Box TitleLine::finish(std::string_view unit) {
  const Ui& ui = place_.scene.ui;
  const Box& box = place_.box;
  const Tip tip = words(place_.kind());
  const float y = box.y + ui.px(10), chevron_room = ui.px(18);
  const float most = right_ - box.x - chevron_room;
  const float width = std::min(most, ui.text_width(tip.title, type::label, Ink::Medium));
  const Box title{box.x - ui.px(6), box.y - ui.px(2), width + chevron_room + ui.px(8), ui.px(24)};
  const std::string label = "Plot " + std::to_string(place_.slot + 1);
  const Ui::Touch touch = ui.touch(label.c_str(), title);
  const bool open = ImGui::IsPopupOpen(label.c_str());
  if (touch.hovered || open) ui.fill(title, ui.theme.control_hover, ui.px(6));
  if (touch.focused) ui.frame(title.grown(ui.px(1)), ui.theme.query, ui.px(2), ui.px(7));
  ui.text(box.x, y, tip.title, {type::label, ui.theme.text1, Ink::Medium, Align::Left, most});
  const float cx = box.x + width + ui.px(10), r = ui.px(3);
  const ImVec2 chevron[3] = {{cx - r, y - r / 2}, {cx, y + r / 2}, {cx + r, y - r / 2}};
  if (!ui.is_figure())
    ui.polyline(chevron, touch.hovered || open ? ui.theme.text1 : ui.theme.text3, ui.px(1.5f));
  tooltip(ui, touch.hovered && !open, title, tip);
  if (touch.clicked) ImGui::OpenPopup(label.c_str());
  drop_list(ui, label.c_str(), title, [&] {
    menu_title(ui, "What stands here");
    for (int k = 0; k < plot_kinds; ++k) {
      const auto kind = static_cast<PlotKind>(k);
      if (menu_row(ui, name_in_list(kind), {}, kind == place_.kind()))
        show_plot(signals_of(place_.scene.view), place_.slot, kind);
    }
  });
  const float left = title.right() + ui.px(6), left_over = right_ - left;
  // Drops parts of the unit from the end, at "  ·  ", until it fits.
  for (std::size_t last = unit.rfind("  ·  ");
       last != std::string_view::npos && ui.text_width(unit, type::tick) > left_over;
       last = unit.rfind("  ·  "))
    unit = unit.substr(0, last);
  if (left_over > ui.px(40))
    ui.text(left, y, unit, {type::tick, ui.theme.text3, Ink::Regular, Align::Left, left_over});
  return {box.x, box.y + ui.px(24), box.w, box.h - ui.px(24)};
}

const Measures* held_measures(const Shown& shown) {
  return shown.held && shown.stats.can_compare() ? &shown.held->result->layer().measures : nullptr;
}

Rgba positive_fill(const Ui& ui) { return fade(colormap(ui.theme.scores)[208], 0.4f); }
Rgba negative_fill(const Ui& ui) { return fade(colormap(ui.theme.scores)[48], 0.4f); }

void draw_empty_plot(const Ui& ui, const Box& area, std::string_view what, std::string_view remedy) {
  const Box outline{area.x, area.y + ui.px(6), area.w, area.h - ui.px(10)};
  const ImVec2 corners[5] = {outline.min(),
                             {outline.right(), outline.y},
                             outline.max(),
                             {outline.x, outline.bottom()},
                             outline.min()};
  draw_dashes(ui, {corners, corners + 5}, ui.theme.border, std::max(1.f, std::floor(ui.scale())));
  const float y = outline.centre_y();
  ui.text(area.centre_x(), y - ui.px(10), what,
          {type::label, ui.theme.text2, Ink::Medium, Align::Centre, area.w - ui.px(16)});
  ui.text(area.centre_x(), y + ui.px(10), remedy,
          {type::tick, ui.theme.text3, Ink::Regular, Align::Centre, area.w - ui.px(16)});
}

}  // namespace attnscope
