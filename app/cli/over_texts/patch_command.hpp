// app/cli/over_texts: `attnscope patch`: how much each head restores when patched, over many pairs of texts,
// as a table.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace attnscope {

struct PatchOptions {
  std::filesystem::path model, pairs;
  std::optional<std::filesystem::path> out;  // ".csv" or ".json"; empty: a table on the standard output
  std::optional<std::string> decoder_text;   // the beginning of the decoder's output, of an encoder-decoder
};

/// Writes a line for each head and measure (see PatchMeasure), in the columns of `attnscope heads`; the JSON
/// also has each pair with its two answers. Notes on single pairs go to stderr, and so does progress once it
/// takes long. Throws Error.
void patch_command(const PatchOptions&);

}  // namespace attnscope
