// app/views/atlas: what heads do to the prediction as tables, one for each kind of number. The lists on the
// screen and the files are made of them. A table refers to the reading and must not outlive it.
#pragma once

#include "app/kit/table.hpp"
#include "core/engine/model/model_reading.hpp"

namespace attnscope {

/// A row a head, the effect of zeroing it alone. The reading must have effects.
Table effects_table(const ModelReading&);
/// A row for each number of heads that are zeroed together, and the same in a random order. The reading must
/// have a pruning curve.
Table pruning_table(const ModelReading&);
/// A row a head, what putting it from the clean text into the corrupted one brings back: in logits and, on
/// the screen too, as the share of the clean answer. The reading must have a patching without a problem.
Table patched_heads_table(const ModelReading&);
/// A row for each head and token: the same where the head is patched at this token alone.
Table patched_rows_table(const ModelReading&);

/// Of the first column of a list of heads.
inline constexpr Tip head_column_tip{
    "Head", {}, "Sorts the list by layer and head. A right click copies the table.", {}};
/// The name of a head of the stack that gives the output, as the first column of a list.
TableColumn head_column(const ModelReading&, std::vector<HeadPlace> heads);

}  // namespace attnscope
