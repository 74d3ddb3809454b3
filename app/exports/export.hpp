// app/exports: writes numbers into files for other programs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "app/results/result_stats.hpp"
#include "app/state/plane.hpp"
#include "app/state/selection.hpp"
#include "core/edits/numbers.hpp"
#include "core/engine/result.hpp"

namespace attnscope {

/// The matrix on screen: a plane of queries by keys, or a stage of vectors, of one head of one sequence, or a
/// block of weights.
struct Exported {
  Plane plane{Stage::Softmax};
  std::optional<Stage> vectors;
  std::optional<Editable> weights;
  std::int64_t sequence = 0, head = 0;
  CellRange region = {};  // of a long result: the weights of these cells, and nothing of the above
};
/// The most cells that are exported of a long result: 16 MiB of numbers.
inline constexpr std::int64_t most_exported_cells = std::int64_t{1} << 22;

/// Writes a file by the extension of its path, atomically:
///   .csv          the matrix on screen (of a long result the cells in sight), with the labels of its
///                 rows and columns (RFC 4180, dot as decimal point, digits that read back to the same
///                 float; -inf and nan are written as such)
///   .npy          the same matrix as float32 [rows][columns]
///   .safetensors  every stage of the computation as float32 under its name in lower case ("scores",
///                 "weights", …), and the gradients of A, M and S if there is a loss
/// Throws Error that names the path, also for another extension, and for more than most_exported_cells of a
/// long result.
void export_numbers(const LayerResult&, ResultStats&, const Exported& what, ThreadPool&,
                    const std::filesystem::path& path);

/// The matrix with the labels of its rows and columns, in the format that spreadsheets paste: tabs between
/// the columns, a line per row, the same digits as .csv.
std::string tab_separated(const LayerResult&, ResultStats&, const Exported& what, ThreadPool&);

}  // namespace attnscope
