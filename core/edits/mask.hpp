// core/edits: the mask painted by hand. It is stored in Masking::additive, where -inf hides and other numbers
// are added to the scores, and kept as small as possible: one matrix for all heads and sequences until a
// stroke changes only some of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/document/document.hpp"
#include "core/document/trace.hpp"

namespace attnscope::edit {

/// The effect of a stroke, and where it applies: in one sequence or all, in one head or all.
struct MaskBrush {
  bool hides = true;
  std::optional<std::int64_t> sequence, head;
};

/// Queries and keys of a rectangle; the ends are exclusive.
struct MaskRange {
  std::int64_t query_begin = 0, query_end = 0, key_begin = 0, key_end = 0;
};

struct MaskCell {
  std::int64_t query = 0, key = 0;
};

/// Hides cells, or shows cells hidden by hand; other cells keep their added numbers. Cells out of range and
/// keys that belong to no token are ignored. A mask that no longer hides or adds anything is dropped, and a
/// stroke that changes nothing returns the Document unchanged. Throws Error for a Document that cannot be
/// computed.
Document hidden_cells(Document, const MaskBrush&, std::span<const MaskCell>);
Document hidden_cells(Document, const MaskBrush&, const MaskRange&);

/// Whether a cell is hidden by hand.
bool is_hidden_by_hand(const Document&, std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key);

/// Removes the mask painted by hand; rules are kept.
Document clear_hand_mask(Document);

/// Converts the pattern of the rules (causal, window, sparsity, mistakes of the pattern) into a painted mask
/// and turns the rules off: the same cells are hidden, and each can now be painted. Padding stays a rule.
/// With `head`, only for that head; the rules still apply to the others. `trace` must be the Document's, for
/// LSH patterns; throws Error when its buckets do not fit.
Document mask_from_rule(Document, const Trace& trace, std::optional<std::int64_t> head = std::nullopt);

}  // namespace attnscope::edit
