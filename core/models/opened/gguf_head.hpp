// core/models/opened: facts from the first bytes of a GGUF file, for lists of many files. The vocabulary,
// which is most of the header, is not read.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace attnscope {

struct GgufHead {
  std::string architecture;  // "llama"
  std::string precision;     // "Q4_K_M", from general.file_type; empty if it is missing
};
/// Nothing if the file is not GGUF, cannot be read or names no architecture in its first bytes. Its values
/// are not trusted.
std::optional<GgufHead> read_gguf_head(const std::filesystem::path&);

}  // namespace attnscope
