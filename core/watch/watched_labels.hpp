// core/watch: readable tokens of a watched text. Only .cpp files of this room include it.
#pragma once

#include <string>
#include <vector>

namespace attnscope {

/// shown_labels(), except that "" stays "": the process did not send the token.
std::vector<std::string> readable_tokens(const std::vector<std::string>& tokens);

}  // namespace attnscope
