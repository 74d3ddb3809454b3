#include "app/scene/cell_rows.hpp"

namespace attnscope {

std::optional<CellRow> row_of(const Shown& shown, std::int64_t b, std::int64_t h, std::int64_t query) {
  if (!shown.result.is_long()) return row_of_planes(shown.result, b, h, query);
  if (!shown.tiles) return std::nullopt;
  const RowPlace place{b, h, query};
  shown.tiles->want(place);
  const auto row = shown.tiles->find(place);
  return row ? std::optional(row->cells) : std::nullopt;
}

}  // namespace attnscope
