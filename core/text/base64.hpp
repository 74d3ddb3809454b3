// core/text: bytes as text of 64 letters (RFC 4648, with padding).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attnscope {

std::string base64_text(std::string_view bytes);
/// White space is skipped. Nothing where it is no base64.
std::optional<std::string> base64_bytes(std::string_view text);

}  // namespace attnscope
