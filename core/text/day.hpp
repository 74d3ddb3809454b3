// core/text: a day as a user writes it, "2026-11-27".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attnscope {

/// A date of the Gregorian calendar: year 1900 to 9999, month 1 to 12, day 1 to 31.
struct Day {
  int year = 0, month = 0, day = 0;
};

/// "2026-11-27"; nothing if it is not a valid date from 1900 on.
std::optional<Day> day_from(std::string_view text);
std::string to_string(const Day&);
/// Today in this machine's time zone.
Day day_of_clock();

}  // namespace attnscope
