// core/analysis: what head intervention does to the layer's output, by linearity: the output is a sum over
// the heads, so only the heads that are intervened on are computed a second time.
#pragma once

#include <vector>

#include "core/analysis/measures.hpp"

namespace attnscope {

/// [batch][queries]. `document` passed check() and has a head whose pattern is replaced; `trace` was computed
/// from it. Throws Cancelled when the work is stopped.
std::vector<OutputChange> output_change(const Work&, const Document&, const Trace&);

}  // namespace attnscope
