// core/text: bytes as text of 64 letters (RFC 4648, with padding).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attnscope {

std::string base64_text(std::string_view bytes);
/// Decodes base64 and skips white space. Nothing if the text is not base64.
std::optional<std::string> base64_bytes(std::string_view text);

}  // namespace attnscope
