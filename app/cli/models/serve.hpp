// app/cli/models: `attnscope serve MODEL`: one process that opens a model once and answers many requests. The
// Python package uses it; it is not meant for a person.
#pragma once

#include <filesystem>

namespace attnscope {

/// Reads a JSON object a line from the standard input and answers each in a line on the standard output, in
/// their order. The name of a command holds what stands behind its MODEL on the command line:
///
///     {"id": 1, "run": ["--text", "ab", "-o", "/tmp/x.safetensors"]}
///       {"id": 1, "sequences": [{"given": 2, "ids": […], "tokens": […]}]}, decoder_ids and decoder_tokens
///       where there are any, and "text", what was generated
///     {"id": 2, "atlas": ["--text", "ab", "-o", "/tmp/x.csv"]}     {"id": 2}
///     {"id": 3, "tokenize": [], "texts": ["ab"]}                   {"id": 3, "encodings": [{…}]}
///     {"id": 4, "model": []}                                       {"id": 4, "family": "GPT-2", …}
///     {"cancel": true}                                             what runs and waits ends, without a
///     result
///
/// What cannot be done is answered with {"id", "error": a sentence}. Returns at the end of the input once all
/// is answered, or once the standard output is closed.
void serve_command(const std::filesystem::path& model);

}  // namespace attnscope
