// app/state: the selected sequence, head and cell, shared by all views: hover previews, click locks, Esc
// unlocks.
#pragma once

#include <cstdint>
#include <optional>

#include "core/document/model_changes.hpp"

namespace attnscope {

struct Dimensions;

struct Cell {
  std::int64_t query = 0, key = 0;
  bool operator==(const Cell&) const = default;
};

/// A rectangle of cells.
struct CellRange {
  Cell first;
  std::int64_t queries = 0, keys = 0;
};

struct Selection {
  std::int64_t sequence = 0;  // of the batch
  std::int64_t head = 0;      // chosen by a click
  Cell cell;                  // the locked cell, else the last one previewed
  bool locked = false;

  // What is under the mouse: any view writes it in one frame, all views read it in the next.
  std::optional<std::int64_t> hovered_head;
  std::optional<Cell> hovered_cell;
  std::optional<std::int64_t> hovered_token;  // in the token strip: dims thumbnails by that token's relevance
  std::optional<AttentionOf> hovered_stack;   // of that token, in a model with two texts: encoder or decoder

  void choose(Cell at) {
    cell = at;
    locked = true;
  }
  std::int64_t shown_head() const { return hovered_head.value_or(head); }
  /// The previewed cell while the mouse is on one, else the chosen one.
  Cell shown_cell() const { return hovered_cell.value_or(cell); }
  bool operator==(const Selection&) const = default;
};

/// The place that the user chose. It may lie outside of the current result, and is selected again once a
/// retyped text or a restored Document is large enough.
struct ChosenPlace {
  std::int64_t sequence = 0, head = 0;
  Cell cell;
  /// Takes from `next` what differs from `before`: the user chose it in between.
  void follow(const Selection& before, const Selection& next);
};
/// The selection with `ChosenPlace` as its sequence, head and cell.
Selection at(Selection, const ChosenPlace&);
ChosenPlace place_of(const Selection&);

bool is_inside(Cell, const Dimensions&);
/// The selection clamped to a result of these sizes; hovered items outside of it are dropped.
Selection kept_inside(Selection, const Dimensions&);

}  // namespace attnscope
