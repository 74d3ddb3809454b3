#include "app/state/selection.hpp"

#include <algorithm>

#include "core/document/document.hpp"

namespace attnscope {

bool is_inside(Cell cell, const Dimensions& d) { return cell.query < d.queries && cell.key < d.keys; }

void ChosenPlace::follow(const Selection& before, const Selection& next) {
  if (next.sequence != before.sequence) sequence = next.sequence;
  if (next.head != before.head) head = next.head;
  if (next.cell != before.cell) cell = next.cell;
}

Selection at(Selection selection, const ChosenPlace& chosen) {
  selection.sequence = chosen.sequence;
  selection.head = chosen.head;
  selection.cell = chosen.cell;
  return selection;
}

ChosenPlace place_of(const Selection& selection) {
  return {selection.sequence, selection.head, selection.cell};
}

Selection kept_inside(Selection s, const Dimensions& d) {
  const auto inside = [](std::int64_t& index, std::int64_t count) {
    index = std::clamp<std::int64_t>(index, 0, count - 1);
  };
  inside(s.sequence, d.batch);
  inside(s.head, d.heads);
  inside(s.cell.query, d.queries);
  inside(s.cell.key, d.keys);
  if (s.hovered_head && *s.hovered_head >= d.heads) s.hovered_head.reset();
  if (s.hovered_cell && !is_inside(*s.hovered_cell, d)) s.hovered_cell.reset();
  if (s.hovered_token && !s.hovered_stack && *s.hovered_token >= std::max(d.queries, d.keys))
    s.hovered_token.reset();
  return s;
}

}  // namespace attnscope
