// app/views: the chosen head, large: its matrix of the chosen stage with token labels on both axes, the
// entropy of every row at the right, attention received under every column, and a colour bar that tells the
// truth.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/number_format.hpp"
#include "app/picture.hpp"
#include "app/views/heat_map.hpp"
#include "app/views/vector_map.hpp"
#include "core/stages/run_stage.hpp"

namespace attnscope {
namespace {

/// The rows of the list: what else is a picture of queries by keys, then the vectors before and after.
void other_stages(Scene& scene, const std::vector<Plane>& others) {
  const Ui& ui = scene.ui;
  for (const Plane plane : others) {
    const PlaneWords w = words(scene.result.document, plane);
    if (menu_row(ui, std::string(w.name).c_str(), w.formula,
                 !scene.view.vectors && plane == scene.view.stage))
      scene.view.show_stage(plane);
  }
  for (const Stage stage : vector_stages(scene.result)) {
    const VectorWords w = vector_words(stage);
    if (menu_row(ui, std::string(w.name).c_str(), w.formula, scene.view.vectors == stage))
      scene.view.vectors = stage;
  }
}

/// The four planes every Document has as segments, everything else in a list beside them.
/// Returns the left end.
float draw_chooser(Scene& scene, float right, float y) {
  const Ui& ui = scene.ui;
  const Document& document = scene.result.document;
  const std::array<Plane, 4> usual{Stage::Score, Stage::Scale, Stage::Mask, weights_stage(document)};
  constexpr std::array<std::string_view, 4> names{"Scores", "Scaled", "Masked", "Weights"};
  std::array<Tip, 4> tips;
  for (std::size_t i = 0; i < usual.size(); ++i) {
    const PlaneWords w = words(document, usual[i]);
    tips[i] = {w.name, w.formula, w.why, ", ."};
  }
  const auto at = std::find(usual.begin(), usual.end(), scene.view.stage);
  const bool is_other = at == usual.end() || scene.view.vectors;

  std::vector<Plane> others;
  for (const Plane plane : planes(scene.result))
    if (std::find(usual.begin(), usual.end(), plane) == usual.end()) others.push_back(plane);
  const float list = ui.px(scene.compact ? 104 : 120);
  const Box more{right - list, y - ui.px(14), list, ui.px(28)};
  const std::string_view shown = scene.view.vectors ? vector_words(*scene.view.vectors).name
                                 : is_other         ? words(document, scene.view.stage).name
                                                    : "More";
  drop(ui, "Other stages", more, shown, {"Other stages", {}, "Every other tensor of the computation.", ", ."},
       [&] { other_stages(scene, others); });
  right = more.x - ui.px(8);
  const float wide = ui.px(scene.compact ? 232 : 312);
  const Box box{right - wide, y - ui.px(15), wide, ui.px(30)};
  const int now = is_other ? -1 : static_cast<int>(at - usual.begin());
  if (const auto chosen = segments(ui, "Stage", box, names, now, tips,
                                   {.text_size = scene.compact ? type::tick : type::label})) {
    scene.view.show_stage(usual[static_cast<std::size_t>(*chosen)]);
  }
  return box.x;
}

void draw_title(Scene& scene, const Box& region, float pad) {
  const Ui& ui = scene.ui;
  const std::int64_t h = scene.head();
  const float y = region.y + ui.px(22);
  const Rgba hue = ui.theme.head(h);
  const std::string number = std::to_string(h);
  const float width = std::max(ui.px(18), ui.text_width(number, type::tick, Ink::Semibold) + ui.px(8));
  badge(ui, {region.x + pad, y - ui.px(8), width, ui.px(16)}, number, hue, ink_on(hue));
  float x = region.x + pad + width + ui.px(10);
  x += ui.text(x, y, "Head " + number, {type::body, ui.theme.text1, Ink::Semibold}) + ui.px(10);

  const float right = draw_chooser(scene, region.right() - pad, y);
  const auto& names_of_heads = scene.result.document.weights.head_names;
  if (!names_of_heads.empty() && x + ui.px(60) < right) {
    const float room = right - x - ui.px(16);
    std::string name = head_name(scene.result, h) + " · built by hand";
    if (ui.text_width(name, type::label) > room) name = head_name(scene.result, h);
    ui.text(x, y, name, {type::label, ui.theme.text3, Ink::Regular, Align::Left, room});
  }
}

void draw_histogram(const Scene& scene, const Box& ramp, const ColourScale& scale) {
  const Ui& ui = scene.ui;
  constexpr int bins = 48;
  const Histogram& histogram =
      scene.stats.histogram(scene.view.stage, scene.sequence(), scene.head(), scale.low, scale.high, bins);
  const double most = std::sqrt(static_cast<double>(std::max<std::int64_t>(1, histogram.largest_bin())));
  for (int i = 0; i < bins; ++i) {
    const std::int64_t count = histogram.bins[static_cast<std::size_t>(i)];
    if (count == 0) continue;
    const auto height = static_cast<float>(std::sqrt(static_cast<double>(count)) / most) * ui.px(18);
    const float x0 = std::round(ramp.x + ramp.w * static_cast<float>(i) / bins);
    const float x1 = std::round(ramp.x + ramp.w * static_cast<float>(i + 1) / bins);
    ui.fill({x0, ramp.y - ui.px(2) - height, x1 - x0 - 1, height}, ui.theme.bar);
  }
}

/// Ramp, histogram, true ends, this head's own ends and the share beyond them.
void draw_colour_bar(Scene& scene, const Box& area, float left, float right) {
  const Ui& ui = scene.ui;
  const ColourScale scale = colour_scale(scene, scene.view.stage, scene.head());
  const Box ramp{left, area.y + ui.px(22), right - left, ui.px(10)};
  draw_histogram(scene, ramp, scale);
  for (int x = 0; x < static_cast<int>(ramp.w); ++x) {
    const auto i = static_cast<std::size_t>(static_cast<float>(x) / std::max(1.f, ramp.w - 1) * 255);
    ui.fill({ramp.x + static_cast<float>(x), ramp.y, 1, ramp.h}, colormap(scale.map)[i]);
  }
  ui.frame(ramp.grown(0), ui.theme.border, std::max(1.f, std::floor(ui.scale())));
  const std::string_view what = words(scene.result.document, scene.view.stage).short_name;
  ui.text(ramp.x - ui.px(10), ramp.centre_y(), what,
          {type::label, ui.theme.text2, Ink::Regular, Align::Right});

  const int places = scale.high - scale.low > 20 ? 1 : 2;
  const auto end = [&](float v) {
    if (v == 0 || v == 1) return fixed(static_cast<double>(v), 0);
    return std::abs(v) < 0.05f ? tiny(static_cast<double>(v)) : fixed(static_cast<double>(v), places);
  };
  const float y = ramp.bottom() + ui.px(11);
  const float low_width = ui.text(ramp.x, y, end(scale.low), {type::tick, ui.theme.text2});
  const float high_width =
      ui.text(ramp.right(), y, end(scale.high), {type::tick, ui.theme.text2, Ink::Regular, Align::Right});
  const ValueRange own = scene.stats.range(scene.view.stage, scene.sequence(), scene.head());
  const auto own_end = [&](float v) {
    return scene.view.stage.gradient ? tiny(static_cast<double>(v)) : fixed(static_cast<double>(v), 3);
  };
  const std::string middle = "this head " + own_end(own.low) + " … " + own_end(own.high);
  const float room = ramp.w - low_width - high_width - ui.px(24);
  if (ui.text_width(middle, type::tick) < room) {
    ui.text(ramp.centre_x(), y, middle, {type::tick, ui.theme.text3, Ink::Regular, Align::Centre});
  }

  // Range mode and clipped share stand beside the bar, under the entropy strip.
  const float x = right + ui.px(16), width = std::min(area.right() - x, ui.px(190));
  const Histogram& h =
      scene.stats.histogram(scene.view.stage, scene.sequence(), scene.head(), scale.low, scale.high, 48);
  const double clipped =
      h.cells > 0 ? 100.0 * static_cast<double>(h.below + h.above) / static_cast<double>(h.cells) : 0;
  constexpr std::array<std::string_view, 4> names{"Head", "Mean", "All", "Lock"};
  const std::array<Tip, 4> tips{
      Tip{"This head", {}, "The bar ends at this head's own largest value.", "R"},
      Tip{"Mean", {}, "Geometric mean of this head's range and that of all heads.", "R"},
      Tip{"All heads", "weights 0 … 1", "One range for all, so that heads can be compared.", "R"},
      Tip{"Lock", {}, "Keeps the ends as they are while knobs move.", "R"}};
  ui.text(x, area.y + ui.px(8), "range", {type::label, ui.theme.text2});
  ui.text(x + width, area.y + ui.px(8), "clipped " + fixed(clipped, 1) + " %",
          {type::tick, clipped > 0 ? ui.theme.key : ui.theme.text3, Ink::Regular, Align::Right});
  const Box box{x, area.y + ui.px(20), width, ui.px(24)};
  if (const auto chosen = segments(ui, "Range", box, names, static_cast<int>(scene.view.range), tips,
                                   {.text_size = type::tick})) {
    scene.view.locked_range = {scale.low, scale.high};
    scene.view.range = static_cast<RangeMode>(*chosen);
  }
}

}  // namespace

void draw_focus(Scene& scene, const Box& region) {
  const Ui& ui = scene.ui;
  const float pad = ui.px(scene.compact ? 12 : 20);
  ui.fill(region, ui.theme.picture);
  ui.list()->PushClipRect(region.min(), region.max(), true);
  draw_title(scene, region, pad);
  const float title = ui.px(48), bar = ui.px(64);
  const Box area{region.x + pad, region.y + title, region.w - 2 * pad, region.h - title - bar};
  const Result& r = scene.result;
  if (scene.view.vectors && !r.trace[*scene.view.vectors]) scene.view.vectors.reset();
  if (scene.view.vectors) {
    draw_vector_map(scene, {area.x, area.y, area.w, area.h + bar}, *scene.view.vectors);
    ui.list()->PopClipRect();
    return;
  }
  const std::int64_t batch = r.dimensions.batch;
  // A batch stands side by side while each map keeps a readable size; else the chosen sequence alone.
  const std::int64_t most = std::max<std::int64_t>(1, static_cast<std::int64_t>(area.w / ui.px(280)));
  const std::int64_t maps = batch <= most ? batch : 1;
  Box chosen{};
  const float gap = ui.px(24),
              width = std::floor((area.w - gap * static_cast<float>(maps - 1)) / static_cast<float>(maps));
  for (std::int64_t i = 0; i < maps; ++i) {
    const std::int64_t b = maps == batch ? i : scene.sequence();
    const Box part{area.x + static_cast<float>(i) * (width + gap), area.y, width, area.h};
    const Box map =
        draw_heat_map(scene, part, b, {.wide_strip = maps == 1 && !scene.compact, .caption = batch > 1});
    if (b == scene.sequence() || maps == 1) chosen = map;
  }
  const float left = maps == 1 ? chosen.x : area.x + ui.px(64);
  const float right =
      std::clamp(maps == 1 ? std::max(chosen.right(), left + ui.px(200)) : left + ui.px(300),
                 left + ui.px(120), std::max(left + ui.px(120), region.right() - pad - ui.px(190)));
  draw_colour_bar(scene, {area.x, region.bottom() - bar, area.w, bar}, left, right);
  ui.list()->PopClipRect();
}

}  // namespace attnscope
