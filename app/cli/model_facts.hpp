// app/cli: `attnscope tokenize` and `attnscope model`: what a model's folder holds, on the standard output.
#pragma once

#include <filesystem>

namespace attnscope {

/// Reads a text a line, or with `json` a JSON string a line, and writes {"ids": …, "tokens": …, "offsets": …}
/// a line: special tokens as the model adds them, offsets in characters (code points) of the text. Throws
/// Error that names the line.
void tokenize_lines(const std::filesystem::path& folder, bool json);

/// Family, sizes, and the tensors that were used and ignored. Throws Error.
void print_model(const std::filesystem::path& folder);

}  // namespace attnscope
