// app/views: the title of the focus and the line of tools above its map.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/scene/head_words.hpp"
#include "app/scene/picture.hpp"
#include "app/state/regions/editing_state.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/state/window_state.hpp"
#include "app/views/editing/weight_map.hpp"
#include "app/views/files/files.hpp"
#include "app/views/focus/focus_parts.hpp"
#include "app/views/parts/mask_painter.hpp"
#include "app/views/parts/unknown.hpp"
#include "app/views/parts/vector_map.hpp"
#include "core/attention/run_stage.hpp"

namespace attnscope {
namespace {

/// The kind of a plane; a gradient counts as a value.
Plane::Kind kind_of(Plane plane) { return plane.is_gradient() ? Plane::Kind::Value : plane.kind; }

/// The four planes that every Document has, in the kind that is shown.
std::array<Plane, 4> usual_planes(const Scene& scene) {
  const Plane::Kind kind = kind_of(stage_look_of(scene.view).stage);
  return {Plane(Stage::Score, kind), Plane(Stage::Scale, kind), Plane(Stage::Mask, kind),
          Plane(weights_stage(scene.result.document), kind)};
}

/// The rows of the list: the other planes of queries by keys, the stages of vectors, the blocks of weights.
void other_stages(Scene& scene, const std::vector<Plane>& others) {
  const Ui& ui = scene.ui;
  for (const Plane plane : others) {
    const PlaneWords w = words(scene.result.document, plane);
    if (menu_row(ui, std::string(w.name).c_str(), w.formula,
                 !stage_look_of(scene.view).vectors && !editing_of(scene.view).weights &&
                     plane == stage_look_of(scene.view).stage))
      show_plane(scene, plane);
  }
  for (const Stage stage : vector_stages(scene.result)) {
    const VectorWords w = vector_words(stage);
    if (menu_row(ui, std::string(w.name).c_str(), w.formula, stage_look_of(scene.view).vectors == stage))
      show_vectors(scene.view, stage);
  }
  for (const Editable block : weight_blocks(scene.document)) {
    const BlockWords w = block_words(block);
    if (menu_row(ui, std::string(w.name).c_str(), w.formula, editing_of(scene.view).weights == block))
      show_weights(scene.view, block);
  }
}

/// A list of everything that has no segment; of all planes if there is no room for segments. Returns its left
/// end.
float draw_more(Scene& scene, float right, float y, bool segments) {
  const Ui& ui = scene.ui;
  const std::array<Plane, 4> usual = usual_planes(scene);
  const auto is_usual = [&](Plane plane) {
    return segments && std::find(usual.begin(), usual.end(), plane) != usual.end();
  };
  std::vector<Plane> others;
  for (const Plane plane : scene.stats.planes()) {
    const bool plain =
        plane.kind == Plane::Kind::Value || plane.is_gradient();  // the other kinds have segments
    if (plain && (kind_of(stage_look_of(scene.view).stage) != Plane::Kind::Value || !is_usual(plane)))
      others.push_back(plane);
  }
  const std::optional<Editable> weights = editing_of(scene.view).weights;
  std::string_view shown = "More";
  if (!is_usual(stage_look_of(scene.view).stage))
    shown = words(scene.result.document, stage_look_of(scene.view).stage).name;
  if (stage_look_of(scene.view).vectors) shown = vector_words(*stage_look_of(scene.view).vectors).name;
  if (weights) shown = scene.compact ? block_words(*weights).short_name : block_words(*weights).name;
  const float width = ui.px(shown == "More" ? 84 : scene.compact ? 104 : 120);
  const Box box{right - width, y - ui.px(14), width, ui.px(28)};
  drop(ui, "Other stages", box, shown, {"Other stages", {}, "Every other tensor of the computation.", ", ."},
       [&] { other_stages(scene, others); });
  return box.x;
}

/// The four planes as segments, everything else in a list beside them. Returns the left end.
float draw_stages(Scene& scene, float left, float right, float y) {
  const Ui& ui = scene.ui;
  const float least = ui.px(scene.compact ? 232 + 8 + 104 : 300 + 8 + 120);
  if (right - left < least) return draw_more(scene, right, y, false);
  right = draw_more(scene, right, y, true) - ui.px(8);
  const std::array<Plane, 4> usual = usual_planes(scene);
  constexpr std::array<std::string_view, 4> names{"Scores", "Scaled", "Masked", "Weights"};
  std::array<Tip, 4> tips;
  unsigned unknown = 0;
  for (std::size_t i = 0; i < usual.size(); ++i) {
    const PlaneWords w = words(scene.result.document, usual[i]);
    const bool known = is_known(scene.result.document, usual[i].stage);
    tips[i] = {w.name, w.formula, known ? w.why : why_no_scores(), ", ."};
    if (!known) unknown |= 1u << i;
  }
  const auto at = std::find(usual.begin(), usual.end(), stage_look_of(scene.view).stage);
  const bool is_other =
      at == usual.end() || stage_look_of(scene.view).vectors || editing_of(scene.view).weights;
  const float wide = ui.px(scene.compact ? 232 : 300);
  const Box box{right - wide, y - ui.px(14), wide, ui.px(28)};
  if (const auto chosen =
          segments(ui, "Stage", box, names, is_other ? -1 : static_cast<int>(at - usual.begin()), tips,
                   {.text_size = scene.compact ? type::tick : type::label, .disabled = unknown}))
    show_plane(scene, usual[static_cast<std::size_t>(*chosen)]);
  return box.x;
}

float draw_map_or_lines(Scene& scene, float right, float y) {
  const Ui& ui = scene.ui;
  constexpr std::array<std::string_view, 2> names{"Map", "Lines"};
  const std::array<Tip, 2> tips{
      Tip{"Map", {}, "Queries by keys: every cell of the matrix.", "G"},
      Tip{"Lines", {}, "Tokens left and right with a line for every weight that counts.", "G"}};
  const float wide = ui.px(scene.compact ? 88 : 100);
  const Box box{right - wide, y - ui.px(14), wide, ui.px(28)};
  const bool is_other = stage_look_of(scene.view).vectors || editing_of(scene.view).weights;
  const int now = is_other ? -1 : focus_of(scene.view).lines ? 1 : 0;
  const auto chosen =
      segments(ui, "Picture", box, names, now, tips, {.text_size = scene.compact ? type::tick : type::label});
  if (chosen) show_lines(scene, *chosen == 1);
  return box.x;
}

/// In a figure: the name of the stage instead of the choosers. Returns its left end.
float name_stage(const Scene& scene, float right, float y) {
  const Plane plane = stage_look_of(scene.view).stage;
  std::string_view name = words(scene.result.document, plane).name;
  if (stage_look_of(scene.view).vectors) name = vector_words(*stage_look_of(scene.view).vectors).name;
  if (editing_of(scene.view).weights) name = block_words(*editing_of(scene.view).weights).name;
  const Ui& ui = scene.ui;
  float left = right - ui.text(right, y, name, {type::label, ui.theme.text2, Ink::Medium, Align::Right});
  if (!scene.view.caption.empty()) {
    left -= ui.px(16);
    left -= ui.text(left, y, scene.view.caption, {type::label, ui.theme.query, Ink::Semibold, Align::Right});
  }
  return left;
}

/// Texts for the head's name and role, from long to short.
std::vector<std::string> head_wordings(const Ui& ui, const LayerResult& result, std::int64_t h) {
  if (is_head_muted(result.document, h))
    return {"muted · adds nothing · its own pattern: one stage before (,)", "muted · adds nothing", "muted"};
  const HeadRole role = role_of(result, h);
  const std::string score = "  " + in_cell(role.score);
  if (!role.does.empty()) {
    const std::string short_name = short_role_name(ui, result, h);
    return {role.does + score + " · " + (role.is_built ? "built by hand" : "found in its weights"),
            role.does + score, short_name + score, short_name};
  }
  if (!role.built_as.empty() && !role.is_measured) return {"built as · " + role.built_as};
  if (!role.built_as.empty())
    return {"built as · " + role.built_as + score + " · does not do it now", "does not do it now" + score};
  const auto& names = result.document.layer().weights.head_names;
  if (h < std::ssize(names)) return {"edited by hand", "edited"};
  return {};
}

}  // namespace

void draw_focus_title(Scene& scene, const Box& region, float pad) {
  const Ui& ui = scene.ui;
  const std::int64_t h = scene.head();
  const float y = region.y + ui.px(20), gap = ui.px(10);
  const Rgba hue = ui.theme.head(h);
  const std::string number = std::to_string(h);
  const float width = std::max(ui.px(18), ui.text_width(number, type::tick, Ink::Semibold) + ui.px(8));
  float x = region.x + pad + width + gap;
  const float end = region.right() - pad;
  const auto choosers = [&] {
    const float left = region.x + pad, stages = draw_stages(scene, left, end, y) - ui.px(8);
    return stages - left < ui.px(100) ? stages : draw_map_or_lines(scene, stages, y);
  };
  const float right = (ui.is_figure() ? name_stage(scene, end, y) : choosers()) - gap;
  if (right < x - gap) return;  // the choosers need the whole line
  badge(ui, {region.x + pad, y - ui.px(8), width, ui.px(16)}, number, hue, ink_on(hue));
  x += ui.text(x, y, "Head " + number,
               {type::body, ui.theme.text1, Ink::Semibold, Align::Left, std::max(1.f, right - x)}) +
       gap;
  if (ui.is_figure() && draw_guess_chip(scene, x, y, right - x) > 0) return;
  // Draws the longest wording that fits.
  for (const std::string& wording : head_wordings(scene.ui, scene.result, h)) {
    if (ui.text_width(wording, type::label) > right - x) continue;
    ui.text(x, y, wording, {type::label, ui.theme.text3});
    return;
  }
}

void show_plane(Scene& scene, Plane plane) {
  // The errors of two heads can differ by a factor of 1000, so each head has its own range.
  const bool was_error = stage_look_of(scene.view).stage.is_error();
  show_stage(scene.view, plane);
  if (plane.is_error() && !was_error && stage_look_of(scene.view).range == RangeMode::All)
    stage_look_of(scene.view).range = RangeMode::Head;
  if (was_error && !plane.is_error() && stage_look_of(scene.view).range == RangeMode::Head)
    stage_look_of(scene.view).range = RangeMode::All;
  if (!is_weights(plane)) focus_of(scene.view).lines = false;
}

std::optional<Plane> plane_of_kind(const Scene& scene, Plane::Kind kind) {
  const std::vector<Plane> all = scene.stats.planes();
  const auto there = [&](Plane plane) { return std::find(all.begin(), all.end(), plane) != all.end(); };
  const Plane same(stage_look_of(scene.view).stage.stage, kind);
  if (there(same)) return same;
  const Plane weights(weights_stage(scene.result.document), kind);
  return there(weights) ? std::optional(weights) : std::nullopt;
}

namespace {

void draw_kinds(Scene& scene, const Box& box) {
  const Ui& ui = scene.ui;
  constexpr std::array<Plane::Kind, 3> kinds{Plane::Kind::Value, Plane::Kind::Difference, Plane::Kind::Error};
  constexpr std::array<std::string_view, 3> names{"Value", "now − held", "Δ f64"};
  const bool comparable = scene.stats.can_compare();
  const std::string_view why_difference =
      comparable   ? "What is shown now, minus what is held."
      : scene.held ? "now − held needs as many tokens and heads in what is held as in what is shown."
                   : "Nothing is held yet: press \\ to hold what is shown, then change something.";
  const std::array<Tip, 3> tips{Tip{"Value", {}, "The stage itself."},
                                Tip{"Difference to what is held", "now − held", why_difference, "/"},
                                Tip{"Error of float32", "float32 − float64",
                                    "What rounding has done to this stage so far: the whole "
                                    "computation again with twice as many digits, and the difference."}};
  unsigned disabled = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (!plane_of_kind(scene, kinds[i])) disabled |= 1u << i;
  const auto now = std::find(kinds.begin(), kinds.end(), kind_of(stage_look_of(scene.view).stage));
  const bool is_gradient = stage_look_of(scene.view).stage.is_gradient();
  const auto chosen =
      segments(ui, "Kind", box, names, is_gradient ? -1 : static_cast<int>(now - kinds.begin()), tips,
               {.text_size = type::tick, .disabled = disabled});
  if (chosen)
    if (const auto plane = plane_of_kind(scene, kinds[static_cast<std::size_t>(*chosen)]))
      show_plane(scene, *plane);
}

/// The button that swaps the axes.
void draw_swap(Scene& scene, const Box& box) {
  const Ui& ui = scene.ui;
  const Ui::Touch touch = ui.touch("Swap axes", box);
  const bool on = focus_of(scene.view).turned;
  ui.fill(box,
          touch.hovered ? ui.theme.control_hover
          : on          ? ui.theme.segment_on
                        : ui.theme.control,
          ui.px(4));
  const Rgba ink = on ? ui.theme.query : touch.hovered ? ui.theme.text1 : ui.theme.text2;
  const float r = ui.px(5), line = std::max(1.f, ui.px(1.5f)), tip = ui.px(4);
  const float x = std::floor(box.centre_x()), y = std::floor(box.centre_y());
  const ImVec2 diagonal[]{{x - r, y - r}, {x + r, y + r}};
  const ImVec2 upper[]{{x + r - tip, y - r}, {x + r, y - r}, {x + r, y - r + tip}};
  const ImVec2 lower[]{{x - r, y + r - tip}, {x - r, y + r}, {x - r + tip, y + r}};
  ui.polyline(diagonal, fade(ink, 0.5f), line);
  ui.polyline(upper, ink, line);
  ui.polyline(lower, ink, line);
  if (touch.focused) ui.frame(box.grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(6));
  tooltip(ui, touch.hovered, box,
          {"Swap the axes", "queries ↓ keys →  or  keys ↓ queries →",
           "Mirrors the picture at its diagonal; nothing is computed anew.", "Shift+T"});
  if (touch.clicked) swap_axes(scene);
}

}  // namespace

void draw_focus_tools(Scene& scene, const Box& area, float caption, float corner_x) {
  const Ui& ui = scene.ui;
  if (ui.is_figure()) return;
  const float y = area.y + caption + ui.px(4), high = ui.px(24);
  const float wide = std::min(ui.px(216), area.w * 0.5f);
  const Box kinds{area.right() - wide, y - high / 2, wide, high};
  draw_kinds(scene, kinds);
  draw_swap(scene, {corner_x - ui.px(32), y - ui.px(7), ui.px(22), ui.px(22)});
  const float x = corner_x + ui.px(60), room = kinds.x - ui.px(112) - x;
  if (is_painting(scene) && room > ui.px(60)) {
    const std::string short_words = "painting " + std::string(brush_reach(scene)),
                      words = short_words + " · Esc ends";
    const bool fits = ui.text_width(words, type::label, Ink::Medium) <= room;
    ui.text(x, area.y + ui.px(10), fits ? words : short_words,
            {type::label, ui.theme.key, Ink::Medium, Align::Left, room});
  } else {
    draw_guess_chip(scene, x, area.y + ui.px(10), room);
  }
  if (focus_of(scene.view).zoom <= 1) return;
  const float fit_right = caption > 0 ? area.right() : kinds.x - ui.px(12);
  const float fit_wide = std::max(ui.px(40), ui.text_width("Fit", type::label, Ink::Medium) + ui.px(16));
  const Box fit{fit_right - fit_wide, y - caption - ui.px(12), fit_wide, high};
  if (button(ui, "Fit", fit,
             {"Fit the matrix",
              {},
              "The wheel zooms about the mouse, a drag moves, a double click fits again.",
              "Z"}))
    focus_of(scene.view).zoom = 1;
  ui.text(fit.x - ui.px(8), fit.centre_y(), fixed(focus_of(scene.view).zoom, 1) + "×",
          {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
}

}  // namespace attnscope
