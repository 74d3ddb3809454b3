// core/models/config: which keys of a GGUF header may be there, as known_keys.hpp says it of config.json.
#pragma once

#include <string_view>

#include "core/files/formats/gguf.hpp"
#include "core/transformer/families/family.hpp"

namespace attnscope {

/// Throws Error naming the file and the first key below the architecture's name ("llama.…") that is neither
/// read for the family nor harmless, unless its value is neutral: 0, false or empty, and for factors and
/// counts 1. Keys elsewhere ("general.…", "tokenizer.…", "split.…", of other programs) change no number of a
/// run.
void refuse_unknown_gguf_keys(const GgufFile&, std::string_view architecture, const Family&);

}  // namespace attnscope
