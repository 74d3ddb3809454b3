// app/pages/compare: A, B and A − B of a long head side by side with one place in all three; below them the
// entropies of all queries and the differences of all heads.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/plot.hpp"
#include "app/pages/compare/parts.hpp"
#include "app/scene/head_words.hpp"
#include "app/state/regions/long_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/long/long_parts.hpp"
#include "core/attention/run_stage.hpp"

namespace attnscope {
namespace {

Sides long_sides_of(Scene& scene, Scene* held) {
  const Plane weights = weights_stage(scene.result.document);
  Sides sides{scene, held, false, false, weights, weights, Plane(weights.stage, Plane::Kind::Difference), {}};
  if (!held) return sides;
  sides.same_shape = why_no_long_difference(scene).empty();
  sides.comparable = sides.same_shape && has_long_difference(scene);
  sides.settings = differing_settings(scene.result.document, held->result.document);
  return sides;
}

ResultStats::OfPicture of_picture(const Scene& scene, std::int64_t h, bool difference) {
  return {scene.sequence(), h, long_view_of(scene.view).mean, difference};
}

/// One side, or A − B, with its colour bar.
void draw_compared_map(Scene& side, const Panel& panel, const LongMap& map, std::string_view what,
                       std::string_view middle) {
  const Ui& ui = side.ui;
  if (panel.map.w < ui.px(100) || panel.map.h < ui.px(80)) return;
  const auto drawn = draw_one_long_map(side, map);
  if (!drawn) return;
  const ColourScale& scale = drawn->scale;
  const HistogramPtr spread = side.stats.picture_histogram(of_picture(side, side.head(), map.difference),
                                                           {scale.low, scale.high, compared_bins, scale.log});
  const std::string ramp = std::string(map.name) + " ramp";
  draw_bar(ui, {panel.bar_area, drawn->cells}, scale, *spread,
           {ramp.c_str(), std::string(what), (scale.log ? "log " : "") + end_words(scale.low),
            (map.difference ? "+" : "") + end_words(scale.high), std::string(middle)});
}

/// The title of the difference; below it, what a cell of the three pictures covers.
void draw_head_of_long_difference(Sides& sides, const Box& head, int level) {
  const Ui& ui = sides.ui();
  draw_title_of_difference(sides, head, head.right());
  const Box line = controls_of(ui, head);
  if (line.w < ui.px(120)) return;
  Scene& scene = sides.a;
  draw_pool_choice(scene, line.x + ui.px(116), line.centre_y());
  const float x = line.x + ui.px(128);
  ui.text(x, line.centre_y(), what_is_pooled(scene, long_view_of(scene.view).mean, level),
          {type::label, ui.theme.text3, Ink::Regular, Align::Left, line.right() - x});
}

void draw_long_difference(Sides& sides, const Panel& panel) {
  Scene& scene = sides.a;
  const Ui& ui = sides.ui();
  const std::string why = why_no_long_difference(scene);
  if (!why.empty()) return draw_no_difference(ui, panel, why);
  if (!sides.comparable) return;  // the first look at A has coarser cells
  const float largest = scene.stats.picture_largest(of_picture(scene, scene.head(), true));
  const std::string middle = largest > 0 ? "zero-centred, largest " + tiny(static_cast<double>(largest))
                             : sides.settings.empty() ? "the same: change something"
                                                      : "the same in this head";
  draw_compared_map(
      scene, panel,
      {.area = panel.map, .difference = true, .strips = false, .name = "compare A-B", .leads = false},
      "now − held", middle);
}

/// Returns the level of the cells that A shows.
int level_in(const Scene& scene, const Panel& panel) {
  const LongState& seen = long_view_of(scene.view);
  return seen.keys > 0 ? level_for(panel.map.w / static_cast<float>(seen.keys)) : 0;
}

void draw_long_panels(Sides& sides, const std::array<Panel, 3>& panels) {
  const Ui& ui = sides.ui();
  Scene& a = sides.a;
  const auto words = [&](const Panel& panel, const auto& draw) {
    ui.clip(panel.whole);
    draw(panel.head);
    ui.unclip();
  };
  words(panels[0], [&](const Box& head) { draw_head_of_a(sides, head); });
  const ColourScale scale = sides.b ? long_scale_of_both(a, *sides.b, a.head()) : long_scale(a, a.head());
  const std::string_view both = sides.b ? "same range for both" : "";
  draw_compared_map(a, panels[0],
                    {.area = panels[0].map, .strips = false, .name = "compare A", .scale = scale}, "weight",
                    both);
  if (!sides.b) return draw_nothing_held(a, panels[1], panels[2]);
  words(panels[1], [&](const Box& head) { draw_head_of_b(sides, head); });
  words(panels[2],
        [&](const Box& head) { draw_head_of_long_difference(sides, head, level_in(a, panels[0])); });
  if (sides.b->tiles)
    draw_compared_map(
        *sides.b, panels[1],
        {.area = panels[1].map, .strips = false, .name = "compare B", .scale = scale, .leads = false},
        "weight", both);
  draw_long_difference(sides, panels[2]);
}

/// Entropies of all queries of the head from left to right: hovering previews a query, a click chooses it.
void draw_entropies(Sides& sides, const Box& box) {
  const Ui& ui = sides.ui();
  Scene& scene = sides.a;
  const Dimensions& d = scene.result.dimensions;
  float right = box.right();
  const float y = box.y + ui.px(10);
  const Scene* b = sides.same_shape ? sides.b : nullptr;
  if (b)
    right -= ui.text(right, y, "held", {type::label, ui.theme.b, Ink::Semibold, Align::Right}) + ui.px(16);
  right -= ui.text(right, y, "now", {type::label, ui.theme.query, Ink::Semibold, Align::Right}) + ui.px(8);
  const float top =
      plot_title(ui, {box.x, box.y, right - box.x, box.h}, "Entropy of every query", "nats · mean, most");
  const float left = ui.px(40);
  const Box area{box.x + left, top + ui.px(8), box.w - left, box.bottom() - top - ui.px(30)};
  if (area.w < ui.px(60) || area.h < ui.px(16)) return;
  draw_entropy_of_queries(scene, b, area);
  const TextStyle tick{type::tick, ui.theme.text3, Ink::Regular, Align::Right};
  const double most = std::log(static_cast<double>(std::max<std::int64_t>(2, d.keys)));
  ui.text(area.x - ui.px(8), area.y + ui.px(5), fixed(most, 1), tick);
  ui.text(area.x - ui.px(8), area.bottom() - ui.px(5), "0", tick);
  const float axis = area.bottom() + ui.px(12);
  ui.text(area.x, axis, "query 0", {type::tick, ui.theme.text3});
  ui.text(area.right(), axis, grouped(d.queries - 1), tick);
  const auto x_of = [&](std::int64_t query) {
    return area.x + area.w * (static_cast<float>(query) + 0.5f) / static_cast<float>(d.queries);
  };
  ui.vertical(std::round(x_of(scene.cell().query)), area.y, area.h, ui.theme.query);
  const Ui::Touch touch = ui.touch("Entropy of every query", area, false);
  if (!touch.hovered) return;
  const float share = (ImGui::GetIO().MousePos.x - area.x) / area.w;
  const auto query = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(static_cast<double>(share) * static_cast<double>(d.queries)), 0,
      d.queries - 1);
  scene.view.hint = "query  " + grouped(query) + "   ·   a click goes there";
  if (touch.clicked) scene.next.choose({query, scene.selection.cell.key});
}

void draw_head_difference(Scene& scene, std::int64_t h, const Box& box, const ColourScale& scale) {
  const Ui& ui = scene.ui;
  const Dimensions& d = scene.result.dimensions;
  const std::string id = "difference of head " + std::to_string(h);
  const Ui::Touch touch = ui.touch(id.c_str(), box);
  const Part whole{0, 0, static_cast<double>(d.queries), static_cast<double>(d.keys), false};
  draw_long_picture(scene, {id.c_str(), box, h, whole, true, scale});
  const bool chosen = h == scene.selection.head;
  if (chosen || touch.hovered || touch.focused)
    ui.frame(box.grown(ui.px(3)), chosen ? ui.theme.query : ui.theme.text3, ui.px(chosen ? 2 : 1), ui.px(4));
  const float y = box.bottom() + ui.px(12), largest = scene.stats.picture_largest(of_picture(scene, h, true));
  const Rgba ink = chosen ? ui.theme.text1 : ui.theme.text3;
  const float number = ui.text(box.x, y, std::to_string(h), {type::tick, ink});
  const std::string most = in_cell(static_cast<double>(largest));
  if (ui.text_width(most, type::tick) + number + ui.px(6) <= box.w)
    ui.text(box.right(), y, most,
            {type::tick, chosen ? ui.theme.text1 : ui.theme.text2, Ink::Regular, Align::Right});
  tooltip(ui, touch.hovered, box,
          {"Head " + std::to_string(h), "max |now − held| = " + tiny(static_cast<double>(largest)),
           "The largest difference of a cell of this picture. A click chooses the head.", "[ ]"});
  if (touch.clicked) scene.next.head = h;
}

void draw_head_differences(Sides& sides, const Box& box) {
  const Ui& ui = sides.ui();
  Scene& scene = sides.a;
  const Dimensions& d = scene.result.dimensions;
  const float top =
      plot_title(ui, box, "All heads", sides.comparable ? "now − held · largest · same range" : "");
  if (!sides.comparable) {
    const std::string_view what = sides.b ? "No difference of heads" : "Every head's now − held stands here.";
    ui.text(box.centre_x(), box.centre_y(), what,
            {type::label, ui.theme.text2, Ink::Regular, Align::Centre, box.w});
    return;
  }
  ColourScale scale = long_difference_scale(scene, 0, 1);
  for (std::int64_t h = 1; h < d.heads; ++h) {
    const ColourScale of_head = long_difference_scale(scene, h, 1);
    scale.low = std::min(scale.low, of_head.low);
    scale.high = std::max(scale.high, of_head.high);
  }
  const float gap = ui.px(12), words = ui.px(18), margin = ui.px(4);
  const Box area{box.x + margin, top + margin, box.w - 2 * margin, box.bottom() - top - 2 * margin};
  // As many columns as make the pictures largest.
  int columns = 1;
  float side = 0;
  for (int n = 1; n <= static_cast<int>(std::min<std::int64_t>(d.heads, 64)); ++n) {
    const auto rows = static_cast<float>((d.heads + n - 1) / n), count = static_cast<float>(n);
    const float fits = std::min((area.w - gap * (count - 1)) / count, area.h / rows - words - ui.px(8));
    if (fits > side) {
      side = fits;
      columns = n;
    }
  }
  side = std::floor(side);
  if (side < ui.px(8)) return;
  for (std::int64_t h = 0; h < d.heads; ++h) {
    const auto column = static_cast<float>(h % columns), row = static_cast<float>(h / columns);
    draw_head_difference(scene, h,
                         {std::round(area.x + column * (side + gap)),
                          std::round(area.y + row * (side + words + ui.px(8))), side, side},
                         scale);
  }
}

void draw_long_plots(Sides& sides, const Box& region) {
  const Ui& ui = sides.ui();
  ui.fill(region, ui.theme.panel);
  ui.horizontal(region.x, region.y, region.w, ui.theme.hairline);
  const float pad = ui.px(sides.a.compact ? 14 : 24), half = std::round(region.w / 2);
  const float top = region.y + ui.px(12), height = region.h - ui.px(20);
  draw_entropies(sides, {region.x + pad, top, half - 2 * pad, height});
  draw_head_differences(sides, {region.x + half + pad, top, region.w - half - 2 * pad, height});
}

}  // namespace

void draw_long_compare(Scene& scene, const Box& region) {
  const Ui& ui = scene.ui;
  const float below = plots_height(scene, region);
  const Box maps{region.x, region.y, region.w, region.h - below};
  ui.clip(region);
  const std::array<Panel, 3> panels = draw_panels_ground(scene, maps);
  const auto draw = [&](Scene* held) {
    Sides sides = long_sides_of(scene, held);
    draw_long_panels(sides, panels);
    if (below > 0) draw_long_plots(sides, {region.x, maps.bottom(), region.w, below});
  };
  if (!scene.held) {
    draw(nullptr);
  } else if (why_no_long_difference(scene).empty()) {
    Scene b = scene_of_held(scene);
    draw(&b);
  } else {
    // A B of another size shows the same place as A, as far as it has it.
    Selection own = kept_inside(scene.selection, scene.held->result->layer().dimensions);
    Selection next = own;
    Scene b = scene_of_held(scene, own, next);
    draw(&b);
  }
  ui.unclip();
}

}  // namespace attnscope
