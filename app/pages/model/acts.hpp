// app/pages/model: actions of the page's keys, and its entries in the palette.
#pragma once

#include <vector>

#include "app/scene/scene.hpp"

namespace attnscope {

struct PaletteEntry;

void open_layer(Scene&);
void toggle_why(Scene&);
void toggle_atlas(Scene&);
void toggle_patching(Scene&);
void toggle_generation(Scene&);
/// In Generate appends a token or goes a step on; else goes to the head of the part that is marked in a
/// split.
void space_in_model(Scene&);

/// Adds entries while a model is open.
void add_model_to_palette(const Shown&, std::vector<PaletteEntry>&);

}  // namespace attnscope
