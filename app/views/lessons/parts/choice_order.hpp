// app/views/lessons: in which order the choices of a question are shown. A lesson's author puts the right one
// where they like, mostly third; shown, each place is right about equally often.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace attnscope {

/// Of each place on screen the choice's place in the file. The same for the same step (from 0) of the same
/// lesson, on every machine and in every language of it: `lesson` is its name or path, of which the part
/// before the first dot of the file's name counts.
std::vector<std::size_t> choice_order(std::string_view lesson, std::int64_t step, std::size_t count);

}  // namespace attnscope
