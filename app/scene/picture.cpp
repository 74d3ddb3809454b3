#include "app/scene/picture.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <utility>

#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "core/attention/run_stage.hpp"
#include "core/engine/overview.hpp"

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
      seen_(static_cast<std::size_t>(scene.result.dimensions.keys), 1),
      kinds_(seen_.size(), CellKind::Number),
      values_(scene.stats.matrix(plane, b, h)) {
  const bool weights = is_weights(plane);
  const bool on_purpose = plane.stage == Stage::Drop ||  // its zeros are intended
                          (plane.stage == Stage::Intervention && has_intervention(scene.result.document, h));
  // With -1e9 in place of -inf, or after an overflow, a hidden key can have a weight, which must be visible.
  rule_ = {.zero_is_underflow = weights && !on_purpose, .leaks_are_numbers = weights};
}

void CellMarks::row(std::int64_t query, std::span<CellKind> kinds) {
  scene_->stats.see(plane_, b_, h_, query, seen_);
  const bool is_empty = std::find(seen_.begin(), seen_.end(), std::uint8_t{1}) == seen_.end();
  rule_.hidden = is_empty ? CellKind::NoKey : CellKind::Masked;
  kinds_of_row({values_.data() + query * values_.cols(), seen_.size()}, seen_, rule_, kinds);
}

CellKind CellMarks::operator()(std::int64_t query, std::int64_t key) {
  if (query != row_) row(row_ = query, kinds_);
  return kinds_[static_cast<std::size_t>(key)];
}

OverviewMarks::OverviewMarks(const Scene& scene, Plane plane, std::int64_t b, std::int64_t h)
    : scene_(&scene),
      plane_(plane),
      b_(b),
      h_(h),
      cell_(overview_cell(scene.result.trace[weights_stage(scene.result.document)]->shape())),
      queries_(scene.result.dimensions.queries),
      seen_(static_cast<std::size_t>(scene.result.dimensions.keys)),
      any_(seen_.size()) {}

void OverviewMarks::row(std::int64_t row, std::span<CellKind> kinds) {
  std::fill(any_.begin(), any_.end(), std::uint8_t{0});
  bool no_key = true;
  for (std::int64_t query = row * cell_; query < std::min(queries_, (row + 1) * cell_); ++query) {
    scene_->stats.see(plane_, b_, h_, query, seen_);
    no_key = no_key && std::find(seen_.begin(), seen_.end(), std::uint8_t{1}) == seen_.end();
    std::ranges::transform(any_, seen_, any_.begin(), std::bit_or<>());
  }
  const CellKind hidden = no_key ? CellKind::NoKey : CellKind::Masked;
  const auto of_overview = scene_->result.overview->matrix(b_, h_);
  for (std::size_t column = 0; column < kinds.size(); ++column) {
    const auto from = any_.begin() + static_cast<std::ptrdiff_t>(column) * cell_;
    const auto to = from + std::min<std::ptrdiff_t>(cell_, any_.end() - from);
    // A hidden key with a weight must be visible.
    const float weight = of_overview(row, static_cast<Eigen::Index>(column));
    const bool leaks = weight != 0 && !std::isnan(weight);
    kinds[column] = leaks || std::find(from, to, std::uint8_t{1}) != to ? CellKind::Number : hidden;
  }
}

Map weights_map(const Theme& theme, WeightColours colours) {
  const bool paper = theme.name == ThemeName::Light;
  switch (colours) {
    case WeightColours::Viridis: return Map::Viridis;
    case WeightColours::Cividis: return Map::Cividis;
    case WeightColours::Blues: return paper ? Map::Blues : Map::BluesDark;
    case WeightColours::Grey: return paper ? Map::GreyPaper : Map::Grey;
    case WeightColours::Magma: break;
  }
  return theme.weights;
}

namespace {

/// The low end of a logarithmic scale for a given high end: four decades below it, or the head's smallest
/// weight, or their geometric mean.
float logarithmic_low(const Scene& scene, Plane plane, std::int64_t h, float high) {
  constexpr float usual = 1e-4f, least = 1e-8f;
  const RangeMode range = stage_look_of(scene.view).range;
  if (range == RangeMode::All || range == RangeMode::Lock) return high * usual;
  const float smallest = scene.stats.range(plane, scene.sequence(), h).smallest_positive;
  const float own = std::clamp(smallest, high * least, high * 0.1f);
  return range == RangeMode::Head ? own : std::sqrt(own * high * usual);
}

}  // namespace

ColourScale colour_scale(const Scene& scene, Plane plane, std::int64_t h) {
  const Theme& theme = scene.ui.theme;
  const bool weights = is_weights(plane);
  // Dropout scales up the weights it keeps: 1 becomes 1 / (1 - rate).
  const float kept = plane.stage == Stage::Drop ? 1 - scene.result.document.layer().dropout.rate : 1;
  const FocusState& focus = focus_of(scene.view);
  const StageLook& look = stage_look_of(scene.view);
  ColourScale scale{weights ? weights_map(theme, focus.colours) : theme.scores, 0, 1 / kept, !weights,
                    weights && focus.log};
  if (look.range == RangeMode::Lock) {
    scale.low = look.locked_range[0];
    scale.high = look.locked_range[1];
    if (scale.log && !(scale.low > 0)) scale.low = logarithmic_low(scene, plane, h, scale.high);
    return scale;
  }
  if (weights && look.range == RangeMode::All) {
    if (scale.log) scale.low = logarithmic_low(scene, plane, h, scale.high);
    return scale;
  }

  const auto size_of = [&](std::int64_t head) {
    const ValueRange r = scene.stats.range(plane, scene.sequence(), head);
    return weights ? r.high : std::max(std::abs(r.low), std::abs(r.high));
  };
  const float own = size_of(h);
  float all = weights ? scale.high : own;
  if (!weights && look.range != RangeMode::Head) {
    for (std::int64_t other = 0; other < scene.result.dimensions.heads; ++other)
      all = std::max(all, size_of(other));
  }
  float high = look.range == RangeMode::Head  ? own
               : look.range == RangeMode::All ? all
                                              : std::sqrt(own * all);
  if (!(high > 0)) high = 1;
  scale.high = high;
  scale.low = scale.log ? logarithmic_low(scene, plane, h, high) : weights ? 0 : -high;
  return scale;
}

void draw_matrix(const Scene& scene, const char* place, const Box& box, Plane plane, std::int64_t b,
                 std::int64_t h, const ColourScale& scale, float opacity) {
  draw_matrix(scene, {place, box, plane, b, h, scale, {}, opacity});
}

namespace {

/// Whether the picture is so small that it cannot show more than the overview, in which one cell pools
/// several. The weights are then in another memory, and small pictures of all heads would need a copy of all
/// of them.
bool fits_overview(const Scene& scene, const MatrixPicture& p) {
  constexpr float most_magnified = 1.25f;
  const TensorPtr& overview = scene.result.overview;
  if (overview == nullptr || p.part ||
      scene.stats.tensor(p.plane) != scene.result.trace[weights_stage(scene.result.document)])
    return false;
  const Shape& shape = overview->shape();
  return p.box.w <= most_magnified * static_cast<float>(shape[3]) &&
         p.box.h <= most_magnified * static_cast<float>(shape[2]);
}

}  // namespace

void draw_matrix(const Scene& scene, const MatrixPicture& p) {
  const LayerResult& result = scene.result;
  const Ui& ui = scene.ui;
  const Box& box = p.box;
  if (!scene.stats.tensor(p.plane) || box.w < 1 || box.h < 1) return;
  // The marks depend on the mask and, for the weights, on the numbers: the masked stage identifies both.
  std::uint64_t content = mix_hash(mix_hash(0, scene.stats.made_in(p.plane)), made_in(result, Stage::Mask));
  for (const std::int64_t part :
       {p.b, p.h, static_cast<std::int64_t>(index_of(p.plane.stage)), static_cast<std::int64_t>(p.plane.kind),
        static_cast<std::int64_t>(p.scale.map), static_cast<std::int64_t>(p.scale.log),
        static_cast<std::int64_t>(ui.theme.name)}) {
    content = mix_hash(content, static_cast<std::uint64_t>(part));
  }
  content = mix_hash(mix_hash(content, p.scale.low), p.scale.high);
  content = mix_hash(content, static_cast<std::uint64_t>(box.w) << 32 | static_cast<std::uint64_t>(box.h));
  if (p.part) {
    for (const double place : {p.part->row0, p.part->column0, p.part->rows, p.part->columns})
      content = mix_hash(content, std::bit_cast<std::uint64_t>(place));
    content = mix_hash(content, static_cast<std::uint64_t>(p.part->turned));
  }
  const bool is_overview = fits_overview(scene, p);
  content = mix_hash(content, static_cast<std::uint64_t>(is_overview));
  const auto make = [&](const Ui::UseJob& use) {
    RasterJob job = whole_matrix(
        ui, is_overview ? result.overview->matrix(p.b, p.h) : scene.stats.matrix(p.plane, p.b, p.h),
        colormap(p.scale.map), box);
    std::optional<CellMarks> marks;
    std::optional<OverviewMarks> overview_marks;
    if (is_overview)
      overview_marks.emplace(scene, p.plane, p.b, p.h);
    else
      marks.emplace(scene, p.plane, p.b, p.h);
    job.row_kinds = [&](std::int64_t row, std::span<CellKind> kinds) {
      if (overview_marks)
        overview_marks->row(row, kinds);
      else
        marks->row(row, kinds);
    };
    job.low = p.scale.low;
    job.high = p.scale.high;
    job.log = p.scale.log;
    if (p.part) {
      job.row0 = p.part->row0;
      job.column0 = p.part->column0;
      job.rows = p.part->rows;
      job.columns = p.part->columns;
      job.turned = p.part->turned;
    }
    use(job);
  };
  ui.matrix(p.place, content, box, make, p.opacity);
}

void draw_ramp(const Ui& ui, const char* place, const Box& box, const ColourScale& scale, float from,
               float to) {
  std::uint64_t content = mix_hash(mix_hash(mix_hash(1, scale.low), scale.high), from);
  content = mix_hash(mix_hash(mix_hash(content, to), box.w), box.h);
  content = mix_hash(content, static_cast<std::uint64_t>(scale.map) * 2 + (scale.log ? 1 : 0));
  ui.picture(place, content, box, [&] {
    Image image(static_cast<int>(box.w), static_cast<int>(box.h));
    for (int x = 0; x < image.width; ++x) {
      const float share = (static_cast<float>(x) + 0.5f) / static_cast<float>(image.width);
      const float value = scale.log ? from * std::pow(to / from, share) : from + (to - from) * share;
      const Rgba colour = colour_of(scale, value);
      for (int y = 0; y < image.height; ++y) image.at(x, y) = colour;
    }
    return image;
  });
}

void draw_mask_picture(const Shown& shown, const char* place, const Box& box) {
  const LayerResult& result = shown.result;
  const Ui& ui = shown.ui;
  const std::int64_t b = shown.sequence(), h = shown.head();
  std::uint64_t content = mix_hash(0, made_in(result, Stage::Mask));
  content = mix_hash(mix_hash(content, static_cast<std::uint64_t>(b)), static_cast<std::uint64_t>(h));
  content = mix_hash(mix_hash(content, box.w), static_cast<std::uint64_t>(ui.theme.name));
  ui.matrix(place, content, box, [&](const Ui::UseJob& use) {
    const Tensor& like = *result.trace[Stage::Mask];
    const Tensor zeros(Shape{like.shape()[2], like.shape()[3]});
    Colormap flat;
    flat.fill(ui.theme.bar);
    RasterJob job = whole_matrix(ui, zeros.matrix(), flat, box);
    // Uses the mask's rule itself: with a wrong mask, the masked scores may be unchanged.
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(result.dimensions.keys));
    job.row_kinds = [&](std::int64_t i, std::span<CellKind> kinds) {
      shown.stats.rule().see(b, h, i, seen);
      const bool is_empty = std::find(seen.begin(), seen.end(), std::uint8_t{1}) == seen.end();
      kinds_of_row({}, seen, {.hidden = is_empty ? CellKind::NoKey : CellKind::Masked}, kinds);
    };
    job.colours.ground = ui.theme.panel;
    use(job);
  });
}

Box cell_box(const Box& box, std::int64_t row, std::int64_t column, std::int64_t rows, std::int64_t columns) {
  const auto edge = [](float size, std::int64_t i, std::int64_t n) {
    return std::floor(size * static_cast<float>(i) / static_cast<float>(std::max<std::int64_t>(n, 1)));
  };
  const float x0 = edge(box.w, column, columns), x1 = edge(box.w, column + 1, columns);
  const float y0 = edge(box.h, row, rows), y1 = edge(box.h, row + 1, rows);
  return {box.x + x0, box.y + y0, x1 - x0, y1 - y0};
}

Box cell_box(const Box& box, const Part& part, std::int64_t query, std::int64_t key) {
  const auto edge = [](double first, double count, float size, std::int64_t cell) {
    return static_cast<float>(
        std::floor((static_cast<double>(cell) - first) * static_cast<double>(size) / count));
  };
  const auto stretch = [&](double first, double count, float size, std::int64_t cell) {
    const float begin = edge(first, count, size, cell);
    return std::pair{begin, edge(first, count, size, cell + 1) - begin};
  };
  const auto [down, height] = stretch(part.row0, part.rows, part.turned ? box.w : box.h, query);
  const auto [across, width] = stretch(part.column0, part.columns, part.turned ? box.h : box.w, key);
  if (part.turned) return {box.x + down, box.y + across, height, width};
  return {box.x + across, box.y + down, width, height};
}

Cell cell_at(const Box& box, ImVec2 point, std::int64_t rows, std::int64_t columns) {
  const auto index = [](float offset, float size, std::int64_t n) {
    const auto i = static_cast<std::int64_t>(std::floor(offset * static_cast<float>(n) / size));
    return std::clamp<std::int64_t>(i, 0, n - 1);
  };
  return {index(point.y - box.y, box.h, rows), index(point.x - box.x, box.w, columns)};
}

Rgba colour_of(const ColourScale& scale, float value) {
  return colormap(scale.map)[static_cast<std::size_t>(map_index(value, scale.low, scale.high, scale.log))];
}

Rgba ink_on(Rgba ground) { return luminance(ground) > 0.19 ? 0xFF181310u : 0xFFF9F6F4u; }

}  // namespace attnscope
