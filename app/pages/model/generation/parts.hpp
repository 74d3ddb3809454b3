// app/pages/model: the regions of the screen, and where in the generated text one is.
#pragma once

#include <cstdint>
#include <string_view>

#include "app/pages/model/generation/generation.hpp"
#include "app/pages/model/parts/parts.hpp"
#include "core/readouts/text/sampling.hpp"

namespace attnscope {

/// What was appended, and how much of it stands before the place that is looked at.
struct GenerationPlace {
  std::int64_t rows = 0;   // tokens of the whole text
  std::int64_t first = 0;  // those from here on were appended
  std::int64_t row = 0;    // whose prediction is looked at
  std::int64_t steps() const { return rows - first; }
  /// Appended tokens up to the row; below 0 within the text.
  std::int64_t step() const { return row - first + 1; }
};
/// Of the reading; nothing where the model does not go on with its text.
std::optional<GenerationPlace> generation_place(const Scene&);
/// Looks at the prediction behind so many appended tokens, 0 … steps(). What plays stops.
void go_to_step(Scene&, const GenerationPlace&, std::int64_t step);

/// How the next token is chosen.
SamplingSettings sampling_of(const GenerationState&);
/// Appends what is wanted as soon as the prediction of the last token is there.
void go_on_generating(Scene&);

void draw_generation_steps(Scene&, const Box& region);
void draw_generation_cache(Scene&, const Box& region);
void generation_section(Column&);
void cache_section(Column&);

}  // namespace attnscope
