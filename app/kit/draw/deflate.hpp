// app/kit/draw: bytes packed as browsers unpack them.
#pragma once

#include <string>
#include <string_view>

namespace attnscope {

/// The bytes deflated by zlib (RFC 1950 and 1951). What cannot be packed grows by 5 bytes in 16,384. Throws
/// Error where memory is short.
std::string deflated(std::string_view bytes);

}  // namespace attnscope
