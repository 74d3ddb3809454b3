#include "app/walk/picture.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "app/scene/picture.hpp"
#include "app/walk/matrices.hpp"
#include "core/document/known.hpp"

namespace attnscope {
namespace walk {
namespace {

/// See WalkPictureStyle::shows.
Standing stand_with_numbers(const View& view, const Box& area, const std::vector<SomeStages>& choices) {
  std::optional<Standing> first, with_planes;
  for (const SomeStages& shows : choices) {
    Standing standing = stand(view, area, shows);
    const MatrixPlaces& places = standing.arrangement;
    if (places.fits && places.all_printed && places.whole) return standing;
    if (!with_planes && places.fits && places.keys_printed && places.whole)
      with_planes.emplace(std::move(standing));
    else if (!first)
      first.emplace(std::move(standing));
  }
  return with_planes ? *std::move(with_planes) : *std::move(first);
}

}  // namespace
}  // namespace walk

namespace {

WalkMatrix walk_matrix(const walk::Matrix& m) {
  using Rows = WalkMatrix::Rows;
  const walk::Panel& panel = m.panel;
  const bool of_tokens = panel.rows == walk::Rows::Tokens;
  const std::int64_t past = of_tokens ? m.view.result().dimensions.past : 0;
  const Rows rows = panel.rows == walk::Rows::Keys                   ? Rows::Keys
                    : panel.rows == walk::Rows::Queries || of_tokens ? Rows::Queries
                                                                     : Rows::Others;
  return {panel.stage,      rows,           panel.is_plane(),   panel.is_parameter(),
          m.lid != nullptr, m.place.cells,  m.first_row - past, m.place.rows,
          m.first_column,   m.place.columns};
}

}  // namespace

Box WalkMatrix::row(std::int64_t row) const {
  if (row < first_row || row >= first_row + row_count) return {cells.x, cells.y, cells.w, 0};
  return cell_box(cells, row - first_row, 0, row_count, 1);
}

Box WalkMatrix::column(std::int64_t column) const {
  if (column < first_column || column >= first_column + column_count) return {cells.x, cells.y, 0, cells.h};
  return cell_box(cells, 0, column - first_column, 1, column_count);
}

Box WalkMatrix::cell(std::int64_t at_row, std::int64_t at_column) const {
  const Box across = row(at_row), down = column(at_column);
  return {down.x, across.y, down.w, across.h};
}

bool has_walk(const LayerResult& result) { return !result.is_long() && knows_scores(result.document); }

std::vector<WalkMatrix> draw_walk_picture(Scene& scene, const Box& area, const WalkPictureStyle& style) {
  WalkState at;  // before the first move: everything is in sight
  walk::View view(scene, at);
  view.narrow = area.w < scene.ui.px(1000);
  walk::Contents contents(view);
  const walk::Standing standing = walk::stand_with_numbers(view, area, style.shows);
  walk::follow(view, standing);
  const walk::MatricesStyle of_all{style.covers, style.lid, true};
  std::vector<WalkMatrix> all;
  for (const walk::Matrix& m : walk::draw_matrices(view, contents, standing, of_all))
    if (m.place.cells.w >= 1 && m.place.cells.h >= 1) all.push_back(walk_matrix(m));
  return all;
}

}  // namespace attnscope
