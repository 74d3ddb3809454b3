// app/walk: draws one matrix of the walk: heading, labels, cells with their numbers, the marked cell;
// handles the mouse.
#pragma once

#include <functional>

#include "app/walk/arrangement.hpp"
#include "app/walk/contents.hpp"

namespace attnscope::walk {

/// Draws what covers the cells of a matrix.
using Lid = std::function<void(const Box& cells)>;

/// A matrix at its place.
struct Matrix {
  const View& view;
  Contents& contents;
  const Panel& panel;
  const Place& place;
  std::int64_t first_row = 0, first_column = 0;  // in sight
  bool upright = false;                          // whether the labels of the keys are
  const Lid* lid = nullptr;                      // covers the cells; null: they are open
  bool integers = false;                         // its numbers have no decimals

  const Ui& ui() const { return view.ui(); }
  /// The part of a row (of all columns) that is in sight; h 0 when it is not.
  Box row_box(std::int64_t row) const;
  Box cell(std::int64_t row, std::int64_t column) const;
  bool shows_row(std::int64_t row) const { return row >= first_row && row < first_row + place.rows; }
};

/// Height of the heading without labels of keys.
inline constexpr float heading = 40;
/// How wide the heading's name is, device pixels.
float title_width(const View&, const Panel&);
float label_width(const View&, const Panel&);  // of the row labels

void draw(const Matrix&);

// Its parts.
void draw_heading(const Matrix&, bool is_current);
void draw_row_labels(const Matrix&);
void draw_key_labels(const Matrix&);
/// The cells before the last move, and those after it, faded in by `shown` (0 … 1).
void draw_cells(const Matrix&, const Look& before, const Look& now, float shown);

}  // namespace attnscope::walk
