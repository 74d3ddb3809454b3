// app/views/neuron: a query's row dimension by dimension: for each key its vector, the products with the
// query, their sum, the scaled score, the weight and the value. Narrow in the inspector; the large one
// replaces the focus.
#pragma once

#include "app/views/parts/cell_facts.hpp"

namespace attnscope {

/// The large neuron view in the region of the focus, with a title and a button to close it.
void draw_large_neurons(Scene&, const Box& region);

/// Toggles between the large neuron view and the focus.
void toggle_large_neurons(Scene&);

}  // namespace attnscope
