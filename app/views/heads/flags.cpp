// app/views/heads: the marks of unusual heads and their meanings.
#include "app/views/heads/flags.hpp"

#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/scene/head_words.hpp"

namespace attnscope {
namespace {

struct FlagWords {
  std::string_view name, title, formula, why;
};
constexpr std::array<FlagWords, 6> flag_words{{
    {"not finite", "Not a number", "exp(x) = ∞, ∞ / ∞ = NaN",
     "Some weights are NaN or infinite: the softmax overflowed, or the numbers that came in did."},
    {"no key", "Rows without a key", "every key −∞",
     "The mask hides every key from some queries: their softmax is 0 / 0. What stands in such rows is a "
     "choice under Softmax."},
    {"one key", "One key per row", "mean H < 5 % of ln(allowed)",
     "Nearly all weight of every row lies on one key. Normal for a positional head; else the softmax is "
     "saturated and lets hardly any gradient pass."},
    {"uniform", "Uniform", "mean H > 98 % of ln(allowed)",
     "Nearly uniform attention: the head output is close to the mean of the allowed values."},
    {"vanishing", "Gradient far below the other heads'", "‖∂W‖ < 1e−4 of the layer's median",
     "Of W_Q, W_K or W_V: beside the others this head hardly learns."},
    {"exploding", "Gradient far above the other heads'", "‖∂W‖ > 10 × the layer's median, or not finite",
     "Of W_Q, W_K or W_V: a step that suits the others may overshoot here."},
}};

const FlagWords& words(HeadFlag flag) { return flag_words[static_cast<std::size_t>(flag)]; }

/// Three small columns: one higher than the others, or all equal.
void draw_columns(const Ui& ui, const Box& box, std::array<float, 3> heights, Rgba colour) {
  const float width = ui.px(2), step = ui.px(3);
  for (std::size_t i = 0; i < heights.size(); ++i) {
    const float height = ui.px(heights[i]);
    ui.fill(
        {box.x + ui.px(1) + static_cast<float>(i) * step, box.bottom() - ui.px(1) - height, width, height},
        colour);
  }
}

/// An arrow of a gradient: down where it vanishes, up where it explodes.
void draw_arrow(const Ui& ui, const Box& box, bool up, Rgba colour) {
  const float x = box.centre_x(), top = box.y + ui.px(1), bottom = box.bottom() - ui.px(1), r = ui.px(3);
  const float tip = up ? top : bottom, back = up ? top + r : bottom - r;
  ui.polyline(std::array<ImVec2, 2>{{{x, top}, {x, bottom}}}, colour, ui.px(1.5f));
  ui.polyline(std::array<ImVec2, 3>{{{x - r, back}, {x, tip}, {x + r, back}}}, colour, ui.px(1.5f));
}

void draw_mark(const Ui& ui, const Box& box, HeadFlag flag) {
  const Theme& theme = ui.theme;
  switch (flag) {
    case HeadFlag::NotFinite: ui.fill(box.grown(-ui.px(1)), theme.nan, ui.px(1)); break;
    case HeadFlag::NoKey:
      ui.frame(box.grown(-ui.px(1)), theme.key, std::max(1.f, ui.px(1)), ui.px(1));
      ui.fill({box.x + ui.px(1), std::round(box.centre_y() - ui.px(1)), box.w - ui.px(2), ui.px(2)},
              theme.key);
      break;
    case HeadFlag::OneKey: draw_columns(ui, box, {1, 8, 1}, theme.key); break;
    case HeadFlag::Uniform: draw_columns(ui, box, {4, 4, 4}, theme.key); break;
    case HeadFlag::Vanishing: draw_arrow(ui, box, false, theme.key); break;
    case HeadFlag::Exploding: draw_arrow(ui, box, true, theme.error); break;
  }
}

}  // namespace

std::vector<HeadFlag> flags_of(const LayerResult& result, std::int64_t b, std::int64_t h) {
  const HeadMeasures& m = result.measures.head(b, h);
  const bool intervened = has_intervention(result.document, h);
  std::vector<HeadFlag> flags;
  if (m.not_finite > 0) flags.push_back(HeadFlag::NotFinite);
  if (m.rows_without_key > 0) flags.push_back(HeadFlag::NoKey);
  if (intervened) return flags;  // its pattern is set, and cuts off gradients
  // A head whose role is one key per row, or uniform, is not flagged for it.
  const bool named = (m.one_key || m.is_uniform) && !role_of(result, h).does.empty();
  if (m.one_key && !named) flags.push_back(HeadFlag::OneKey);
  if (m.is_uniform && !named) flags.push_back(HeadFlag::Uniform);
  if (h >= std::ssize(result.head_gradients)) return flags;
  const HeadGradients& gradients = result.head_gradients[static_cast<std::size_t>(h)];
  if (gradients.exploding) flags.push_back(HeadFlag::Exploding);
  if (gradients.vanishing) flags.push_back(HeadFlag::Vanishing);
  return flags;
}

std::string_view name_of(HeadFlag flag) { return words(flag).title; }

std::string_view mark_of(HeadFlag flag) {
  switch (flag) {
    case HeadFlag::NotFinite: return "Magenta square: not a number.";
    case HeadFlag::NoKey: return "Crossed square: rows without a key.";
    case HeadFlag::OneKey: return "One high bar of three: one key per row.";
    case HeadFlag::Uniform: return "Three equal bars: uniform.";
    case HeadFlag::Vanishing: return "Arrow down: gradient far below the other heads'.";
    case HeadFlag::Exploding: return "Arrow up: gradient far above the other heads'.";
  }
  return {};
}

namespace {

/// The box of mark i.
Box place(const Ui& ui, float right, float y, std::size_t i) {
  const float side = ui.px(10), step = side + ui.px(3);
  return {right - side - step * static_cast<float>(i), std::round(y - side / 2), side, side};
}

}  // namespace

float touch_flags(Scene& scene, float right, float y, std::int64_t h) {
  const Ui& ui = scene.ui;
  float left = right;
  const std::vector<HeadFlag> flags = flags_of(scene.result, scene.sequence(), h);
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const FlagWords& w = words(flags[i]);
    const Box box = place(ui, right, y, i);
    const Ui::Touch touch = ui.touch((std::string(w.name) + " " + std::to_string(h)).c_str(), box, false);
    if (touch.hovered) scene.next.hovered_head = h;
    if (touch.clicked) scene.next.head = h;
    std::string title(w.title);
    const std::int64_t rows = scene.result.measures.head(scene.sequence(), h).rows_without_key;
    if (flags[i] == HeadFlag::NoKey) title = counted(rows, "row", "rows") + " without a key";
    tooltip(ui, touch.hovered, box, {title, w.formula, w.why});
    left = box.x;
  }
  return left;
}

float draw_flags(const Shown& shown, float right, float y, std::int64_t h, Rgba ground) {
  const Ui& ui = shown.ui;
  const std::vector<HeadFlag> flags = flags_of(shown.result, shown.sequence(), h);
  float left = right;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const Box box = place(ui, right, y, i);
    if (ground != 0) ui.fill(box.grown(ui.px(2)), ground, ui.px(3));
    draw_mark(ui, box, flags[i]);
    left = box.x;
  }
  return left;
}

}  // namespace attnscope
