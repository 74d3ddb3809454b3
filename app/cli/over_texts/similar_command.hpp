// app/cli/over_texts: `attnscope similar`: how alike the texts of a file are to a model.
#pragma once

#include <filesystem>
#include <optional>

#include "core/models/opened/sentence_modules.hpp"

namespace attnscope {

struct SimilarOptions {
  std::filesystem::path model, texts;
  std::optional<std::filesystem::path> out;  // ".csv" or ".json"; none: a table on the standard output
  std::optional<SentencePooling> pooling;    // none: as modules.json in the model's folder says
};

/// Writes the cosine of each two texts' vectors. How a vector is made is said: in the table, in the JSON, and
/// on stderr beside a file. Throws Error, also where neither the folder nor a choice says how.
void similar_command(const SimilarOptions&);

}  // namespace attnscope
