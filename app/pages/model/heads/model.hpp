// app/pages/model: all heads of a model, what stands in its residual stream, what it predicts, and what is
// changed inside it; or why one of the heads looked where it did.
#pragma once

#include "app/pages/model/parts/parts.hpp"

namespace attnscope {

/// Of a model that was opened beside a stream the key of its page leads back to the process, and again here.
void show_model_page(Scene&);
/// No model is open: those that can be.
void draw_no_model(Scene&, const Box&);
/// The whole window between the token strip and the status line, of a model that has run.
void draw_model(Scene&, const Box&);

void draw_model_controls(Scene&, const Box& region);
void draw_model_grid(Scene&, const Box& region);
void draw_model_stream(Scene&, const Box& region);

}  // namespace attnscope
