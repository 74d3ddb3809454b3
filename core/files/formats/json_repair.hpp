// core/files/formats: JSON that was cut or damaged, read as far as it is good. For .cpp files of this room
// only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace attnscope {

/// Everything that was complete before the first fault, with its objects and arrays closed there; null when
/// there is nothing. Each fault adds a sentence to `lost`. Never throws but for lack of memory.
nlohmann::json repaired_json(std::string_view text, std::vector<std::string>& lost);

/// Removes "mask.window.left" from an object; where there is no such key, or the way to it leads through an
/// array, what is nearest above it. False when nothing was found to remove.
bool erase_key(nlohmann::json& root, std::string_view key);

}  // namespace attnscope
