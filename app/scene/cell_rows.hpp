// app/scene: the only reader of rows of cells: from kept planes, or for a long result from its tiles.
#pragma once

#include <cstdint>
#include <optional>

#include "app/scene/scene.hpp"
#include "core/engine/cell_row.hpp"

namespace attnscope {

/// A query's row of cells, for any kind of result. Empty while the row of a long result is being computed,
/// which this call requests.
std::optional<CellRow> row_of(const Shown&, std::int64_t b, std::int64_t h, std::int64_t query);

}  // namespace attnscope
