// app: undo. A list of Documents, which are values and share their blocks of numbers.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "core/document.hpp"

namespace attnscope {

class History {
 public:
  /// Steps and bytes of blocks that are kept; the oldest go first.
  static constexpr std::size_t max_steps = 200;
  static constexpr std::size_t max_bytes = std::size_t{256} << 20;

  /// Called after every frame. A changed Document becomes a step when nobody is `busy` with it (a held mouse
  /// button, a text field), so that a drag is one step; while somebody is, once it has rested for a second.
  void observe(const Document& document, bool busy, double seconds);

  /// The Document one step back or forward from `document`; nothing at the end of the list. What changed
  /// since the last step becomes a step first.
  std::optional<Document> undo(const Document& document);
  std::optional<Document> redo(const Document& document);

 private:
  void record(const Document& document);

  std::optional<Document> present_;  // the last step; nothing before the first frame
  std::deque<Document> past_;        // oldest first
  std::vector<Document> future_;     // the next to redo last
  std::optional<Document> seen_;     // changed, but not yet a step
  double seen_at_ = 0;
};

}  // namespace attnscope
