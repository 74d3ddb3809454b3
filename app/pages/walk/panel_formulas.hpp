// app/pages/walk: what is computed in a stage, written above its matrix with the symbols that this layer has.
#pragma once

#include <string>

#include "app/pages/walk/panels.hpp"

namespace attnscope::walk {

/// The stage's formula without the bias where there is none, with the symbol of what keys are made of.
std::string formula_of(const View&, Stage);
/// Of a stage behind the attention, with the symbols of what this block has.
std::string block_formula_of(const View&, Stage);

}  // namespace attnscope::walk
