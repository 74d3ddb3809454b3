// app/views/parts: what is asked for but cannot be computed. The picture that stays behind is dimmed and says
// so until it is of the Document again.
#pragma once

#include "app/scene/scene.hpp"
#include "app/state/layout.hpp"
#include "core/edits/remedies.hpp"

namespace attnscope {

/// Whether a number stands red in its control: it takes part in what cannot be computed and was changed since
/// the picture was made, or none of those that take part was.
bool is_refused(const Scene&, LayerNumber);

/// Whether what stands there of a model, or of a layer in it, is of another text, or of other changes, than
/// what is asked for. What takes a moment is not told of.
bool is_stale(Scene&);
/// Until a text or change that is on its way is told by a dimmed picture.
inline constexpr double stale_moment = 0.25;  // seconds

/// Over everything that shows results: a veil; on it the reason with remedies, as a card until it is
/// dismissed, then as a line. The veil alone while a layer of a model is stale: its model says why. Nothing
/// while the picture shows the Document.
void draw_refusal(Scene&, const Layout&);

}  // namespace attnscope
