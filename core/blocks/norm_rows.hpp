// core/blocks: the norms of a model's rows, by the streaming kernels. For layers, and backward, see norm.hpp.
#pragma once

#include "core/base/norm.hpp"
#include "core/base/parallel.hpp"
#include "core/blocks/float_rows.hpp"

namespace attnscope {

/// As normalise(), of rows of any stride; y may be x. A row's numbers depend on that row alone, to the bit.
/// Throws Cancelled.
void normalise_rows(const Work&, const NormSettings&, const NormParameters<float>&, const ConstFloatRows& x,
                    const FloatRows& y);

}  // namespace attnscope
