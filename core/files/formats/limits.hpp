// core/files/formats: how large what comes from outside may be, and the labels of tensors that bring none.
// Limits keep a small hostile file from asking for all the memory there is; what a picture can bear is
// decided by check().
#pragma once

#include <cstdint>
#include <vector>

#include "core/document/document.hpp"

namespace attnscope {

inline constexpr std::uint64_t max_text_bytes = 1'000'000;           // one text, or a whole text file
inline constexpr std::uint64_t max_json_bytes = 64 * 1'048'576;      // a document with its matrices
inline constexpr std::uint64_t max_page_bytes = 4 * max_json_bytes;  // an HTML page with its session

/// One sequence per batch entry with the tokens "0", "1", … for as many positions of queries or keys as there
/// are.
std::vector<Sequence> numbered_sequences(const Given& given);
std::vector<Sequence> numbered_sequences(const Vectors& vectors);

}  // namespace attnscope
