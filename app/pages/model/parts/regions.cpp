// app/pages/model: the places of the regions of all its screens.
#include <algorithm>
#include <cmath>

#include "app/pages/model/parts/parts.hpp"
#include "app/state/regions/regions_state.hpp"

namespace attnscope {
namespace {

constexpr SplitterLimits model_head_limits{240, 960}, stream_limits{112, 1200};
constexpr float least_grid = 320, least_grid_height = 220;  // logical

}  // namespace

ModelRegions model_regions(const Ui& ui, const Box& whole, bool compact, const ViewState& view) {
  ModelRegions r;
  const auto size = [&](float dragged, float usual) { return ui.px(dragged > 0 ? dragged : usual); };
  const RegionSizes& sizes = regions_of(view).sizes;
  float left = regions_of(view).is_hidden(Region::Controls) ? 0 : size(sizes.controls, compact ? 216 : 264);
  float right =
      regions_of(view).is_hidden(Region::Inspector) ? 0 : size(sizes.model_head, compact ? 280 : 368);
  const bool picture = model_look_of(view).picture.is_there;  // the input picture needs the height
  const float usual_low = compact ? (picture ? 236 : 172) : (picture ? 320 : 264);
  float low = regions_of(view).is_hidden(Region::Signals) ? 0 : size(sizes.model_stream, usual_low);
  // The grid keeps its least size before the others: a region dragged wide in a large window is narrower in a
  // small one.
  const float least = ui.px(least_grid), least_height = ui.px(least_grid_height);
  if (sizes.model_head > 0)
    right = std::clamp(whole.w - left - least, std::min(right, ui.px(model_head_limits.least)), right);
  if (whole.w - left - right < least) left = 0;
  if (whole.w - left - right < least) right = 0;
  low = std::min(low,
                 sizes.model_stream > 0 ? std::floor(whole.h - least_height) : std::floor(whole.h * 0.45f));
  if (whole.h - low < least_height) low = 0;
  const float middle = std::max(0.f, whole.w - left - right), high = std::max(0.f, whole.h - low);
  r.controls = {whole.x, whole.y, left, whole.h};
  r.grid = {whole.x + left, whole.y, middle, high};
  r.head = {whole.x + left + middle, whole.y, right, high};
  r.stream = {whole.x + left, whole.y + high, middle, low};
  r.prediction = {whole.x + left + middle, whole.y + high, right, low};
  return r;
}

std::vector<SplitterLine> drag_model_splitters(const Ui& ui, const ModelRegions& r, ViewState& view) {
  const float half = ui.px(splitter_reach);
  RegionSizes& sizes = regions_of(view).sizes;
  std::vector<SplitterLine> lines;
  const auto drag = [&](const Splitter& edge) {
    if (const SplitterLine line = drag_splitter(ui, edge); line.box.w > 0) lines.push_back(line);
  };
  if (r.controls.w > 0)
    drag({"split controls",
          {r.controls.right() - half, r.controls.y, 2 * half, r.controls.h},
          &sizes.controls,
          r.controls.x,
          true,
          control_limits});
  if (r.head.w > 0)
    drag({"split head",
          {r.head.x - half, r.head.y, 2 * half, r.head.h + r.prediction.h},
          &sizes.model_head,
          r.head.right(),
          true,
          model_head_limits});
  if (r.stream.h > 0)
    drag({"split stream",
          {r.stream.x, r.stream.y - half, r.stream.w + r.prediction.w, 2 * half},
          &sizes.model_stream,
          r.stream.bottom(),
          false,
          stream_limits});
  return lines;
}

Box list_part(const Scene& scene, const Box& area) {
  const float wide = scene.ui.px(scene.compact ? 236 : 308);
  if (area.w < 2 * wide) return {area.right(), area.y, 0, area.h};
  // The scrollbar of a list is beyond its right edge.
  return {area.right() - wide, area.y, wide - scene.ui.px(10), area.h};
}

}  // namespace attnscope
