// app/pages/model: all heads of a model, its residual stream, its prediction, and the changes inside it; or
// why one of the heads looked where it did.
#pragma once

#include "app/pages/model/parts/parts.hpp"

namespace attnscope {

/// Shows the page. For a model that was opened beside a watched stream, the page's key then switches between
/// the process and the model.
void show_model_page(Scene&);
/// Without an open model: the models that can be opened.
void draw_no_model(Scene&, const Box&);
/// Draws the whole window between the token strip and the status line, for a model that has run.
void draw_model(Scene&, const Box&);

void draw_model_controls(Scene&, const Box& region);
void draw_model_grid(Scene&, const Box& region);
void draw_model_stream(Scene&, const Box& region);

}  // namespace attnscope
