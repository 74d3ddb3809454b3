// app/views/heads: the marks of unusual heads: not finite, collapsed, uniform, or with unusual gradients.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "app/scene/scene.hpp"

namespace attnscope {

enum class HeadFlag : std::uint8_t { NotFinite, NoKey, OneKey, Uniform, Vanishing, Exploding };

/// The flags of a head of a sequence, the gravest first. A head with an intervention has only NotFinite and
/// NoKey: the intervention itself causes the others.
std::vector<HeadFlag> flags_of(const LayerResult&, std::int64_t b, std::int64_t h);
/// The look of the mark and its meaning: "One high bar of three: one key per row."
std::string_view mark_of(HeadFlag);
/// "One key per row"
std::string_view name_of(HeadFlag);

/// The marks of head `h` of the shown sequence side by side, the gravest at `right`, centred on y. Call
/// touch_flags(), which makes their mouse areas and tooltips, before the widgets under them; call
/// draw_flags(), which draws them, over `ground` unless that is 0, after those. Both return the left edge of
/// the marks.
float touch_flags(Scene&, float right, float y, std::int64_t h);
float draw_flags(const Shown&, float right, float y, std::int64_t h, Rgba ground);

}  // namespace attnscope
