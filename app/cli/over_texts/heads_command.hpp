// app/cli/over_texts: `attnscope heads`: the scores of every head on many texts, as a table.
#pragma once

#include <filesystem>
#include <optional>

#include "core/readouts/over_texts/head_spread.hpp"

namespace attnscope {

struct HeadsOptions {
  std::filesystem::path model, texts;
  std::optional<std::filesystem::path> out;  // ".csv" or ".json"; empty: a table on the standard output
  HeadSpreadRequest request;
};

/// Writes a line for each head and score: n, mean, sd (n − 1), min, max, the score of uniform attention on
/// the same texts (uniform), and how many texts have no such score (without) or one that is NaN (nan); n,
/// without and nan add up to the number of texts. Notes on single texts go to stderr, and so does progress
/// once it takes long. Throws Error.
void heads_command(const HeadsOptions&);

}  // namespace attnscope
