// app/views/controls: words for the settings of positions, beside their controls in positions.cpp.
#pragma once

#include <string>

#include "core/document/layer.hpp"

namespace attnscope {

/// The words for `mine`'s side of the first setting that differs, of two layers with the same kind of
/// positions; empty if none does.
std::string words_of_position_settings(const LayerSpec& mine, const LayerSpec& theirs);

}  // namespace attnscope
