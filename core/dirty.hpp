// core: what a change of the Document touches. No dirty flags and no revision counters anywhere: two
// Documents are compared and the stage table is walked.
#pragma once

#include "core/document.hpp"
#include "core/stage.hpp"

namespace attnscope {

/// Fields in which two Documents differ. Blocks of numbers are compared by identity, not by value.
Fields changed_fields(const Document& was, const Document& now);

/// Stages whose tensor must be computed again to go from `was` to `now`: those that read a changed field, and
/// everything downstream of them.
Stages dirty_stages(const Document& was, const Document& now);

}  // namespace attnscope
