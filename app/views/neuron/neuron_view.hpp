// app/views/neuron: a query's row dimension by dimension: for each key its vector, the products with the
// query, their sum, the scaled score, the weight and the value. Narrow in the inspector, large in the place
// of the focus.
#pragma once

#include "app/views/parts/cell_facts.hpp"

namespace attnscope {

/// The whole region of the focus, with a title and a way back.
void draw_large_neurons(Scene&, const Box& region);

/// Shows the neuron view large, or the focus again.
void toggle_large_neurons(Scene&);

}  // namespace attnscope
