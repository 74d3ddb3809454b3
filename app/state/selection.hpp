// app/state: what is looked at. One thing, shared by all views: hover previews, click locks, Esc unlocks.
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
  Cell cell;                  // the last one looked at, or the locked one
  bool locked = false;

  // What the mouse is on in this frame; written by any view, read by all views in the next frame.
  std::optional<std::int64_t> hovered_head;
  std::optional<Cell> hovered_cell;
  std::optional<std::int64_t> hovered_token;  // in the token strip: dims thumbnails to that token's relevance
  std::optional<AttentionOf> hovered_stack;   // whose it is, in a model with two texts: encoder or decoder

  void choose(Cell at) {
    cell = at;
    locked = true;
  }
  std::int64_t shown_head() const { return hovered_head.value_or(head); }
  /// The previewed cell while the mouse is on one, else the chosen one.
  Cell shown_cell() const { return hovered_cell.value_or(cell); }
  bool operator==(const Selection&) const = default;
};

/// What a person chose, which may lie beyond the result in sight: it is found again when a text that was
/// retyped, or a document that comes back, has it.
struct ChosenPlace {
  std::int64_t sequence = 0, head = 0;
  Cell cell;
  /// What differs in `next` was chosen since.
  void follow(const Selection& before, const Selection& next);
};
/// The selection with this in the place of its own.
Selection at(Selection, const ChosenPlace&);
ChosenPlace place_of(const Selection&);

bool is_inside(Cell, const Dimensions&);
/// The same, or the nearest, in a result of these sizes; what is hovered and not there is hovered no more.
Selection kept_inside(Selection, const Dimensions&);

}  // namespace attnscope
