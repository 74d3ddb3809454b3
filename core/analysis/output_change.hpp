// core/analysis: the effect of head interventions on the layer's output. The output is a sum over the heads,
// so only the intervened heads are computed a second time.
#pragma once

#include <vector>

#include "core/analysis/measures.hpp"

namespace attnscope {

/// [batch][queries]. `document` passed check() and has an intervention; `trace` was computed from it. Throws
/// Cancelled when the work is stopped.
std::vector<OutputChange> output_change(const Work&, const Document&, const Trace&);

}  // namespace attnscope
