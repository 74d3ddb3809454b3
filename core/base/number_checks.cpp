#include "core/base/number_checks.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace attnscope {

void check_range(std::string_view name, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value < least || value > most)
    throw Error(fmt::format("{} is {}; it must be from {} to {}.", name, value, least, most));
}

void check_even(std::string_view name, int value, std::string_view when) {
  if (value % 2 != 0) throw Error(fmt::format("{} is {}; it must be even{}.", name, value, when));
}

}  // namespace attnscope
