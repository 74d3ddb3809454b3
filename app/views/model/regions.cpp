#include <algorithm>
#include <cmath>

#include "app/state/model_state.hpp"
#include "app/views/model/parts.hpp"
#include "core/base/error.hpp"

namespace attnscope {

namespace {

constexpr SplitterLimits model_head_limits{240, 960}, stream_limits{112, 1200};
constexpr float least_grid = 320, least_grid_height = 220;  // logical

}  // namespace

ModelRegions model_regions(const Ui& ui, const Box& whole, bool compact, const ViewState& view) {
  ModelRegions r;
  const auto size = [&](float dragged, float usual) { return ui.px(dragged > 0 ? dragged : usual); };
  const RegionSizes& sizes = view.sizes;
  float left = view.is_hidden(Region::Controls) ? 0 : size(sizes.controls, compact ? 216 : 264);
  float right = view.is_hidden(Region::Inspector) ? 0 : size(sizes.model_head, compact ? 280 : 368);
  const bool picture = view.model->picture.is_there;  // it needs the height
  const float usual_low = compact ? (picture ? 236 : 172) : (picture ? 320 : 264);
  float low = view.is_hidden(Region::Signals) ? 0 : size(sizes.model_stream, usual_low);
  // The grid gives way last. What was dragged wide in a large window leaves it room in a small one.
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
  RegionSizes& sizes = view.sizes;
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

void change_within(Scene& scene, const std::function<ModelContext(ModelContext)>& edit) {
  const ModelContext& now = scene.document.within.read();
  try {
    ModelContext next = edit(now);
    if (!(next == now)) scene.document.within.change() = std::move(next);
  } catch (const Error& error) {
    scene.view.notices.say(error.what());
  }
}

void look_at(Scene& scene, const ModelHead& head) {
  change_within(scene, [&](ModelContext within) {
    return edit::looked_at(std::move(within), {head.of, head.block});
  });
  scene.next.head = head.head;
}

void open_in_explore(Scene& scene) {
  scene.view.mode = Mode::Explore;
  scene.view.model->hovered.reset();
}

float draw_region_title(const Ui& ui, const Box& region, std::string_view title, std::string_view note,
                        float right) {
  const float y = region.y + ui.px(22);
  const float end = region.x + ui.text(region.x, y, title, {type::body, ui.theme.text1, Ink::Semibold});
  const float begin = end + ui.px(12);
  if (note.empty() || right - begin < ui.px(60)) return end;
  // What does not fit goes from the end on, as a whole where it can.
  for (std::size_t last = note.rfind("  ·  ");
       last != std::string_view::npos && ui.text_width(note, type::tick) > right - begin;
       last = note.rfind("  ·  "))
    note = note.substr(0, last);
  return begin +
         ui.text(begin, y, note, {type::tick, ui.theme.text3, Ink::Regular, Align::Left, right - begin});
}

float draw_small_ramp(const Ui& ui, const char* place, float right, float y, const ColourScale& scale,
                      float to, std::string_view low, std::string_view high, float width) {
  const TextStyle style{type::tick, ui.theme.text2};
  const float after = ui.text_width(high, type::tick), before = ui.text_width(low, type::tick);
  const Box ramp{std::round(right - after - ui.px(6) - width), std::round(y - ui.px(4)), width, ui.px(8)};
  ui.text(ramp.right() + ui.px(6), y, high, style);
  draw_ramp(ui, place, ramp, scale, scale.low, to);
  const float left = ramp.x - ui.px(6) - before;
  ui.text(left, y, low, style);
  return left;
}

}  // namespace attnscope
