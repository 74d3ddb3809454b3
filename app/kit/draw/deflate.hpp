// app/kit/draw: bytes compressed in the format that browsers decompress.
#pragma once

#include <string>
#include <string_view>

namespace attnscope {

/// The bytes deflated by zlib (RFC 1950 and 1951). Incompressible bytes grow by 5 bytes in 16,384. Throws
/// Error if memory is short.
std::string deflated(std::string_view bytes);

}  // namespace attnscope
