// app/views/long: A, B and A − B of long results: which one is shown, and its scale.
#include <algorithm>

#include "app/state/regions/long_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/views/held/settings.hpp"
#include "app/views/long/long_parts.hpp"

namespace attnscope {

namespace {

const Survey& survey_of_held(const Shown& shown) {
  return *shown.held->result->layer().surveys[static_cast<std::size_t>(shown.sequence())];
}

}  // namespace

LongSide long_side(const Scene& scene) { return scene.held ? long_view_of(scene.view).side : LongSide::A; }

std::string why_no_long_difference(const Shown& scene) {
  if (!scene.held) return {};
  const Dimensions &a = scene.result.dimensions, &b = scene.held->result->layer().dimensions;
  return why_no_cells(a, b);
}

bool has_long_difference(const Shown& scene) {
  if (!scene.held_tiles) return false;
  // The first survey of an A that is computed anew has coarser cells: A − B needs the next one.
  return why_no_long_difference(scene).empty() && survey_of(scene).cell == survey_of_held(scene).cell;
}

bool shows_long_difference(const Scene& scene) {
  return long_side(scene) == LongSide::Difference && has_long_difference(scene);
}

bool is_hidden_in(const Shown& scene, bool difference, std::int64_t h, Cell cell) {
  const auto hidden = [&](const Survey& survey) {
    return is_hidden(survey.problem(), h, cell.query, cell.key);
  };
  return hidden(survey_of(scene)) && (!difference || hidden(survey_of_held(scene)));
}

ColourScale long_difference_scale(const Scene& scene, std::int64_t h, int level) {
  ColourScale scale{scene.ui.theme.scores, -1, 1, true, false};
  const auto& [low, high] = stage_look_of(scene.view).locked_range;
  if (stage_look_of(scene.view).range == RangeMode::Lock && low == -high && high > 0) {
    scale.low = low;
    scale.high = high;
    return scale;
  }
  const bool mean = long_view_of(scene.view).mean && level > 0;
  const float most = scene.stats.picture_largest({scene.sequence(), h, mean, true});
  if (most > 0) {
    scale.low = -most;
    scale.high = most;
  }
  return scale;
}

ColourScale long_scale_of_both(const Scene& a, const Scene& b, std::int64_t h) {
  ColourScale scale = long_scale(a, h);
  const ColourScale other = long_scale(b, std::min(h, b.result.dimensions.heads - 1));
  scale.low = std::min(scale.low, other.low);
  scale.high = std::max(scale.high, other.high);
  return scale;
}

}  // namespace attnscope
