// app/training: the labels of tokens beside a head's picture: how much room they take, and where they stand.
#pragma once

#include "app/kit/ui/ui.hpp"
#include "app/training/probe_text.hpp"

namespace attnscope {

/// A square picture with room for labels left of it and above it; no room: it has none.
struct LabelledSquare {
  float side = 0, left = 0, top = 0;
  bool upright = false;  // the labels above stand

  bool has_labels() const { return left > 0; }
  float whole() const { return left + side; }  // its width
};

/// The largest one within these sizes, with labels if the sequence has such and each row has room for one.
LabelledSquare fit_square(const Ui&, const ProbeText*, std::int64_t rows, float width, float height);

/// The cell that the labels point out; −1: none.
struct MarkedCell {
  std::int64_t query = -1, key = -1;
};
/// Labels the picture's queries, top to bottom, and keys.
void draw_square_labels(const Ui&, const ProbeText&, const LabelledSquare&, const Box& picture,
                        const MarkedCell&);
/// A cell of a square picture of that many rows, with the same whole-pixel edges as the picture has.
Box square_cell(const Box& picture, std::int64_t rows, const MarkedCell&);

}  // namespace attnscope
