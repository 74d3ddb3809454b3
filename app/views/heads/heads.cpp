// app/views: all heads as live thumbnails under one shared range, so that sinks and diffuse heads can be
// compared. They can be sorted by a statistic, and intervened on to see their effect on the output.
#include <algorithm>
#include <cmath>

#include "app/scene/picture.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/heads_state.hpp"
#include "app/state/regions/layout.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/views/heads/head_menu.hpp"
#include "app/views/heads/head_order.hpp"
#include "app/views/heads/output_change_strip.hpp"
#include "app/views/heads/thumbnail.hpp"
#include "core/document/known.hpp"

namespace attnscope {
namespace {

/// The layout of the thumbnails, device pixels.
struct HeadsGrid {
  int columns = 2;
  float side = 0, width = 0, row_height = 0;  // side: the picture's longer one; width: of a thumbnail
  bool lines = false;                         // with a line of read-outs
  float pitch = 0;                            // from column to column
};

constexpr int most_columns = 8;

float column_gap(const Ui& ui) { return ui.px(12); }

/// The height of a thumbnail without its picture.
float overhead(const Ui& ui, bool lines) {
  using Space = ThumbnailSpace;
  const float below = lines ? Space::below + Space::line + Space::gap : Space::gap_without_line;
  return ui.px(Space::label) + ui.px(Space::above) + ui.px(below);
}

/// The grid with this number of columns, which share the width.
HeadsGrid with_columns(const Ui& ui, const Box& area, int columns, const Aspect& aspect, bool lines) {
  HeadsGrid grid{.columns = columns, .lines = lines};
  const auto count = static_cast<float>(columns);
  grid.width = std::max(ui.px(16), std::floor((area.w - column_gap(ui) * (count - 1)) / count));
  grid.side = std::floor(grid.width / aspect.wide);
  return grid;
}

/// The grid with the number of columns that makes the pictures largest without scrolling; side 0 if none
/// fits.
HeadsGrid fit(const Ui& ui, const Box& area, std::int64_t heads, const Aspect& aspect, bool lines) {
  const float besides = overhead(ui, lines), label = ui.px(112);
  HeadsGrid best;
  for (int columns = heads == 1 ? 1 : 2; columns <= most_columns; ++columns) {
    HeadsGrid grid = with_columns(ui, area, columns, aspect, lines);
    const auto rows = static_cast<float>((heads + columns - 1) / columns);
    const float height = std::floor((std::floor(area.h / rows) - besides) / aspect.high);
    if (aspect.wide < 1 && grid.width < ui.px(ThumbnailSpace::least_side)) break;
    grid.side = std::min(grid.side, height);
    if (grid.side <= best.side) continue;
    // The thumbnail of a narrow picture is wide enough for its label.
    const Box picture = aspect.picture(ui, 0, 0, grid.side);
    grid.width = aspect.wide < 1 ? std::max(picture.w, std::min(grid.width, label)) : picture.w;
    grid.row_height = picture.h + besides;
    best = grid;
  }
  return best;
}

/// Spreads the columns to the region's right edge if the height limits the pictures; the gap grows by at most
/// 0.6 of a thumbnail's width.
HeadsGrid spread(const Ui& ui, HeadsGrid grid, const Box& area) {
  const float least = grid.width + column_gap(ui);
  const float wanted =
      grid.columns < 2 ? least : std::floor((area.w - grid.width) / static_cast<float>(grid.columns - 1));
  grid.pitch = std::clamp(wanted, least, least + grid.width * 0.6f);
  return grid;
}

/// The grid with read-outs if they hardly make the pictures smaller, else without; it scrolls if the pictures
/// would be too small to read.
HeadsGrid grid_of(const Ui& ui, const Box& area, std::int64_t heads, const Aspect& aspect) {
  const HeadsGrid bare = fit(ui, area, heads, aspect, false), with_words = fit(ui, area, heads, aspect, true);
  const bool roomy = with_words.side >= ui.px(ThumbnailSpace::least_side_with_line);
  if (with_words.side >= ui.px(60) && with_words.side >= (roomy ? 0.85f : 0.98f) * bare.side)
    return spread(ui, with_words, area);
  const float least = ui.px(ThumbnailSpace::least_side), gap = column_gap(ui);
  if (bare.side >= least) return spread(ui, bare, area);
  const int columns = std::clamp(static_cast<int>((area.w + gap) / (least + gap)), 1, most_columns);
  HeadsGrid scrolled = with_columns(ui, area, columns, aspect, false);
  scrolled.side = std::min(scrolled.side, scrolled.width * 3);  // with few keys and many queries
  scrolled.row_height = aspect.picture(ui, 0, 0, scrolled.side).h + overhead(ui, false);
  return spread(ui, scrolled, area);
}

void draw_title(Scene& scene, const Box& line) {
  const Ui& ui = scene.ui;
  const float width = ui.text(line.x, line.centre_y(), "Heads", {type::body, ui.theme.text1, Ink::Semibold});
  HeadsState& state = head_grid_of(scene.view);
  const float list = std::min(ui.px(scene.compact ? 100 : 128), line.w - width - ui.px(8));
  if (list < ui.px(48)) return;
  const Box box{line.right() - list, line.y, list, line.h};
  const HeadOrder shown = can_sort_by(scene.result, state.order) ? state.order : HeadOrder::Index;
  drop(ui, "Sort heads", box, statistic(shown).name,
       {"Sort heads", "the largest first",
        "The order is only how they are looked at: no head changes its number."},
       [&] {
         for (const HeadStatistic& s : head_statistics()) {
           if (!can_sort_by(scene.result, s.order)) continue;
           if (menu_row(ui, std::string(s.name).c_str(), s.note, s.order == shown)) state.order = s.order;
         }
       });
}

/// Below the heads: the range of their colours, or the change of the output by interventions.
void draw_heads_footer(Scene& scene, const Box& line) {
  const Ui& ui = scene.ui;
  if (!scene.result.measures.output_change.empty() && knows_values(scene.result.document))
    return draw_output_change(scene, line);
  const Plane plane = stage_look_of(scene.view).stage;
  const bool whole =
      is_weights(plane) && plane.stage != Stage::Drop && stage_look_of(scene.view).range == RangeMode::All;
  const std::string note = !whole                     ? std::string(words(scene.result.document, plane).name)
                           : focus_of(scene.view).log ? "logarithm, up to 1, all"
                                                      : "range 0 … 1, all";
  const TextStyle style{type::tick, ui.theme.text3};
  const float width = ui.text(line.x, line.centre_y(), note, style);
  const std::string_view hint = "click a badge to mute";
  if (!ui.is_figure() && width + ui.px(16) + ui.text_width(hint, type::tick) <= line.w)
    ui.text(line.right(), line.centre_y(), hint, {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
}

/// The thumbnails in a child window that scrolls; only those in sight are drawn. Returns the position for a
/// menu opened by the keyboard.
ImVec2 draw_grid(Scene& scene, const Box& region, const Box& area) {
  const Ui& ui = scene.ui;
  const std::vector<std::int64_t>& order = heads_in_order(scene);
  const HeadsGrid grid = grid_of(ui, area, std::ssize(order), Aspect(scene.result.dimensions));
  const float edge = ui.px(splitter_reach);
  const float ring = ui.px(3);  // round the badge of a soloed head in the first row
  ImGui::SetCursorScreenPos({region.x + edge, area.y - ring});
  ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, ui.px(8));
  ImGui::BeginChild("heads", {region.w - 2 * edge, area.h + ring}, ImGuiChildFlags_NavFlattened,
                    ImGuiWindowFlags_NoBackground);
  keep_scroll(ui, regions_of(scene.view).scrolls.heads);
  const float top = ImGui::GetCursorScreenPos().y + ring;
  const HeadsState& state = head_grid_of(scene.view);
  ImVec2 menu{area.x, area.y};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto column = static_cast<float>(i % static_cast<std::size_t>(grid.columns));
    const auto row = static_cast<float>(i / static_cast<std::size_t>(grid.columns));
    const Box box{area.x + column * grid.pitch, std::round(top + row * grid.row_height), grid.width,
                  grid.row_height};
    const bool opens_menu = state.menu_opens && state.menu_by_key && order[i] == state.menu_head;
    if (opens_menu) {
      menu = {box.right() + ui.px(4), std::clamp(box.y, area.y, area.bottom())};
      ImGui::SetScrollFromPosY(box.y - ImGui::GetWindowPos().y);
    }
    if (box.bottom() < area.y || box.y > area.bottom()) continue;
    draw_thumbnail(scene, box, grid.side, order[i], grid.lines);
  }
  const auto columns = static_cast<std::size_t>(grid.columns);
  const auto rows = static_cast<float>((order.size() + columns - 1) / columns);
  ImGui::SetCursorScreenPos({region.x + edge, top + rows * grid.row_height - 1});
  ImGui::Dummy({1, 1});
  ImGui::EndChild();
  ImGui::PopStyleVar();
  return menu;
}

}  // namespace

void draw_heads(Scene& scene, const Box& region) {
  const Ui& ui = scene.ui;
  const float pad = ui.px(scene.compact ? 12 : 16), width = region.w - 2 * pad;
  const float title = ui.px(scene.compact ? 36 : 40), footer = ui.px(scene.compact ? 18 : 22);
  draw_title(scene, {region.x + pad, region.y + title - ui.px(31), width, ui.px(26)});
  const Box below{region.x + pad, region.bottom() - footer - ui.px(2), width, footer};
  const Box area{region.x + pad, region.y + title, width, std::max(0.f, below.y - region.y - title)};
  const ImVec2 menu = draw_grid(scene, region, area);
  draw_heads_footer(scene, below);
  draw_head_menu(scene, menu);
  const bool popup = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId);
  head_grid_of(scene.view).pointed_at = popup || area.contains(ImGui::GetIO().MousePos);
  ui.vertical(region.right() - 1, region.y, region.h, ui.theme.hairline);
}

}  // namespace attnscope
