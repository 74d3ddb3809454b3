// core/base: checks of whole numbers that a person or a file sets.
#pragma once

#include <cstdint>
#include <string_view>

namespace attnscope {

/// Throws Error unless the setting `name` is from `least` to `most`.
void check_range(std::string_view name, std::int64_t value, std::int64_t least, std::int64_t most);
/// Throws Error unless it is even; `when`: the end of the sentence, " with …" or empty.
void check_even(std::string_view name, int value, std::string_view when);

}  // namespace attnscope
