// app/views/parts: the message in place of numbers that the file on screen does not contain.
#pragma once

#include "app/kit/ui/ui.hpp"
#include "core/document/known.hpp"

namespace attnscope {

struct Scene;

inline constexpr std::string_view not_in_file = "not in the file";

/// Whether the edited or the shown document has only weights; the second function also shows a notice.
bool has_weights_alone(const Scene&);
bool refuse_without_scores(Scene&);

/// "q, k and scores" over "The file has the attention weights alone.", from the top of an area. Returns the y
/// below it.
float draw_unknown(const Ui&, const Box&, std::string_view what, std::string_view why);
/// Why scores, or values and the stages after them, are not known.
std::string_view why_no_scores();
std::string_view why_no_values(const Document&);

}  // namespace attnscope
