#include "core/text/day.hpp"

#include <chrono>
#include <ctime>

#include <fmt/format.h>

#include "core/text/whole_text.hpp"

namespace attnscope {

std::optional<Day> day_from(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = whole_text_as<int>(text.substr(0, 4)), month = whole_text_as<int>(text.substr(5, 2)),
             day = whole_text_as<int>(text.substr(8));
  if (!year || !month || !day || *year < 1900 || *month < 1 || *day < 1) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return Day{*year, *month, *day};
}

std::string to_string(const Day& day) {
  return fmt::format("{:04}-{:02}-{:02}", day.year, day.month, day.day);
}

Day day_of_clock() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return {local.tm_year + 1900, local.tm_mon + 1, local.tm_mday};
}

}  // namespace attnscope
