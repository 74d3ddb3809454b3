#include "app/scene/cell_rows.hpp"

#include "app/state/plane.hpp"
#include "core/attention/run_stage.hpp"

namespace attnscope {

CellRow row_of_planes(const LayerResult& r, std::int64_t b, std::int64_t h, std::int64_t query) {
  const auto of = [&](Stage stage) {
    return std::span(matrix_of(r, stage, b, h).row(query).data(),
                     static_cast<std::size_t>(r.dimensions.keys));
  };
  CellRow row;
  row.score = of(Stage::Score);
  row.scaled = of(Stage::Scale);
  row.capped = of(Stage::Cap);
  if (r.trace[Stage::Bias]) row.bias = of(Stage::Bias);
  row.masked = of(Stage::Mask);
  row.softmax = of(Stage::Softmax);
  row.own = of(own_weights_stage(r.document));
  row.weights = of(weights_stage(r.document));
  row.mixed = of(Stage::Drop);
  row.measures = r.measures.row(b, h, query);
  return row;
}

std::optional<CellRow> row_of(const Shown& shown, std::int64_t b, std::int64_t h, std::int64_t query) {
  if (!shown.result.is_long()) return row_of_planes(shown.result, b, h, query);
  if (!shown.tiles) return std::nullopt;
  const RowPlace place{b, h, query};
  shown.tiles->want(place);
  const auto row = shown.tiles->find(place);
  return row ? std::optional(row->cells) : std::nullopt;
}

}  // namespace attnscope
