#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/training/tasks/rows.hpp"

namespace attnscope::training {

std::span<const TaskRow> tasks() {
  static const std::vector<TaskRow> rows{reverse_task(),   two_jobs_task(),         look_up_task(),
                                         induction_task(), small_induction_task(),  brackets_task(),
                                         sort_task(),      modular_addition_task(), shapes_task(),
                                         millbrook_task(), reader_task(),           small_reader_task(),
                                         text_task()};
  return rows;
}

const TaskRow* find_task(std::string_view key) {
  const auto at = std::ranges::find(tasks(), key, &TaskRow::key);
  return at == tasks().end() ? nullptr : &*at;
}

double data_of(const Recipe& recipe, const std::string& name) {
  const auto at = recipe.data.find(name);
  if (at == recipe.data.end())
    throw Error(fmt::format("data.{} is missing; the task {} needs it.", name, recipe.task));
  return at->second;
}
int whole_data_of(const Recipe& recipe, const std::string& name) {
  return static_cast<int>(std::lround(data_of(recipe, name)));
}

void expect_field(std::string_view field, std::int64_t found, std::int64_t expected, std::string_view what) {
  if (found != expected)
    throw Error(fmt::format("{} is {}; {} was expected: {}.", field, found, expected, what));
}

std::vector<std::string> numbered_tokens(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(fmt::format("t{}", i));
  return names;
}

double rate_at(const OptimiserSettings& settings, int steps, std::int64_t step) {
  const double rising = std::min(1.0, static_cast<double>(step + 1) / std::max(1, settings.warm_up));
  if (settings.schedule == Schedule::Constant || step <= settings.warm_up) return settings.rate * rising;
  const double done =
      std::min(1.0, static_cast<double>(step - settings.warm_up) / std::max(1, steps - settings.warm_up));
  const double half_wave = 0.5 * (1 + std::cos(std::numbers::pi * done));
  return settings.rate * (settings.last_rate + (1 - settings.last_rate) * half_wave);
}

}  // namespace attnscope::training
