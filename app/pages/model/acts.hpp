// app/pages/model: what keys do on the page, and what the palette finds of it.
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
/// Where a text is generated a token more, else the head of the part that is marked in a split.
void space_in_model(Scene&);

/// While a model is open.
void add_model_to_palette(const Shown&, std::vector<PaletteEntry>&);

}  // namespace attnscope
