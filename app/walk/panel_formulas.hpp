// app/walk: the formula of a stage, written above its matrix, with the symbols of this layer.
#pragma once

#include <string>

#include "app/walk/panels.hpp"

namespace attnscope::walk {

/// The stage's formula, with a bias only if there is one, and with the symbol of the keys' input.
std::string formula_of(const View&, Stage);
/// The formula of a stage after attention, with the symbols of this block.
std::string block_formula_of(const View&, Stage);

}  // namespace attnscope::walk
