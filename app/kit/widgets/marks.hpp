// app/kit/widgets: small signs that several views share: the cap of a key, and the mark for done.
#pragma once

#include <string_view>

#include "app/kit/ui/ui.hpp"

namespace attnscope {

/// How wide the cap of a key is, device pixels.
float keycap_width(const Ui&, std::string_view key);
/// The cap, its left end at x, centred on y; returns its width.
float draw_keycap(const Ui&, float x, float y, std::string_view key);
/// A ring, and once it is done a disc with a tick.
void draw_done_mark(const Ui&, ImVec2 centre, bool done);

}  // namespace attnscope
