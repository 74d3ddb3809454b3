#include "app/views/figures/grid_page.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "app/kit/ui/number_format.hpp"
#include "app/state/model_look.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/views/model/grid_colours.hpp"
#include "app/views/model/grid_regions.hpp"
#include "app/views/model/parts.hpp"
#include "core/edits/model.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {
namespace {

constexpr float grid_page_margin = 24, least_page = 640, most_text = 60;  // logical

/// The header above the heads: its height, and its drawing from the top of the page on.
class PageHeader {
 public:
  PageHeader(const GridFrame& grid, float left, float width, int token_pixels)
      : grid_(grid), ui_(grid.ui), left_(left), width_(width), pixels_(token_pixels) {}

  float height() const {
    float height = ui_.px(28) + ui_.px(22);
    if (!text_.empty()) height += text_height() + ui_.px(6);
    if (!changes().empty()) height += ui_.paragraph_height(width_, changes(), type::label) + ui_.px(4);
    return height + ui_.px(8);
  }

  void draw(float y) const {
    const OpenedModel& opened = *grid_.reading.within.model;
    const float name = ui_.text(left_, y + ui_.px(12), own(opened.name),
                                {type::title, ui_.theme.text1, Ink::Semibold, Align::Left, width_});
    const std::string facts = own(opened.heads_words());
    if (name + ui_.px(14) + ui_.text_width(facts, type::label) < width_)
      ui_.text(left_ + name + ui_.px(14), y + ui_.px(13), facts, {type::label, ui_.theme.text2});
    y += ui_.px(28);
    if (!text_.empty()) {
      y += text_lines(y, true) + ui_.px(6);
    }
    if (const std::string words = changes(); !words.empty())
      y += ui_.paragraph(left_, y, width_, words, {type::label, ui_.theme.query}) + ui_.px(4);
    const float right = draw_legend(y + ui_.px(10));
    const std::string note = grid_note(grid_) + "  ·  " + std::to_string(pixels_) + " px a token";
    ui_.text(left_, y + ui_.px(10), note,
             {type::tick, ui_.theme.text3, Ink::Regular, Align::Left, right - left_ - ui_.px(16)});
  }

 private:
  static std::string text_of(const GridFrame& grid) {
    const ModelText& input = grid.reading.within.input;
    if (!input.image.empty()) return own(input.image.filename().native());
    std::string text = input.text;
    if (input.pair) text += " · " + *input.pair;
    if (input.decoder_text) text += " → " + *input.decoder_text;
    return text.empty() ? text : "“" + own(text) + "”";
  }

  /// At most three lines.
  float text_lines(float y, bool draws) const {
    const TextStyle style{type::label, ui_.theme.text1};
    const float whole = ui_.paragraph_height(width_, text_, type::label);
    if (whole <= ui_.px(most_text)) return draws ? ui_.paragraph(left_, y, width_, text_, style) : whole;
    if (draws)
      ui_.text(left_, y + ui_.px(9), text_,
               {type::label, ui_.theme.text1, Ink::Regular, Align::Left, width_});
    return ui_.px(20);
  }
  float text_height() const { return text_lines(0, false); }

  std::string changes() const {
    if (grid_.changes.empty()) return {};
    std::string words;
    for (const edit::ChangeWords& change : edit::list_of_changes(grid_.reading.within))
      words += (words.empty() ? "Changed inside:  " : "  ·  ") + change.line();
    return words;
  }

  /// The colour bar and, for patterns, the sign of masked cells. Returns its left end.
  float draw_legend(float y) const {
    const ColourScale shown = grid_scale(grid_);
    const GridEnds ends = grid_ends(grid_, false);
    const bool patterns = grid_.state.colour == HeadColour::Pattern;
    float left = draw_small_ramp(ui_, "page ramp", left_ + width_, y, shown, shown.high, ends.low, ends.high,
                                 ui_.px(96));
    if (!patterns) return left;
    left -= ui_.px(16) + ui_.text_width("masked", type::tick);
    ui_.text(left, y, "masked", {type::tick, ui_.theme.text2});
    left -= ui_.px(18);
    const Box swatch{left, std::round(y - ui_.px(5)), ui_.px(11), ui_.px(11)};
    ui_.fill(swatch, ui_.theme.hatch_ground);
    ui_.frame(swatch, ui_.theme.hairline, std::max(1.f, std::floor(ui_.scale())));
    return left;
  }

  const GridFrame& grid_;
  const Ui& ui_;
  float left_, width_;
  int pixels_;
  std::string text_ = text_of(grid_);
};

/// One cell per token, however coarse the grid's pictures are.
std::vector<GridPart> parts_of_page(const GridFrame& grid) {
  std::vector<GridPart> all = grid_parts(grid);
  for (GridPart& part : all) {
    part.queries = std::max<std::int64_t>(1, rows_of(grid.run, part.of));
    part.keys = std::max<std::int64_t>(1, keys_seen(grid.spec, grid.run, part.of, 0).keys);
  }
  return all;
}

HeadsPainting painting_of(const GridFrame& grid, int token_pixels) {
  const Theme& theme = grid.ui.theme;
  HeadsPainting painting;
  painting.patterns = grid.state.colour == HeadColour::Pattern;
  painting.pixels = token_pixels;
  painting.model = grid.reading.within.model;
  painting.run = shown_run(grid.scene);
  if (grid_norms(grid) != nullptr) painting.norms = grid.reading.value_norms;
  painting.map = colormap(theme.weights);
  painting.high = grid_high(grid);
  if (focus_of(grid.scene.view).log) painting.low = grid_scale(grid).low;
  painting.ground = theme.picture;
  painting.hidden = theme.hatch_ground;
  painting.nan = theme.nan;
  painting.edge = theme.hairline;
  painting.stroke = theme.text3;
  painting.corner = theme.query;
  painting.line = std::max(1, static_cast<int>(grid.ui.px(1.5f)));
  const ColourScale scale = grid_scale(grid);
  for (const GridPlan::Cell& cell : grid.plan.cells) {
    HeadsPainting::Cell made{cell.head, static_cast<int>(cell.box.x), static_cast<int>(cell.box.y),
                             static_cast<int>(cell.box.w), static_cast<int>(cell.box.h)};
    if (!painting.patterns) {
      const double value = grid_value(grid, cell.head);
      made.flat = std::isnan(value) ? theme.hatch_ground : colour_of(scale, static_cast<float>(value));
    }
    const HeadChange* const change = change_of_head(grid.changes, cell.head);
    made.is_off = change != nullptr && change->kind == HeadChange::Kind::Zero;
    made.changed = change != nullptr && !made.is_off;
    painting.cells.push_back(made);
  }
  return painting;
}

/// The strips of the page outside the pictures: layer numbers, effects, titles of lists.
std::vector<Box> chrome_of(const GridFrame& grid, const Box& page) {
  const GridPlan& plan = grid.plan;
  const Ui& ui = grid.ui;
  std::vector<Box> all{{0, 0, page.w, plan.window.y}};
  std::map<float, Box> strips;  // by their left edges
  const auto add = [&](const Box& box) {
    Box& strip = strips.try_emplace(box.x, box).first->second;
    const float bottom = std::max(strip.bottom(), box.bottom()), right = std::max(strip.right(), box.right());
    strip.y = std::min(strip.y, box.y);
    strip.h = bottom - strip.y;
    strip.w = right - strip.x;
  };
  for (const GridPlan::Layer& layer : plan.layers) {
    const float left = layer.band.x - ui.px(12);
    add({left, layer.band.y, layer.number + ui.px(4) - left, layer.band.h});
    if (layer.effect.w > 0) add({layer.effect.x, layer.band.y, layer.effect.w + ui.px(8), layer.band.h});
  }
  for (const auto& [left, strip] : strips) all.push_back(strip);
  for (const GridPlan::Title& title : plan.titles) all.push_back({0, title.y - ui.px(11), page.w, ui.px(22)});
  for (Box& box : all) {
    const float right = std::min(box.right(), page.w), bottom = std::min(box.bottom(), page.h);
    box.x = std::max(0.f, std::floor(box.x));
    box.y = std::max(0.f, std::floor(box.y));
    box.w = std::ceil(right) - box.x;
    box.h = std::ceil(bottom) - box.y;
  }
  return all;
}

}  // namespace

std::int64_t page_tokens(const ModelSpec& spec, const ModelRun& run) {
  std::int64_t most = 1;
  for (const AttentionOf of : attentions_of(spec))
    most = std::max({most, rows_of(run, of), keys_seen(spec, run, of, 0).keys});
  return most;
}

GridPage draw_grid_page(Scene& scene, int token_pixels) {
  const Ui& ui = scene.ui;
  GridFrame grid(scene);
  grid.chosen = {AttentionOf::Decoder, -1, -1};  // a page shows no selection
  const std::vector<GridPart> parts = parts_of_page(grid);
  const std::vector<GridList> lists = grid_lists(grid);
  const float margin = ui.px(grid_page_margin);
  const auto plan_below = [&](float y) {
    return plan_page(ui, {margin, y}, parts, lists, static_cast<float>(token_pixels));
  };
  grid.plan = plan_below(margin);
  const float width = std::max(grid.plan.window.w, ui.px(least_page));
  const PageHeader header(grid, margin, width, token_pixels);
  const float below = std::round(margin + header.height());
  grid.plan = plan_below(below);
  const Box& window = grid.plan.window;
  const Box page{0, 0, std::ceil(width + 2 * margin), std::ceil(window.bottom() + margin)};
  ui.fill(page, ui.theme.picture);
  header.draw(margin);
  draw_grid_columns(grid);
  draw_grid_layers(grid);
  GridPage made{static_cast<int>(page.w), static_cast<int>(page.h),       ui.theme.picture, window,
                chrome_of(grid, page),    painting_of(grid, token_pixels)};
  return made;
}

}  // namespace attnscope
