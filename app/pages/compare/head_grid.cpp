#include "app/pages/compare/head_grid.hpp"

#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/plot.hpp"
#include "app/scene/head_words.hpp"

namespace attnscope {
namespace {

struct Grid {
  int columns = 1;
  float side = 0;            // the longer one of a picture
  float wide = 1, high = 1;  // width and height of a picture, as parts of `side`
};

float line_height(const Ui& ui) { return ui.px(18); }

/// The number of columns that makes the pictures largest. If they would be too small to tell apart, they get
/// a legible size and the grid scrolls.
Grid fit(const Ui& ui, const Box& area, const Dimensions& d) {
  const float gap = ui.px(12), least = ui.px(26);
  Grid grid;
  grid.wide = std::min(1.f, static_cast<float>(d.keys) / static_cast<float>(d.queries));
  grid.high = std::min(1.f, static_cast<float>(d.queries) / static_cast<float>(d.keys));
  for (int columns = 1; columns <= 12; ++columns) {
    const auto n = static_cast<float>(columns);
    const auto rows = static_cast<float>((d.heads + columns - 1) / columns);
    const float width = std::floor((area.w - gap * (n - 1)) / n);
    const float height = std::floor((area.h / rows - line_height(ui) - ui.px(8)) / grid.high);
    if (const float side = std::min(width, height); side > grid.side) {
      grid.side = side;
      grid.columns = columns;
    }
  }
  if (grid.side < least) {
    grid.side = std::max(1.f, std::min(ui.px(40), area.w));
    grid.columns = std::max(1, static_cast<int>((area.w + gap) / (grid.side + gap)));
  }
  return grid;
}

/// A head's place in the grid.
struct GridPlace {
  std::int64_t head;
  Box box, picture;  // with its words; without them
  bool with_mass;    // every place has room for the moved mass
};

void draw_head(Sides& sides, const GridPlace& place, const ColourScale& scale) {
  const auto& [h, box, picture, with_mass] = place;
  const Ui& ui = sides.ui();
  Scene& scene = sides.a;
  const bool chosen = h == scene.selection.head, shown = h == scene.head();
  const Ui::Touch touch = ui.touch(("difference of head " + std::to_string(h)).c_str(), box);
  draw_matrix(scene, ("difference of head " + std::to_string(h)).c_str(), picture, sides.difference,
              scene.sequence(), h, scale);
  if (chosen) {
    ui.frame(picture.grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(4));
  } else if (touch.hovered || touch.focused) {
    ui.frame(picture.grown(ui.px(3)), ui.theme.text3, std::max(1.f, ui.px(1)), ui.px(4));
  }
  const TotalVariationPtr moved = scene.stats.moved(scene.sequence(), h);
  const float y = picture.bottom() + ui.px(12);
  const Rgba ink = chosen || shown ? ui.theme.text1 : ui.theme.text3;
  const float number =
      ui.text(picture.x, y, std::to_string(h), {type::tick, ink, chosen ? Ink::Semibold : Ink::Regular});
  // At the right end of the picture where it is wide enough, else right after the head's number.
  const std::string mass = moved ? in_cell(moved->mean) : "…";
  const float x = std::max(picture.right() - ui.text_width(mass, type::tick), picture.x + number + ui.px(6));
  if (with_mass) ui.text(x, y, mass, {type::tick, chosen || shown ? ui.theme.text1 : ui.theme.text2});
  if (touch.hovered) scene.next.hovered_head = h;
  if (touch.clicked) scene.next.head = h;
  std::string title = "Head " + std::to_string(h);
  if (!role_of(scene.result, h).does.empty()) title += " · " + scored_name(scene.result, h);
  const std::string facts =
      "TV distance ½ Σ|now − held| = " + own_number(moved ? fixed(moved->mean, 4) : "…") + " per row";
  tooltip(ui, touch.hovered, picture,
          {title, facts,
           "Total variation distance to what is held, mean over the rows. A click chooses the head.", "[ ]"});
}

/// Says why the grid is empty.
void draw_note(const Ui& ui, const Box& box, bool is_held) {
  ui.text(box.centre_x(), box.centre_y() - ui.px(10), is_held ? "No difference of heads" : "Nothing is held",
          {type::label, ui.theme.text2, Ink::Medium, Align::Centre, box.w});
  ui.text(box.centre_x(), box.centre_y() + ui.px(10),
          is_held ? "What is shown and what is held differ in size." : "Every head's now − held stands here.",
          {type::tick, ui.theme.text3, Ink::Regular, Align::Centre, box.w});
}

}  // namespace

void draw_all_heads(Sides& sides, const Box& box) {
  const Ui& ui = sides.ui();
  Scene& scene = sides.a;
  constexpr std::string_view title = "All heads";
  if (!sides.comparable) {
    const float top = plot_title(ui, box, title, "");
    if (sides.same_shape && scene.stats.is_computing()) return;  // they are being subtracted
    draw_note(ui, {box.x, top, box.w, box.bottom() - top}, sides.b != nullptr);
    return;
  }
  const Dimensions& d = scene.result.dimensions;
  const float margin = ui.px(4), top = box.y + ui.px(24);  // room for the rings; below the title
  const Box area{box.x + margin, top + margin, box.w - 2 * margin, box.bottom() - top - margin};
  const Grid grid = fit(ui, area, d);
  const float wide = std::max(ui.px(8), std::floor(grid.side * grid.wide)),
              high = std::max(ui.px(8), std::floor(grid.side * grid.high));
  const float row_height = high + line_height(ui) + ui.px(8);
  // Spare width is spread between the pictures, up to a gap at which they still look like one group.
  const float close = grid.side + ui.px(12);
  const float spread =
      grid.columns > 1 ? (area.w - grid.side) / static_cast<float>(grid.columns - 1) : area.w;
  const float step = std::clamp(spread, close, std::max(close, 1.6f * grid.side));
  const float words_width = ui.text_width(std::to_string(d.heads - 1) + ".00", type::tick, Ink::Semibold);
  const bool with_mass = words_width + ui.px(10) <= step;
  plot_title(ui, box, title,
             std::string(words(scene.result.document, sides.difference).short_name) +
                 (with_mass ? " · TV distance per row · same range" : " · same range"));

  ImGui::SetCursorScreenPos({box.x, top});
  ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, ui.px(8));
  ImGui::BeginChild("all heads", {box.w + ui.px(8), box.bottom() - top}, ImGuiChildFlags_NavFlattened,
                    ImGuiWindowFlags_NoBackground);
  const float y0 = ImGui::GetCursorScreenPos().y + margin;
  const ColourScale scale = difference_scale(sides, true);
  for (std::int64_t h = 0; h < d.heads; ++h) {
    const auto column = static_cast<float>(h % grid.columns), row = static_cast<float>(h / grid.columns);
    const Box picture{std::round(area.x + column * step), std::round(y0 + row * row_height), wide, high};
    if (picture.y > box.bottom() || picture.bottom() + line_height(ui) < top) continue;
    const Box whole{picture.x, picture.y, std::max(wide, std::min(step - ui.px(4), ui.px(64))),
                    high + line_height(ui)};
    draw_head(sides, {h, whole, picture, with_mass}, scale);
  }
  const std::int64_t rows = (d.heads + grid.columns - 1) / grid.columns;
  ImGui::SetCursorScreenPos({box.x, y0 + static_cast<float>(rows) * row_height - margin - 1});
  ImGui::Dummy({1, 1});
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace attnscope
