// core/files/formats: the good part of JSON that was cut or damaged. Only .cpp files of this room include it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace attnscope {

/// Everything that was complete before the first fault, with its objects and arrays closed there; null if
/// there is nothing. Each fault adds a sentence to `lost`. Throws only if memory runs out.
nlohmann::json repaired_json(std::string_view text, std::vector<std::string>& lost);

/// Removes "mask.window.left" from an object. If there is no such key, or the path leads through an array,
/// removes the nearest key above it. False if nothing was removed.
bool erase_key(nlohmann::json& root, std::string_view key);

}  // namespace attnscope
