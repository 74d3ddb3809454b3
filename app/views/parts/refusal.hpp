// app/views/parts: a request that cannot be computed. The old picture is dimmed and says so until it is of
// the Document again.
#pragma once

#include "app/scene/scene.hpp"
#include "app/state/regions/layout.hpp"
#include "core/edits/remedies.hpp"

namespace attnscope {

/// Whether a number is red in its control: it takes part in the refused computation and was changed since the
/// picture was made, or none of the numbers that take part was.
bool is_refused(const Scene&, LayerNumber);

/// Whether the model or layer on screen is of another text or of other changes than requested. Short delays
/// do not count.
bool is_stale(Scene&);
/// The delay after which a pending text or change dims the picture.
inline constexpr double stale_moment = 0.25;  // seconds

/// Over the area of results: a veil, and on it the reason with remedies, as a card until it is dismissed,
/// then as a line. Only the veil while a layer of a model is stale: its model shows the reason. Nothing while
/// the picture shows the Document.
void draw_refusal(Scene&, const Layout&);

}  // namespace attnscope
