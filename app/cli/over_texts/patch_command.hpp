// app/cli/over_texts: `attnscope patch`: what every head brings back, over many pairs of texts, as a table.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace attnscope {

struct PatchOptions {
  std::filesystem::path model, pairs;
  std::optional<std::filesystem::path> out;  // ".csv" or ".json"; none: a table on the standard output
  std::optional<std::string> decoder_text;   // what the decoder of an encoder-decoder has said so far
};

/// Writes a line for each head and measure (see PatchMeasure), in the columns of `attnscope heads`; the JSON
/// also has each pair with its two answers. What is said of single pairs goes to stderr, like how far it is
/// once it takes long. Throws Error.
void patch_command(const PatchOptions&);

}  // namespace attnscope
