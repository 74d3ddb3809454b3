// core/watch: tokens of a watched text for the eye. For .cpp files of this room only.
#pragma once

#include <string>
#include <vector>

namespace attnscope {

/// See shown_labels(); "" stays "": the process did not say it.
std::vector<std::string> readable_tokens(const std::vector<std::string>& tokens);

}  // namespace attnscope
