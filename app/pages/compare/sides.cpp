#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/compare/parts.hpp"
#include "app/state/compare_state.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "core/attention/run_stage.hpp"
#include "core/document/known.hpp"

namespace attnscope {
namespace {

constexpr float most_doublings = 5;  // ratios beyond × 32 are clipped: those of softmax weights have no bound

Plane::Kind plane_kind(DifferenceKind kind) {
  switch (kind) {
    case DifferenceKind::Magnitude: return Plane::Kind::Magnitude;
    case DifferenceKind::Ratio: return Plane::Kind::Ratio;
    case DifferenceKind::Signed: break;
  }
  return Plane::Kind::Difference;
}

float largest_of_head(const Sides& sides, std::int64_t h) {
  const ValueRange range = sides.a.stats.range(sides.difference, sides.a.sequence(), h);
  return std::max(std::abs(range.low), std::abs(range.high));
}

/// `doublings`: log₂ of the ratio, so that "× 2.0" and "÷ 2.0" are equally far from "=".
std::string ratio_in_cell(double doublings) {
  if (std::isnan(doublings)) return "NaN";
  if (!std::isfinite(doublings)) return doublings > 0 ? "∞" : "0";
  const double times = std::exp2(std::abs(doublings));
  if (times < 1.005) return "=";
  const std::string sign = doublings > 0 ? "×" : "÷";
  if (times < 99.5) return sign + fixed(times, times < 9.95 ? 1 : 0);
  return sign + "1e" + fixed(std::floor(std::log10(times)), 0);
}

}  // namespace

Sides sides_of(Scene& scene, Scene* held) {
  const Document& document = scene.result.document;
  const Plane::Kind kind = plane_kind(compare_of(scene.view).difference);
  const Stage used = weights_stage(document);
  Plane plane = stage_look_of(scene.view).stage;
  const bool known =
      is_known(document, plane.stage) && (!held || is_known(held->result.document, plane.stage));
  if (plane.is_gradient() || !known) plane = used;
  Sides sides{scene, held, false, false, plane.stage, plane.stage, Plane(plane.stage, kind), {}};
  if (!held) return sides;
  // Weights are compared with weights, even if softmax made those of one side and linear attention the
  // other's.
  if (plane.stage == used) sides.b_plane = weights_stage(held->result.document);
  sides.same_shape = scene.stats.can_compare();
  sides.comparable = sides.same_shape && scene.stats.tensor(sides.difference);
  sides.settings = differing_settings(document, held->result.document);
  return sides;
}

ColourScale shared_scale(const Sides& sides) {
  ColourScale scale = colour_scale(sides.a, sides.a_plane, sides.a.head());
  if (!sides.b || !sides.b->stats.tensor(sides.b_plane)) return scale;
  const ColourScale other = colour_scale(*sides.b, sides.b_plane, sides.b->head());
  scale.low = std::min(scale.low, other.low);
  scale.high = std::max(scale.high, other.high);
  return scale;
}

ColourScale difference_scale(const Sides& sides, bool all_heads) {
  const Scene& a = sides.a;
  float largest = all_heads ? 0 : largest_of_head(sides, a.head());
  if (all_heads) {
    for (std::int64_t h = 0; h < a.result.dimensions.heads; ++h)
      largest = std::max(largest, largest_of_head(sides, h));
  }
  if (!(largest > 0)) largest = 1;
  if (sides.difference.kind == Plane::Kind::Ratio) largest = std::min(largest, most_doublings);
  if (sides.difference.kind == Plane::Kind::Magnitude)
    return {weights_map(a.ui.theme, focus_of(a.view).colours), 0, largest, false};
  return {a.ui.theme.scores, -largest, largest, true};
}

double largest_difference(const Sides& sides) {
  return static_cast<double>(largest_of_head(sides, sides.a.head()));
}

std::string difference_in_cell(const Sides& sides, double value, float side) {
  if (sides.difference.kind == Plane::Kind::Ratio) return ratio_in_cell(value);
  const std::string sign = value > 0 && sides.difference.kind == Plane::Kind::Difference ? "+" : "";
  if (value == 0) return "0";
  if (!std::isfinite(value)) return fixed(value, 0);
  const bool weights = is_weights(sides.a_plane), wide = side > 48;
  if (side > 80 && std::abs(value) >= 0.0005) return sign + fixed(value, 4);
  // If all differences of the picture are small, two decimals would show nothing.
  const bool fine = wide || largest_difference(sides) < 0.1;
  if (fine && std::abs(value) < 0.005) return sign + tight(value);
  if (weights) return sign + in_cell(value);
  return sign + (wide ? fixed(value, 2) : score_in_cell(value));
}

std::string difference_read_out(const Sides& sides, double a, double b) {
  const int places = is_weights(sides.a_plane) ? 4 : 3;
  if (sides.difference.kind == Plane::Kind::Ratio) return a == b ? "1" : tiny(a / b);
  const double apart = a == b ? 0 : a - b;  // −∞ − −∞ is NaN: both cells may be masked
  if (sides.difference.kind == Plane::Kind::Magnitude) return fixed(std::abs(apart), places);
  return (apart > 0 ? "+" : "") + fixed(apart, places);
}

Rgba difference_ink(const Ui& ui, double value) {
  if (value == 0 || std::isnan(value)) return ui.theme.text1;
  return colormap(ui.theme.scores)[value < 0 ? 44 : 211];
}

}  // namespace attnscope
