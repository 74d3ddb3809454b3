// app/views/heads: the marks of a head that is not as it should be.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "app/scene/scene.hpp"

namespace attnscope {

enum class HeadFlag : std::uint8_t { NotFinite, NoKey, OneKey, Uniform, Vanishing, Exploding };

/// Those that hold for a head of a sequence, the gravest first. What intervention brings about by itself is
/// none.
std::vector<HeadFlag> flags_of(const LayerResult&, std::int64_t b, std::int64_t h);
/// "One high bar of three: one key per row.": what the mark looks like, and what it says.
std::string_view mark_of(HeadFlag);
/// "One key per row"
std::string_view name_of(HeadFlag);

/// The marks of head `h` of the shown sequence side by side, the gravest at `right`, centred on y.
/// touch_flags() makes areas with tooltips of them and comes before what lies under them; draw_flags() draws
/// them and comes after, on a ground of its own unless that is 0. Both return the left edge of the room they
/// take.
float touch_flags(Scene&, float right, float y, std::int64_t h);
float draw_flags(const Shown&, float right, float y, std::int64_t h, Rgba ground);

}  // namespace attnscope
