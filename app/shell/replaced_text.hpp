// app/shell: whether a text took another one's place, or went on.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>

#include "core/edits/within.hpp"

namespace attnscope {

/// Whether less than half of the longer text is kept at both ends together. What was typed behind a text
/// goes on with it, however long it is.
inline bool is_text_replaced(const Document& before, const Document& now) {
  if (typed_texts(before) == 0 || typed_texts(now) == 0) return false;
  const std::string &a = typed_text(before, 0), &b = typed_text(now, 0);
  const auto [a_from, b_from] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (a_from == a.end() && !a.empty()) return false;
  const auto a_to = std::mismatch(a.rbegin(), std::make_reverse_iterator(a_from), b.rbegin(),
                                  std::make_reverse_iterator(b_from))
                        .first;
  const auto kept = (a_from - a.begin()) + (a_to - a.rbegin());
  return 2 * static_cast<std::size_t>(kept) < std::max(a.size(), b.size());
}

}  // namespace attnscope
