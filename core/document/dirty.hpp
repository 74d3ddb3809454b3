// core/document: what a change of the Document touches. No dirty flags and no revision counters anywhere: two
// Documents are compared and the stage table is walked.
#pragma once

#include "core/document/document.hpp"
#include "core/document/stage.hpp"

namespace attnscope {

/// Fields in which two Documents differ, as far as a stage of either could tell. Blocks of numbers are
/// compared by identity, not by value.
Fields changed_fields(const Document& was, const Document& now);

/// Stages whose tensor may be another one when going from `was` to `now`: those that read a changed field,
/// and everything downstream of them. A run finds some of them unchanged, such as those that are off before
/// and after, and then spares what is downstream of these alone.
Stages dirty_stages(const Document& was, const Document& now);

}  // namespace attnscope
