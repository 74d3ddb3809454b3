// core/models: what the first bytes of a GGUF file say, for a list of many: its vocabulary, which is most of
// the header, is not read.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace attnscope {

struct GgufHead {
  std::string architecture;  // "llama"
  std::string precision;     // "Q4_K_M", from general.file_type; empty where it is not told
};
/// Nothing where it is no GGUF file, cannot be read or names no architecture in its first bytes. Nothing in
/// it is believed.
std::optional<GgufHead> read_gguf_head(const std::filesystem::path&);

}  // namespace attnscope
