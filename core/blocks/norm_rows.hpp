// core/blocks: the norms of a model's rows, computed by the streaming kernels. For layers, and backward, see
// core/base/norm.hpp.
#pragma once

#include "core/base/norm.hpp"
#include "core/base/parallel.hpp"
#include "core/blocks/float_rows.hpp"

namespace attnscope {

/// Like normalise(), for rows of any stride; y may be x. The bits of a row of y depend on that row of x
/// alone. Throws Cancelled.
void normalise_rows(const Work&, const NormSettings&, const NormParameters<float>&, const ConstFloatRows& x,
                    const FloatRows& y);

}  // namespace attnscope
