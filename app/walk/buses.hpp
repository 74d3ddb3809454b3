// app/walk: the lines from the chosen rows of Q, K and V to the matrices that use them, and the signs
// between the matrices.
#pragma once

#include <vector>

#include "app/walk/matrix.hpp"

namespace attnscope::walk {

void draw_signs(const std::vector<Matrix>&);
/// `gutter`: between the two lines of matrices.
void draw_buses(const std::vector<Matrix>&, const Box& gutter);

}  // namespace attnscope::walk
