#include "app/lessons/trained_step.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/lessons/lesson_reader.hpp"
#include "core/base/error.hpp"

namespace attnscope::lessons {
namespace {

double number_of_knob(std::string_view knob, std::string_view text, double low, double high) {
  double value = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (trouble != std::errc() || end != text.data() + text.size() || !(value >= low && value <= high))
    throw Error(
        fmt::format("\"{}\" is followed by \"{}\"; expected a number from {} to {}.", knob, text, low, high));
  return value;
}

void turn_one(training::Knobs& knobs, const training::Recipe& recipe, std::string_view text) {
  const std::size_t blank = text.find(' ');
  const std::string_view name = text.substr(0, blank);
  const std::string_view value = blank == text.npos ? std::string_view() : trimmed(text.substr(blank));
  const auto is_on = [&] {
    if (value != "on" && value != "off")
      throw Error(fmt::format("\"{}\" is followed by \"{}\"; expected on or off.", name, value));
    return value == "on";
  };
  if (name == "scale") {
    knobs.operation.scaled = is_on();
  } else if (name == "mask") {
    knobs.operation.causal = is_on();
  } else if (name == "rate") {
    knobs.rate_factor = number_of_knob(name, value, 0.01, 300);
  } else if (name == "mute") {
    const int heads = recipe.network.layers * recipe.network.heads;
    const double head = number_of_knob(name, value, 0, heads - 1);
    const auto at = static_cast<std::size_t>(head);
    if (static_cast<double>(at) != head)
      throw Error(fmt::format("There is no head {}; they are counted from 0.", value));
    knobs.operation.muted.resize(static_cast<std::size_t>(heads), 0);
    knobs.operation.muted[at] = 1;
  } else {
    throw Error(fmt::format(
        "\"knobs\" has \"{}\"; there are scale on or off, mask on or off, rate FACTOR and mute HEAD.", text));
  }
}

}  // namespace

LabState state_of(const TrainedStep& step, LabState now) {
  LabState state;
  state.models = std::move(now.models);
  state.task = step.task;
  state.control = step.control;
  state.seed = step.seed;
  state.side = step.side;
  state.trained = step.steps;
  state.step = step.look;
  return state;
}

training::LabStand stand_of(const TrainedStep& step, const LabState& state) {
  return {recipe_of(state), step.steps, step.branch};
}

training::Knobs turned(training::Knobs knobs, const training::Recipe& recipe, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (const std::string_view one = trimmed(text.substr(0, end)); !one.empty()) turn_one(knobs, recipe, one);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return knobs;
}

std::vector<std::string_view> measure_names(const training::TaskRow& task) {
  std::vector<std::string_view> names{"loss", "accuracy", "entropy", "gradient", "cost"};
  for (const training::Score& score : task.scores) names.push_back(score.name);
  return names;
}

std::vector<std::string> open_curves(const TrainedStep& step) {
  std::vector<std::string> open = step.plots;
  if (open.empty())
    for (const std::string_view name : measure_names(*training::find_task(step.task)))
      open.emplace_back(name);
  std::erase_if(open, [&step](const std::string& name) {
    return std::ranges::find(step.covered_curves, name) != step.covered_curves.end();
  });
  return open;
}

ReachedBy reached_by(const std::string& text) {
  ReachedBy by;
  const nlohmann::json object = nlohmann::json::parse(text);
  for (const auto& [key, value] : object.items()) {
    if (key == "knobs" && value.is_string())
      by.knobs = value.get<std::string>();
    else if ((key == "seed" || key == "steps") && value.is_number_unsigned() && value <= 10'000'000)
      (key == "seed" ? by.seed : by.steps) = value.get<std::int64_t>();
    else
      throw Error(fmt::format(
          "\"by\" has \"{}: {}\"; there are \"seed\" and \"steps\", whole numbers, and \"knobs\", words.",
          key, value.dump()));
  }
  return by;
}

}  // namespace attnscope::lessons
