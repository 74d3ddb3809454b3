// app: numbers on their way out of the window, into files that other programs read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "app/plane.hpp"
#include "app/result_stats.hpp"
#include "core/edits/numbers.hpp"
#include "core/pipeline.hpp"

namespace attnscope {

/// What is looked at: a plane of queries by keys, or a stage of vectors, of one head of one sequence, or a
/// block of weights.
struct Exported {
  Plane plane{Stage::Softmax};
  std::optional<Stage> vectors;
  std::optional<Block> weights;
  std::int64_t sequence = 0, head = 0;
};

/// Writes, by the ending of the path, atomically:
///   .csv          the matrix that is looked at, with the labels of its rows and columns (RFC 4180, dot as
///   decimal
///                 point, digits that read back to the same float; -inf and nan where they are)
///   .npy          the same matrix as float32 [rows][columns]
///   .safetensors  every stage of the computation as float32 under its name in lower case ("scores",
///   "weights", …), and
///                 the gradients of A, M and S where there is a loss
/// Throws Error naming the path, also for another ending.
void export_numbers(const Result&, ResultStats&, const Exported& what, const std::filesystem::path& path);

/// The matrix with the labels of its rows and columns, as spreadsheets take it from the clipboard: tabs
/// between the columns, a line per row, the same digits as .csv.
std::string tab_separated(const Result&, ResultStats&, const Exported& what);

}  // namespace attnscope
