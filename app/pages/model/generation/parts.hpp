// app/pages/model: the regions of the screen, and the shown place in the generated text.
#pragma once

#include <cstdint>
#include <string_view>

#include "app/pages/model/generation/generation.hpp"
#include "app/pages/model/parts/parts.hpp"
#include "core/readouts/text/sampling.hpp"

namespace attnscope {

/// The appended tokens, and the shown place among them.
struct GenerationPlace {
  std::int64_t rows = 0;   // tokens of the whole text
  std::int64_t first = 0;  // those from here on were appended
  std::int64_t row = 0;    // whose prediction is shown
  std::int64_t steps() const { return rows - first; }
  /// Appended tokens up to the row; below 0 within the text.
  std::int64_t step() const { return row - first + 1; }
};
/// From the reading; empty if the model does not continue texts.
std::optional<GenerationPlace> generation_place(const Scene&);
/// Shows the prediction after that many appended tokens, 0 … steps(). Stops playing.
void go_to_step(Scene&, const GenerationPlace&, std::int64_t step);

/// How to choose the next token.
SamplingSettings sampling_of(const GenerationState&);
/// Appends a wanted token as soon as the prediction of the last token is computed.
void go_on_generating(Scene&);

void draw_generation_steps(Scene&, const Box& region);
void draw_generation_cache(Scene&, const Box& region);
void generation_section(Column&);
void cache_section(Column&);

}  // namespace attnscope
