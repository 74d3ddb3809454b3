// app/pages/walk: the formula of a move with the real operands of the chosen cell.
#pragma once

#include "app/walk/contents.hpp"
#include "app/walk/formula.hpp"

namespace attnscope::walk {

/// `room`: device pixels that the line may take.
Formula formula_of_move(const View&, Contents&, float room, float size);

// Its parts: vector_formula() for stages of vectors (up to rotated queries and keys, mix, output),
// plane_formula() for those of queries by keys.
Formula vector_formula(const View&, Contents&, Stage, float room, float size);
Formula block_formula(const View&, Stage, float room, float size);  // of the block around attention
Formula plane_formula(const View&, Contents&, Stage, int move, float room, float size);

/// Two decimals, three for small numbers, an exponent for huge ones; "−∞".
std::string operand(double value);

}  // namespace attnscope::walk
