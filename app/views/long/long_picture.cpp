// app/views/long: pooled pictures of a head, from tiles or from the survey.
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/long_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/views/long/long_parts.hpp"
#include "core/engine/survey.hpp"

namespace attnscope {

const Survey& survey_of(const Shown& shown) {
  return *shown.result.surveys[static_cast<std::size_t>(shown.sequence())];
}

ColourScale long_scale(const Scene& scene, std::int64_t h) {
  ColourScale scale;
  scale.map = weights_map(scene.ui.theme, focus_of(scene.view).colours);
  scale.log = focus_of(scene.view).log;
  // Ends locked on A − B are on both sides of zero and do not apply to weights.
  const bool of_difference =
      stage_look_of(scene.view).range == RangeMode::Lock && stage_look_of(scene.view).locked_range[0] < 0;
  const RangeMode range = of_difference ? RangeMode::All : stage_look_of(scene.view).range;
  if (range == RangeMode::Lock) {
    scale.low = stage_look_of(scene.view).locked_range[0];
    scale.high = stage_look_of(scene.view).locked_range[1];
    if (scale.log && !(scale.low > 0)) scale.low = scale.high * least_log_weight;
    return scale;
  }
  if (range != RangeMode::All) {
    const Survey& survey = survey_of(scene);
    float most = 0;
    for (const float weight : survey.known.largest.matrix().row(h - survey.known.first_head))
      most = std::max(most, weight);
    if (most > 0) scale.high = range == RangeMode::Head ? most : std::sqrt(most);
  }
  if (scale.log) scale.low = scale.high * least_log_weight;
  return scale;
}

int level_for(float side) {
  int level = 0;
  while (side * static_cast<float>(std::int64_t{1} << level) < 1) ++level;
  return level;
}

namespace {

int level_of(std::int64_t cell) { return std::countr_zero(static_cast<std::uint64_t>(cell)); }

/// The cells that fill a box: their level, values and place.
struct ShownCells {
  int level;
  ConstMatrixMap<float> values;
  std::int64_t first_query, first_key;  // of values(0, 0), in tokens
};

/// Whether a mask hides a block of weight 0. Only its corners are checked: a block can have millions of
/// cells.
bool are_corners_hidden(const AttentionProblem& p, std::int64_t h, std::int64_t query, std::int64_t key,
                        std::int64_t size) {
  const std::int64_t last_query = std::min(p.queries, query + size) - 1,
                     last_key = std::min(p.keys, key + size) - 1;
  return is_hidden(p, h, query, key) && is_hidden(p, h, query, last_key) &&
         is_hidden(p, h, last_query, key) && is_hidden(p, h, last_query, last_key);
}

/// The kinds of a row of cells. Masked: no query of the cell sees any of its keys; under a mask of single
/// cells this is estimated for pooled cells: the weight is 0 and the corners are masked.
void mark_row(const AttentionProblem& p, std::int64_t h, const ShownCells& cells, std::int64_t row,
              std::span<CellKind> kinds) {
  const std::int64_t size = std::int64_t{1} << cells.level;
  const std::int64_t query = cells.first_query + row * size, last = std::min(p.queries, query + size) - 1;
  const KeyInterval a = visible(p, h, query), b = visible(p, h, last);
  // Intervals move monotonically with the queries, so the first and the last bound all of them.
  const std::int64_t begin = std::min(a.begin, b.begin), end = std::max(a.end, b.end);
  const bool by_cell = has_cell_mask(p);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const std::int64_t key = cells.first_key + static_cast<std::int64_t>(i) * size;
    const bool zero = cells.values(row, static_cast<Eigen::Index>(i)) == 0;
    const bool hidden = key + size <= begin || key >= end ||
                        (by_cell && (cells.level == 0 ? is_hidden(p, h, query, key)
                                                      : zero && are_corners_hidden(p, h, query, key, size)));
    const bool underflow = cells.level == 0 && zero;
    kinds[i] = hidden ? CellKind::Masked : underflow ? CellKind::Underflow : CellKind::Number;
  }
}

/// Tiles side by side as one matrix; a missing tile is filled with the survey's coarser cells.
class Mosaic {
 public:
  Mosaic(Scene& scene, std::int64_t h, int level, const Part& part)
      : scene_(scene), survey_(survey_of(scene)), h_(h), level_(level) {
    const AttentionProblem& p = survey_.problem();
    const auto range = [&](double first, double count, std::int64_t all, std::int64_t& from,
                           std::int64_t& to) {
      const double span = static_cast<double>(Tiles::side << level);
      const std::int64_t most = (all - 1) / (Tiles::side << level);
      from = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(first / span)), 0, most);
      to = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil((first + count) / span)), from + 1,
                                    most + 1);
    };
    range(part.row0, part.rows, p.queries, down0_, down1_);
    range(part.column0, part.columns, p.keys, across0_, across1_);
    find(part);
  }

  std::uint64_t content() const {
    std::uint64_t hash = mix_hash(0, static_cast<std::uint64_t>(level_));
    for (const std::int64_t at : {down0_, down1_, across0_, across1_})
      hash = mix_hash(hash, static_cast<std::uint64_t>(at));
    for (const auto& tile : tiles_) hash = mix_hash(hash, tile ? tile->made : 0);
    return hash;
  }

  Tensor compose(bool mean) const {
    const AttentionProblem& p = survey_.problem();
    const std::int64_t size = std::int64_t{1} << level_;
    const auto cells = [&](std::int64_t from, std::int64_t to, std::int64_t all) {
      return std::min((to - from) * Tiles::side, (all + size - 1) / size - from * Tiles::side);
    };
    Tensor whole(Shape{cells(down0_, down1_, p.queries), cells(across0_, across1_, p.keys)});
    std::size_t at = 0;
    for (std::int64_t down = down0_; down < down1_; ++down)
      for (std::int64_t across = across0_; across < across1_; ++across)
        place(whole, down, across, tiles_[at++], mean);
    return whole;
  }

  std::int64_t first_query() const { return (down0_ * Tiles::side) << level_; }
  std::int64_t first_key() const { return (across0_ * Tiles::side) << level_; }

 private:
  /// Looks the tiles up and requests them, from the middle of the part outwards; masked ones are left out.
  void find(const Part& part) {
    struct Missing {
      double distance;
      TilePlace place;
    };
    std::vector<Missing> missing;
    const AttentionProblem& p = survey_.problem();
    const auto span = static_cast<double>(Tiles::side << level_);
    for (std::int64_t down = down0_; down < down1_; ++down) {
      for (std::int64_t across = across0_; across < across1_; ++across) {
        const TilePlace at{scene_.sequence(), h_, level_, down, across};
        const std::int64_t last = std::min(p.queries, at.first_query() + (Tiles::side << level_)) - 1;
        const bool empty = visible(p, h_, last).end <= at.first_key();
        tiles_.push_back(empty ? nullptr : scene_.tiles->find(at));
        if (empty) continue;
        const double dy = (static_cast<double>(down) + 0.5) * span - part.row0 - part.rows / 2;
        const double dx = (static_cast<double>(across) + 0.5) * span - part.column0 - part.columns / 2;
        missing.push_back({dx * dx + dy * dy, at});
      }
    }
    std::stable_sort(missing.begin(), missing.end(),
                     [](const Missing& a, const Missing& b) { return a.distance < b.distance; });
    for (const Missing& m : missing) scene_.tiles->want(m.place);  // a tile that exists costs nothing
  }

  void place(Tensor& whole, std::int64_t down, std::int64_t across,
             const std::shared_ptr<const WeightTile>& tile, bool mean) const {
    const std::int64_t columns = whole.shape()[1];
    const std::int64_t row0 = (down - down0_) * Tiles::side, column0 = (across - across0_) * Tiles::side;
    const std::int64_t rows = std::min(Tiles::side, whole.shape()[0] - row0);
    const std::int64_t wide = std::min(Tiles::side, columns - column0);
    const int coarse = level_of(survey_.cell) - level_;
    const auto picture = mean ? survey_.known.mean.matrix(h_ - survey_.known.first_head)
                              : survey_.known.largest_cells().matrix(h_ - survey_.known.first_head);
    for (std::int64_t i = 0; i < rows; ++i) {
      float* const to = whole.data() + (row0 + i) * columns + column0;
      if (tile) {
        const Tensor& from = mean ? tile->mean : tile->max;
        std::copy_n(from.data() + i * from.shape()[1], wide, to);
        continue;
      }
      const Eigen::Index y = std::min<Eigen::Index>(picture.rows() - 1, (down * Tiles::side + i) >> coarse);
      for (std::int64_t j = 0; j < wide; ++j)
        to[j] = picture(y, std::min<Eigen::Index>(picture.cols() - 1, (across * Tiles::side + j) >> coarse));
    }
  }

  Scene& scene_;
  const Survey& survey_;
  std::int64_t h_;
  int level_;
  std::int64_t down0_ = 0, down1_ = 0, across0_ = 0, across1_ = 0;  // half-open ranges of tiles
  std::vector<std::shared_ptr<const WeightTile>> tiles_;            // row by row
};

/// A hash of everything that the picture depends on, except the tiles.
std::uint64_t content_of(const Scene& scene, const LongPicture& p, const ColourScale& scale) {
  std::uint64_t content = mix_hash(1, scene.result.ticket);
  for (const std::uint64_t value :
       {scene.result.refinement, static_cast<std::uint64_t>(p.h),
        static_cast<std::uint64_t>(scene.sequence()),
        static_cast<std::uint64_t>(long_view_of(scene.view).mean), static_cast<std::uint64_t>(scale.map),
        static_cast<std::uint64_t>(scale.log), static_cast<std::uint64_t>(scene.ui.theme.name),
        static_cast<std::uint64_t>(p.part.turned), p.difference ? scene.held->result->ticket : 0,
        static_cast<std::uint64_t>(p.box.w) << 32 | static_cast<std::uint64_t>(p.box.h)})
    content = mix_hash(content, value);
  content = mix_hash(mix_hash(content, scale.low), scale.high);
  for (const double at : {p.part.row0, p.part.column0, p.part.rows, p.part.columns})
    content = mix_hash(content, std::bit_cast<std::uint64_t>(at));
  return content;
}

/// The cells of one side: composed of its tiles, or the survey's picture.
class SideCells {
 public:
  SideCells(Scene& scene, std::int64_t h, int level, const Part& part) : survey_(survey_of(scene)), h_(h) {
    if (level < level_of(survey_.cell)) mosaic_.emplace(scene, h, level, part);
  }
  std::uint64_t content() const { return mosaic_ ? mosaic_->content() : 1; }
  std::int64_t first_query() const { return mosaic_ ? mosaic_->first_query() : 0; }
  std::int64_t first_key() const { return mosaic_ ? mosaic_->first_key() : 0; }
  Tensor values(bool mean) const {
    if (mosaic_) return mosaic_->compose(mean);
    const auto picture =
        (mean ? survey_.known.mean : survey_.known.largest_cells()).matrix(h_ - survey_.known.first_head);
    Tensor copy(Shape{picture.rows(), picture.cols()});
    copy.matrix() = picture;
    return copy;
  }
  const AttentionProblem& problem() const { return survey_.problem(); }

 private:
  const Survey& survey_;
  std::int64_t h_;
  std::optional<Mosaic> mosaic_;
};

/// The kinds of A − B: masked if masked in both; all others are numbers, as 0 is no underflow there.
void mark_difference(std::span<CellKind> kinds, const AttentionProblem& other, std::int64_t h,
                     const ShownCells& cells, std::int64_t row) {
  std::vector<CellKind> in_b(kinds.size());
  mark_row(other, h, cells, row, in_b);
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i] != CellKind::Masked || in_b[i] != CellKind::Masked) kinds[i] = CellKind::Number;
}

}  // namespace

int draw_long_picture(Scene& scene, const LongPicture& p) {
  const Ui& ui = scene.ui;
  if (p.box.w < 1 || p.box.h < 1) return 0;
  const bool mean = long_view_of(scene.view).mean;
  const auto across = static_cast<double>(p.part.turned ? p.box.h : p.box.w);
  const int level =
      std::min(level_of(survey_of(scene).cell), level_for(static_cast<float>(across / p.part.columns)));
  const ColourScale scale = p.scale        ? *p.scale
                            : p.difference ? long_difference_scale(scene, p.h, level)
                                           : long_scale(scene, p.h);
  const SideCells a(scene, p.h, level, p.part);
  std::optional<Scene> held;
  std::optional<SideCells> b;
  if (p.difference) b.emplace(held.emplace(scene_of_held(scene)), p.h, level, p.part);
  const std::uint64_t content =
      mix_hash(mix_hash(content_of(scene, p, scale), a.content()), b ? b->content() : 0);
  ui.matrix(p.place, content, p.box, [&](const Ui::UseJob& use) {
    Tensor values = a.values(mean);
    if (b) {
      const Tensor minus = b->values(mean);
      if (minus.shape() == values.shape()) values.matrix() -= minus.matrix();
    }
    const ShownCells cells{level, std::as_const(values).matrix(), a.first_query(), a.first_key()};
    RasterJob job = whole_matrix(ui, cells.values, colormap(scale.map), p.box);
    job.row_kinds = [&](std::int64_t row, std::span<CellKind> kinds) {
      mark_row(a.problem(), p.h, cells, row, kinds);
      if (b) mark_difference(kinds, b->problem(), p.h, cells, row);
    };
    job.low = scale.low;
    job.high = scale.high;
    job.log = scale.log;
    job.pool_maximum = !mean;
    const auto size = static_cast<double>(std::int64_t{1} << level);
    job.row0 = (p.part.row0 - static_cast<double>(cells.first_query)) / size;
    job.column0 = (p.part.column0 - static_cast<double>(cells.first_key)) / size;
    job.rows = p.part.rows / size;
    job.columns = p.part.columns / size;
    job.turned = p.part.turned;
    use(job);
  });
  return level;
}

std::optional<float> weight_at(Scene& scene, bool difference, std::int64_t h, Cell cell) {
  if (difference) {
    Scene held = scene_of_held(scene);
    const std::optional<float> a = weight_at(scene, false, h, cell), b = weight_at(held, false, h, cell);
    if (!a || !b) return std::nullopt;
    return *a - *b;
  }
  const TilePlace place{scene.sequence(), h, 0, cell.query / Tiles::side, cell.key / Tiles::side};
  scene.tiles->want(place);
  const auto tile = scene.tiles->find(place);
  if (!tile) return std::nullopt;
  return tile->max.matrix()(cell.query - place.first_query(), cell.key - place.first_key());
}

}  // namespace attnscope
