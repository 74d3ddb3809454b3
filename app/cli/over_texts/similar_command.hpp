// app/cli/over_texts: `attnscope similar`: how similar a model's vectors of the texts of a file are.
#pragma once

#include <filesystem>
#include <optional>

#include "core/models/opened/sentence_modules.hpp"

namespace attnscope {

struct SimilarOptions {
  std::filesystem::path model, texts;
  std::optional<std::filesystem::path> out;  // ".csv" or ".json"; empty: a table on the standard output
  std::optional<SentencePooling> pooling;    // empty: that of modules.json in the model's folder
};

/// Writes the cosine of each pair of texts' vectors. The pooling is stated in the table and in the JSON, and
/// on stderr if a file is written. Throws Error, also if neither the folder nor an option sets the pooling.
void similar_command(const SimilarOptions&);

}  // namespace attnscope
