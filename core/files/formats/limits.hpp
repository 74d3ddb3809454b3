// core/files/formats: size limits for input files, and labels for tensors that have none. The limits keep a
// small hostile file from asking for all memory; check() decides what can be computed.
#pragma once

#include <cstdint>
#include <vector>

#include "core/document/document.hpp"

namespace attnscope {

inline constexpr std::uint64_t max_text_bytes = 1'000'000;           // one text, or a whole text file
inline constexpr std::uint64_t max_json_bytes = 64 * 1'048'576;      // a document with its matrices
inline constexpr std::uint64_t max_page_bytes = 4 * max_json_bytes;  // an HTML page with its session

/// One sequence per batch entry with the tokens "0", "1", … for each position of the queries or of the keys
/// (with the cached ones), whichever are more.
std::vector<Sequence> numbered_sequences(const Given& given);
std::vector<Sequence> numbered_sequences(const Vectors& vectors);

}  // namespace attnscope
