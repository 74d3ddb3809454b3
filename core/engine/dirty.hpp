// core/engine: which stages a change of the Document invalidates. There are no dirty flags or revision
// counters: two Documents are compared and the stage table is walked.
#pragma once

#include "core/document/document.hpp"
#include "core/document/stage.hpp"

namespace attnscope {

/// Fields in which two Documents differ, as far as a stage of either can depend on them. Parameters are
/// compared by identity, not by value.
Fields changed_fields(const Document& was, const Document& now);

/// Stages whose tensor may differ between `was` and `now`: those that read a changed field, and everything
/// downstream of them. A run may find some of them unchanged, such as stages that are off before and after,
/// and then does not recompute stages that depend on these alone.
Stages dirty_stages(const Document& was, const Document& now);

}  // namespace attnscope
