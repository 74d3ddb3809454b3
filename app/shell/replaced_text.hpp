// app/shell: whether a text replaced another one or continues it, and how a new text is first shown.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "app/state/regions/focus_state.hpp"
#include "core/edits/within.hpp"
#include "core/engine/result.hpp"

namespace attnscope {

/// Whether the common beginning and end together are less than half of the longer text. A text that begins
/// with all of the other continues it, however long it is.
inline bool is_text_replaced(const std::string& a, const std::string& b) {
  const auto [a_from, b_from] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (a_from == a.end() && !a.empty()) return false;
  const auto a_to = std::mismatch(a.rbegin(), std::make_reverse_iterator(a_from), b.rbegin(),
                                  std::make_reverse_iterator(b_from))
                        .first;
  const auto kept = (a_from - a.begin()) + (a_to - a.rbegin());
  return 2 * static_cast<std::size_t>(kept) < std::max(a.size(), b.size());
}

/// The text whose tokens are on screen. A layer of a model gets a new text before it gets its tokens, as the
/// model has to read it first.
class ShownText {
 public:
  /// Whether the result of `now` shows another text than that of `before`, see is_text_replaced().
  bool takes(const Document* before, const Document& now) {
    if (before != nullptr && before->input == now.input) return false;
    std::optional<std::string> text;
    if (typed_texts(now) > 0) text = typed_text(now, 0);
    const bool is_other = before != nullptr && text_ && text && is_text_replaced(*text_, *text);
    text_ = std::move(text);
    return is_other;
  }

 private:
  std::optional<std::string> text_;
};

/// Whether colours from 0 to 1 would show hardly anything of the head, as many keys share every query's
/// weight.
inline bool are_weights_small(const LayerResult& result, std::int64_t head) {
  constexpr std::int64_t many = 64;       // queries; the weights of fewer are large enough to be seen
  constexpr double hardly_visible = 0.2;  // mean of the rows' largest weights
  if (result.is_long()) return true;
  const std::int64_t queries = result.dimensions.queries, h = std::min(head, result.dimensions.heads - 1);
  double sum = 0;
  for (std::int64_t i = 0; i < queries; ++i) sum += result.measures.row(0, h, i).largest;
  return queries >= many && sum < hardly_visible * static_cast<double>(queries);
}

/// For a new text: zooms out, and chooses linear or logarithmic colours as for an opened text. A logarithm
/// that the user chose stays.
inline void see_as_a_whole(FocusState& focus, const LayerResult& before, const LayerResult& now,
                           std::int64_t head) {
  focus.zoom = 1;
  if (are_weights_small(now, head))
    focus.log = true;
  else if (are_weights_small(before, head))
    focus.log = false;
}

}  // namespace attnscope
