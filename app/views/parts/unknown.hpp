// app/views/parts: what the file that is shown does not hold: said in the place of numbers that nothing is
// known of.
#pragma once

#include "app/kit/ui/ui.hpp"
#include "core/document/known.hpp"

namespace attnscope {

struct Scene;

inline constexpr std::string_view not_in_file = "not in the file";

/// Whether the document edited or shown has the weights alone; the second says so in a message.
bool has_weights_alone(const Scene&);
bool refuse_without_scores(Scene&);

/// "q, k and scores" over "The file has the attention weights alone.", from the top of an area. Returns the y
/// below.
float draw_unknown(const Ui&, const Box&, std::string_view what, std::string_view why);
/// Why scores, or values and what follows from them, are not known.
std::string_view why_no_scores();
std::string_view why_no_values(const Document&);

}  // namespace attnscope
