#include "core/edits/mask.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/document/mask.hpp"
#include "core/edits/edits.hpp"

namespace attnscope::edit {
namespace {

constexpr float hides = -std::numeric_limits<float>::infinity();

/// A copy of the mask by hand with separate matrices for sequences or heads if the brush needs them; zeros if
/// there was no mask.
std::shared_ptr<Tensor> spread(const TensorPtr& was, const Dimensions& size, bool by_sequence, bool by_head) {
  const std::int64_t batch = (by_sequence || (was && was->shape()[0] > 1)) ? size.batch : 1;
  const std::int64_t heads = (by_head || (was && was->shape()[1] > 1)) ? size.heads : 1;
  auto now = std::make_shared<Tensor>(Shape{batch, heads, size.queries, size.token_keys()});
  if (!was) return now;
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t h = 0; h < heads; ++h)
      now->matrix(b, h) = was->matrix(was->shape()[0] == 1 ? 0 : b, was->shape()[1] == 1 ? 0 : h);
  return now;
}

/// The range of the mask's matrices that a brush changes.
struct Reach {
  std::int64_t begin, end;
};
Reach reach(const std::optional<std::int64_t>& chosen, std::int64_t count) {
  return chosen && count > 1 ? Reach{*chosen, *chosen + 1} : Reach{0, count};
}

/// Calls `at` with every number of the mask at the cells.
template <class Cells, class At>
void each_number(Tensor& mask, const MaskBrush& brush, const Cells& cells, const At& at) {
  const Reach b = reach(brush.sequence, mask.shape()[0]), h = reach(brush.head, mask.shape()[1]);
  for (std::int64_t s = b.begin; s < b.end; ++s) {
    for (std::int64_t head = h.begin; head < h.end; ++head) {
      auto matrix = mask.matrix(s, head);
      for (const MaskCell& cell : cells) at(matrix(cell.query, cell.key));
    }
  }
}

bool is_empty(const Tensor& mask) {
  return std::ranges::all_of(mask.values(), [](float added) { return added == 0; });
}

}  // namespace

Document hidden_cells(Document document, const MaskBrush& brush, std::span<const MaskCell> cells) {
  const Dimensions size = check(document);
  if ((brush.sequence && (*brush.sequence < 0 || *brush.sequence >= size.batch)) ||
      (brush.head && (*brush.head < 0 || *brush.head >= size.heads)))
    throw Error("The mask is painted in a head or a sequence that is not there.");
  std::vector<MaskCell> inside;
  for (const MaskCell& cell : cells)
    if (cell.query >= 0 && cell.query < size.queries && cell.key >= 0 && cell.key < size.token_keys())
      inside.push_back(cell);
  const TensorPtr was = document.layer().masking.additive;
  if (inside.empty() || (!was && !brush.hides)) return document;
  const std::shared_ptr<Tensor> now =
      spread(was, size, brush.sequence && size.batch > 1, brush.head && size.heads > 1);
  bool changed = false;
  each_number(*now, brush, inside, [&](float& added) {
    if ((added == hides) == brush.hides) return;
    added = brush.hides ? hides : 0;
    changed = true;
  });
  if (!changed) return document;
  document.layer().masking.additive = brush.hides || !is_empty(*now) ? TensorPtr(now) : nullptr;
  return document;
}

Document hidden_cells(Document document, const MaskBrush& brush, const MaskRange& range) {
  const Dimensions size = check(document);
  std::vector<MaskCell> cells;
  for (std::int64_t query = std::max<std::int64_t>(0, range.query_begin);
       query < std::min(range.query_end, size.queries); ++query)
    for (std::int64_t key = std::max<std::int64_t>(0, range.key_begin);
         key < std::min(range.key_end, size.token_keys()); ++key)
      cells.push_back({query, key});
  return hidden_cells(std::move(document), brush, cells);
}

Document hidden_cell(Document document, std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key,
                     bool hidden) {
  const MaskCell cell{query, key};
  return hidden_cells(std::move(document), {hidden, b, h}, std::span(&cell, 1));
}

bool is_hidden_by_hand(const Document& document, std::int64_t b, std::int64_t h, std::int64_t query,
                       std::int64_t key) {
  const std::span<const float> row = MaskRule::additive_row(document.layer().masking.additive, b, h, query);
  return key < std::ssize(row) && row[static_cast<std::size_t>(key)] == hides;
}

Document clear_hand_mask(Document document) {
  document.layer().masking.additive.reset();
  return document;
}

namespace {

/// Whether the pattern of the rules differs between sequences: if the positions of queries differ, or if it
/// depends on the numbers (LSH).
bool differs_by_sequence(const Document& document, const Dimensions& size) {
  if (document.layer().masking.sparsity.kind == Sparsity::Kind::Lsh) return size.batch > 1;
  for (std::int64_t b = 1; b < size.batch; ++b)
    if (query_offset(document, size, b) != query_offset(document, size, 0)) return true;
  return false;
}

void check_buckets(const Document& document, const Dimensions& size, const Trace& trace) {
  const Sparsity& sparsity = document.layer().masking.sparsity;
  if (sparsity.kind != Sparsity::Kind::Lsh) return;
  const Shape expected{size.batch, size.heads, sparsity.lsh_rounds, size.queries + size.token_keys()};
  if (!trace[Stage::Bucket] || trace[Stage::Bucket]->shape() != expected)
    throw Error("The pattern of the LSH buckets is still being computed; try again.");
}

/// Turns the rules off in all heads, or in `head`.
void hold_no_longer(Masking& masking, std::optional<std::int64_t> head, std::int64_t heads) {
  std::vector<int> others;
  for (int h = 0; head && h < heads; ++h) {
    const bool held = masking.heads.empty() || std::ranges::find(masking.heads, h) != masking.heads.end();
    if (held && h != *head) others.push_back(h);
  }
  masking.heads = others;
  if (!others.empty()) return;
  masking.causal = false;
  masking.window = {};
  masking.sparsity.kind = Sparsity::Kind::None;
  if (masking.mistake == MaskMistake::DiagonalToo || masking.mistake == MaskMistake::Transposed)
    masking.mistake = MaskMistake::None;
}

}  // namespace

Document mask_from_rule(Document document, const Trace& trace, std::optional<std::int64_t> head) {
  const Dimensions size = check(document);
  check_buckets(document, size, trace);
  if (head && (*head < 0 || *head >= size.heads))
    throw Error("The mask is painted in a head that is not there.");
  Document without_padding = document;
  without_padding.layer().masking.padding = false;
  const MaskRule rule(without_padding, trace);
  const bool by_head = head || !document.layer().masking.heads.empty() ||
                       document.layer().masking.sparsity.kind == Sparsity::Kind::Lsh;
  const std::shared_ptr<Tensor> painted =
      spread(document.layer().masking.additive, size, differs_by_sequence(document, size),
             by_head && size.heads > 1);
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(size.keys));
  const Shape shape = painted->shape();
  for (std::int64_t b = 0; b < shape[0]; ++b) {
    for (std::int64_t h = 0; h < shape[1]; ++h) {
      if (head && shape[1] > 1 && h != *head) continue;
      for (std::int64_t query = 0; query < size.queries; ++query) {
        rule.see(b, h, query, seen);
        for (std::int64_t key = 0; key < size.token_keys(); ++key)
          if (seen[static_cast<std::size_t>(key)] == 0) painted->matrix(b, h)(query, key) = hides;
      }
    }
  }
  document.layer().masking.additive = is_empty(*painted) ? nullptr : TensorPtr(painted);
  hold_no_longer(document.layer().masking, head, size.heads);
  return document;
}

}  // namespace attnscope::edit
