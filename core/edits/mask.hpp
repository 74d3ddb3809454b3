// core/edits: the mask painted by hand. It lives in Masking::additive, where -inf hides and numbers are added
// to the scores, and it is kept as small as what was painted allows: one matrix for all heads and sequences
// until a stroke reaches some of them only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/document/document.hpp"
#include "core/document/trace.hpp"

namespace attnscope::edit {

/// What a stroke does, and where: in one sequence or all, in one head or all.
struct MaskBrush {
  bool hides = true;
  std::optional<std::int64_t> sequence, head;
};

/// Queries and keys of a rectangle; the ends are not part of it.
struct MaskRange {
  std::int64_t query_begin = 0, query_end = 0, key_begin = 0, key_end = 0;
};

struct MaskCell {
  std::int64_t query = 0, key = 0;
};

/// Hides cells, or shows those that are hidden by hand; other cells keep what is added to them. What lies
/// outside and keys that belong to no token are passed over. A mask that hides and adds nothing any more is
/// let go, and a stroke that changes nothing returns the Document as it is. Throws Error for a Document that
/// cannot be computed.
Document hidden_cells(Document, const MaskBrush&, std::span<const MaskCell>);
Document hidden_cells(Document, const MaskBrush&, const MaskRange&);

/// Whether a cell is hidden by hand.
bool is_hidden_by_hand(const Document&, std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key);

/// Nothing is painted any more; rules stay.
Document clear_hand_mask(Document);

/// Takes the pattern of the rules (causal, window, sparsity, mistakes of the pattern) as if it were painted,
/// and turns them off: the same cells are hidden, and now each can be painted. Padding stays a rule. With a
/// head, only for that one; the rules hold on for the others. `trace` is the Document's, for LSH patterns;
/// throws Error when it is another one's.
Document mask_from_rule(Document, const Trace& trace, std::optional<std::int64_t> head = std::nullopt);

}  // namespace attnscope::edit
