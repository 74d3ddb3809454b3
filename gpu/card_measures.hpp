// gpu: measures of weights in the card's memory: sums over rows and columns are computed there, and only
// numbers that do not grow with queries times keys are copied to the host.
#pragma once

#include <optional>

#include "core/analysis/measures.hpp"
#include "gpu/card_copies.hpp"

namespace attnscope::gpu {

/// The measures of a Document's Trace; empty if its numbers are not on the card, or if sums do not suffice.
/// `facts` may be null. Throws Error or Cancelled.
std::optional<Measures> card_measures(const Work&, Device&, CardCopies&, const Document&, const Trace&,
                                      MaskFactsPtr facts);

/// overview_of() weights that are on the card; null for others.
TensorPtr card_overview(Device&, CardCopies&, const TensorPtr& weights);

}  // namespace attnscope::gpu
