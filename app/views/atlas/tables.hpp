// app/views/atlas: the effects of heads on the prediction as tables, one for each kind of number. The lists
// on the screen and the files are made of them. A table refers to the reading and must not outlive it.
#pragma once

#include "app/kit/table.hpp"
#include "core/engine/model/model_reading.hpp"

namespace attnscope {

/// A row per head: the effect of zeroing only that head. The reading must have effects.
Table effects_table(const ModelReading&);
/// A row for each number of heads that are zeroed together, also in a random order. The reading must have a
/// pruning curve.
Table pruning_table(const ModelReading&);
/// A row per head: how much of the clean answer is restored by patching the head from the clean text into the
/// corrupted one, in logits and, on the screen too, as a share. The reading must have a patching without a
/// problem.
Table patched_heads_table(const ModelReading&);
/// A row for each head and token: the same for patching the head at that token only.
Table patched_rows_table(const ModelReading&);

/// The tooltip of the first column of a list of heads.
inline constexpr Tip head_column_tip{
    "Head", {}, "Sorts the list by layer and head. A right click copies the table.", {}};
/// The name of a head of the stack that gives the output, as the first column of a list.
TableColumn head_column(const ModelReading&, std::vector<HeadPlace> heads);

}  // namespace attnscope
