// app/scene: the one reader of rows of cells: of kept planes at once, of a long result from its tiles.
#pragma once

#include <cstdint>
#include <optional>

#include "app/scene/scene.hpp"
#include "core/engine/cell_row.hpp"

namespace attnscope {

/// The row of cells of a query, whatever kind the result is. Nothing while that of a long result is computed,
/// which this asks for.
std::optional<CellRow> row_of(const Shown&, std::int64_t b, std::int64_t h, std::int64_t query);

}  // namespace attnscope
