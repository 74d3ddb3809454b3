#include "app/picture.hpp"

#include <algorithm>
#include <cmath>

namespace attnscope {
namespace {

RasterColours colours(const Theme& theme) {
  return {theme.picture, theme.hatch_ground, theme.hatch_line, theme.text3, theme.text3, theme.nan};
}

}  // namespace

RasterJob whole_matrix(const Ui& ui, const ConstMatrixMap<float>& values, const Colormap& map,
                       const Box& box) {
  return {.values = values,
          .map = &map,
          .rows = static_cast<double>(values.rows()),
          .columns = static_cast<double>(values.cols()),
          .width = static_cast<int>(box.w),
          .height = static_cast<int>(box.h),
          .gap = std::max(1, static_cast<int>(std::floor(ui.scale()))),
          .mark = std::max(1, static_cast<int>(std::lround(ui.scale()))),
          .colours = colours(ui.theme)};
}

CellMarks::CellMarks(const Scene& scene, Plane plane, std::int64_t b, std::int64_t h)
    : scene_(&scene),
      plane_(plane),
      b_(b),
      h_(h),
      hides_(shows_mask(scene.result.document, plane)),
      seen_(static_cast<std::size_t>(scene.result.dimensions.keys), 1),
      values_(matrix_of(scene.result, plane, b, h)) {}

CellKind CellMarks::operator()(std::int64_t query, std::int64_t key) {
  if (!hides_) return CellKind::Number;  // before the mask everything is a number
  if (query != row_) {
    scene_->stats.rule().see(b_, h_, query, seen_);
    row_is_empty_ = std::find(seen_.begin(), seen_.end(), std::uint8_t{1}) == seen_.end();
    row_ = query;
  }
  const bool weights = is_weights(plane_);
  const bool zero = values_(query, key) == 0;
  if (seen_[static_cast<std::size_t>(key)] == 0) {
    // Where -1e9 stands for -inf, or a row overflowed, a hidden key can have a weight: that must be seen.
    if (weights && !zero) return CellKind::Number;
    return row_is_empty_ ? CellKind::NoKey : CellKind::Masked;
  }
  const bool dropped = plane_.stage == Stage::Drop;  // zeros are made on purpose here
  return weights && zero && !dropped ? CellKind::Underflow : CellKind::Number;
}

ColourScale colour_scale(const Scene& scene, Plane plane, std::int64_t h) {
  const Theme& theme = scene.ui.theme;
  const bool weights = is_weights(plane);
  // Dropout makes the weights it keeps larger: 1 becomes 1 / (1 - rate).
  const float kept = plane.stage == Stage::Drop ? 1 - scene.result.document.dropout.rate : 1;
  ColourScale scale{weights ? theme.weights : theme.scores, 0, 1 / kept, !weights};
  if (scene.view.range == RangeMode::Lock) {
    scale.low = scene.view.locked_range[0];
    scale.high = scene.view.locked_range[1];
    return scale;
  }
  if (weights && scene.view.range == RangeMode::All) return scale;

  const auto size_of = [&](std::int64_t head) {
    const ValueRange r = scene.stats.range(plane, scene.sequence(), head);
    return weights ? r.high : std::max(std::abs(r.low), std::abs(r.high));
  };
  const float own = size_of(h);
  float all = weights ? scale.high : own;
  if (!weights && scene.view.range != RangeMode::Head) {
    for (std::int64_t other = 0; other < scene.result.dimensions.heads; ++other)
      all = std::max(all, size_of(other));
  }
  float high = scene.view.range == RangeMode::Head  ? own
               : scene.view.range == RangeMode::All ? all
                                                    : std::sqrt(own * all);
  if (!(high > 0)) high = 1;
  scale.high = high;
  scale.low = weights ? 0 : -high;
  return scale;
}

void draw_matrix(const Scene& scene, const char* place, const Box& box, Plane plane, std::int64_t b,
                 std::int64_t h, const ColourScale& scale, float opacity) {
  const Result& result = scene.result;
  const Ui& ui = scene.ui;
  if (!tensor_of(result, plane) || box.w < 1 || box.h < 1) return;
  // The marks depend on the mask and, for the weights, on the numbers: the masked stage stands for both.
  std::uint64_t content = mix_hash(mix_hash(0, made_in(result, plane)), made_in(result, Stage::Mask));
  for (const std::int64_t part :
       {b, h, static_cast<std::int64_t>(plane.stage), static_cast<std::int64_t>(plane.gradient),
        static_cast<std::int64_t>(scale.map), static_cast<std::int64_t>(ui.theme.name)}) {
    content = mix_hash(content, static_cast<std::uint64_t>(part));
  }
  content = mix_hash(mix_hash(content, scale.low), scale.high);
  content = mix_hash(content, static_cast<std::uint64_t>(box.w) << 32 | static_cast<std::uint64_t>(box.h));

  const auto paint = [&] {
    RasterJob job = whole_matrix(ui, matrix_of(result, plane, b, h), colormap(scale.map), box);
    job.kind = CellMarks(scene, plane, b, h);
    job.low = scale.low;
    job.high = scale.high;
    return raster(job);
  };
  const ImTextureID texture = ui.textures.get(ImGui::GetID(place), content, paint);
  ui.list()->AddImage(ImTextureRef(texture), box.min(), box.max(), {0, 0}, {1, 1},
                      fade(0xFFFFFFFFu, opacity));
}

void draw_mask_picture(const Scene& scene, const char* place, const Box& box) {
  const Result& result = scene.result;
  const Ui& ui = scene.ui;
  const std::int64_t b = scene.sequence(), h = scene.head();
  std::uint64_t content = mix_hash(0, made_in(result, Stage::Mask));
  content = mix_hash(mix_hash(content, static_cast<std::uint64_t>(b)), static_cast<std::uint64_t>(h));
  content = mix_hash(mix_hash(content, box.w), static_cast<std::uint64_t>(ui.theme.name));
  const ImTextureID texture = ui.textures.get(ImGui::GetID(place), content, [&] {
    const Tensor& like = *result.trace[Stage::Mask];
    const Tensor zeros(Shape{like.shape()[2], like.shape()[3]});
    Colormap flat;
    flat.fill(ui.theme.bar);
    RasterJob job = whole_matrix(ui, zeros.matrix(), flat, box);
    // The rule itself: a mistake may leave the masked scores as they were.
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(result.dimensions.keys));
    job.kind = [&, row = std::int64_t{-1}, is_empty = false](std::int64_t i, std::int64_t j) mutable {
      if (i != row) {
        scene.stats.rule().see(b, h, row = i, seen);
        is_empty = std::find(seen.begin(), seen.end(), std::uint8_t{1}) == seen.end();
      }
      if (is_empty) return CellKind::NoKey;
      return seen[static_cast<std::size_t>(j)] == 0 ? CellKind::Masked : CellKind::Number;
    };
    job.colours.ground = ui.theme.panel;
    return raster(job);
  });
  ui.list()->AddImage(ImTextureRef(texture), box.min(), box.max());
}

Box cell_box(const Box& box, std::int64_t row, std::int64_t column, std::int64_t rows, std::int64_t columns) {
  const auto edge = [](float size, std::int64_t i, std::int64_t n) {
    return std::floor(size * static_cast<float>(i) / static_cast<float>(std::max<std::int64_t>(n, 1)));
  };
  const float x0 = edge(box.w, column, columns), x1 = edge(box.w, column + 1, columns);
  const float y0 = edge(box.h, row, rows), y1 = edge(box.h, row + 1, rows);
  return {box.x + x0, box.y + y0, x1 - x0, y1 - y0};
}

Cell cell_at(const Box& box, ImVec2 point, std::int64_t rows, std::int64_t columns) {
  const auto index = [](float offset, float size, std::int64_t n) {
    const auto i = static_cast<std::int64_t>(std::floor(offset * static_cast<float>(n) / size));
    return std::clamp<std::int64_t>(i, 0, n - 1);
  };
  return {index(point.y - box.y, box.h, rows), index(point.x - box.x, box.w, columns)};
}

Rgba colour_of(const ColourScale& scale, float value) {
  const float span = scale.high - scale.low;
  const float unit = span > 0 ? std::clamp((value - scale.low) / span, 0.f, 1.f) : 0.f;
  return colormap(scale.map)[static_cast<std::size_t>(std::lround(unit * 255))];
}

Rgba ink_on(Rgba ground) { return luminance(ground) > 0.19 ? 0xFF181310u : 0xFFF9F6F4u; }

}  // namespace attnscope
