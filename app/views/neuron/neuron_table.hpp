// app/views/neuron: the table of the neuron view, narrow or large; the caller gives the places of its
// columns.
#pragma once

#include <optional>

#include "app/state/regions/inspector_state.hpp"
#include "app/views/inspector/numbers.hpp"
#include "app/views/parts/strips.hpp"

namespace attnscope {

/// Left end and width of a column; w = 0: no column.
struct ColumnSpan {
  float x = 0, w = 0;
  bool there() const { return w > 0; }
};

/// The columns from left to right; numbers are right-aligned.
struct NeuronColumns {
  ColumnSpan token, key, product, score, scaled, weight, bar, value;
};
/// All columns, for an area as wide as the focus.
NeuronColumns large_columns(const Ui&, const Box&);
/// One strip, the score and the weight.
NeuronColumns narrow_columns(const Ui&, const Box&, NeuronStrip);

struct NeuronStyle {
  Rgba ground;         // behind the strips
  float row_height;    // device pixels
  const char* label;   // the ID of the list
  bool large = false;  // with the indices of the dimensions below the query
};

/// The names of the columns, the query, the keys in sight, and a line on the number under the mouse. Fills
/// the area from the top; returns the y below.
float draw_neuron_table(Scene&, const CellPlace&, const Box&, const NeuronColumns&, const NeuronStyle&);

/// The choice of the order of dimensions: "in order | by contribution".
void draw_dimension_order(Scene&, const Box&);

}  // namespace attnscope
