// app/views/neuron: the table of the neuron view, narrow or large: which columns stand where is up to the
// caller.
#pragma once

#include <optional>

#include "app/state/regions/inspector_state.hpp"
#include "app/views/inspector/numbers.hpp"
#include "app/views/parts/strips.hpp"

namespace attnscope {

/// A column that is `w` wide, or not there.
struct ColumnSpan {
  float x = 0, w = 0;
  bool there() const { return w > 0; }
};

/// From left to right; numbers end at the right edge of their columns.
struct NeuronColumns {
  ColumnSpan token, key, product, score, scaled, weight, bar, value;
};
/// Everything: wide enough for the place of the focus.
NeuronColumns large_columns(const Ui&, const Box&);
/// One strip, the score and the weight.
NeuronColumns narrow_columns(const Ui&, const Box&, NeuronStrip);

struct NeuronStyle {
  Rgba ground;         // of the strips
  float row_height;    // device pixels
  const char* label;   // of the list
  bool large = false;  // with the numbers of the dimensions below the query
};

/// Names of the columns, the query above its keys, the keys in sight, and a line that tells what the mouse is
/// on. Fills the area from the top; returns the y below.
float draw_neuron_table(Scene&, const CellPlace&, const Box&, const NeuronColumns&, const NeuronStyle&);

/// "in order | by contribution": how the dimensions are sorted.
void draw_dimension_order(Scene&, const Box&);

}  // namespace attnscope
