// app/lessons: reads the settings of a lesson that trains: the task of its front matter, and the block of a
// step that sets the run on screen.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/lessons/lesson_reader.hpp"
#include "core/training/tasks/task.hpp"

namespace attnscope::lessons {
namespace {

/// The tasks that a lesson can use: all but the one from a file.
std::vector<std::string_view> lesson_tasks() {
  std::vector<std::string_view> keys;
  for (const training::TaskRow& row : training::tasks())
    if (row.key != "text") keys.push_back(row.key);
  return keys;
}

bool is_lesson_task(std::string_view key) {
  const std::vector<std::string_view> keys = lesson_tasks();
  return std::ranges::find(keys, key) != keys.end();
}

}  // namespace

void LessonReader::read_training(std::string_view task) {
  if (!is_lesson_task(task))
    fail(fmt::format("\"training\" is \"{}\"; there are {}", task, fmt::join(lesson_tasks(), ", ")));
  lesson_.training = task;
}

void LessonReader::read_train(const Lines& inside, int opened) {
  Step& all = step("train");
  TrainedStep& here = all.trained;
  line_ = opened;
  if (!lesson_.of_training()) fail("\"train\" is for lessons with \"training: TASK\" in their front matter");
  for (const Line& line : inside) {
    line_ = line.number;
    if (trimmed(line.text).empty()) continue;
    const auto [name, value] = field_of(line.text);
    if (name == "task") {
      if (!is_lesson_task(value))
        fail(fmt::format("\"task\" is \"{}\"; there are {}", value, fmt::join(lesson_tasks(), ", ")));
      here.task = value;
      here.measure.clear();
      here.plots.clear();
    } else if (name == "control") {
      if (value != "yes" && value != "no")
        fail(fmt::format("\"control\" is \"{}\"; expected yes or no", value));
      here.control = value == "yes";
    } else if (name == "seed") {
      here.seed = whole(name, value, 0, 1'000'000);
    } else if (name == "steps") {
      here.steps = train_number(name, value);
    } else if (name == "look") {
      here.look = whole(name, value, 0, 10'000'000);
    } else if (name == "branch") {
      branch_at_.reset();
      if (value != "no") branch_at_ = train_number(name, value);
    } else if (name == "branch_steps") {
      branch_steps_ = train_number(name, value);
    } else if (name == "knobs") {
      knobs_ = value;
      with_line([&] { return turned({}, recipe_of(state_of(here, {})), knobs_); });
    } else if (name == "side") {
      constexpr std::array<std::string_view, 3> sides{"a", "b", "difference"};
      const auto found = std::ranges::find(sides, value);
      if (found == sides.end()) fail(fmt::format("\"side\" is \"{}\"; expected a, b or difference", value));
      here.side = static_cast<LabSide>(found - sides.begin());
    } else if (name == "measure") {
      const auto names = measure_names(*training::find_task(here.task));
      if (std::ranges::find(names, value) == names.end())
        fail(fmt::format("\"measure\" is \"{}\"; the task {} has {}", value, here.task,
                         fmt::join(names, ", ")));
      here.measure = value;
    } else if (name == "plots") {
      here.plots = train_plots_of(value);
    } else if (name == "view") {
      if (value != known_views[static_cast<std::size_t>(StepView::Lab)].name)
        fail(fmt::format("\"view\" is \"{}\"; of a run there is lab", value));
      all.view = StepView::Lab;
    } else if (name == "show") {
      all.shown = train_controls_of(value);
    } else if (name == "cover") {
      read_train_cover(all, value);
    } else {
      fail(fmt::format(
          "\"train\" has \"{}\"; there are task, control, seed, steps, look, branch, branch_steps, "
          "knobs, side, measure, plots, view, show and cover",
          name));
    }
  }
  line_ = opened;
  finish_train(here);
}

/// A step at which the run is measured: numbers between measurements are not known.
std::int64_t LessonReader::train_number(std::string_view name, std::string_view value) const {
  const TrainedStep& here = lesson_.steps.back().trained;
  const training::Recipe recipe = recipe_of(state_of(here, {}));
  const std::int64_t step = whole(name, value, 0, recipe.steps);
  if (step % recipe.measure_every != 0)
    fail(fmt::format("\"{}\" is {}; the task {} is measured every {} steps: expected a multiple of that",
                     name, step, here.task, recipe.measure_every));
  return step;
}

void LessonReader::read_train_cover(Step& here, std::string_view value) const {
  TrainedStep& run = here.trained;
  run.covers_plots = run.covers_heads = here.covers_code = value == "yes";
  run.covered_curves.clear();
  const std::vector<std::string> parts =
      value == "yes" || value == "no" ? std::vector<std::string>() : list_of(value);
  const auto curves = measure_names(*training::find_task(run.task));
  for (const std::string& one : parts) {
    if (one == "plots" || one == "heads" || one == "code")
      (one == "plots" ? run.covers_plots : one == "heads" ? run.covers_heads : here.covers_code) = true;
    else if (std::ranges::find(curves, one) != curves.end())
      run.covered_curves.push_back(one);
    else
      fail(
          fmt::format("\"cover\" is \"{}\"; expected yes, no or some of plots, heads, code and the curves {}",
                      value, fmt::join(curves, ", ")));
  }
  here.covers_plot = run.covers_plots || !run.covered_curves.empty();
  here.covers = here.covers_plot || run.covers_heads;
}

std::vector<std::string> LessonReader::train_controls_of(std::string_view value) const {
  std::vector<std::string> shown = list_of(value);
  for (const std::string& one : shown)
    if (std::ranges::find(training_control_names, one) == training_control_names.end())
      fail(fmt::format("\"show\" has \"{}\"; of a run there are {}", one,
                       fmt::join(training_control_names, ", ")));
  return shown;
}

std::vector<std::string> LessonReader::train_plots_of(std::string_view value) const {
  const std::string& task = lesson_.steps.back().trained.task;
  const auto names = measure_names(*training::find_task(task));
  std::vector<std::string> plots = list_of(value);
  if (plots.empty())
    fail(fmt::format("\"plots\" is empty; expected some of {}, with commas", fmt::join(names, ", ")));
  for (const std::string& one : plots)
    if (std::ranges::find(names, one) == names.end())
      fail(fmt::format("\"plots\" has \"{}\"; the task {} has {}, expected some of them, with commas", one,
                       task, fmt::join(names, ", ")));
  return plots;
}

void LessonReader::finish_train(TrainedStep& here) {
  const std::string_view front = here.measure.empty() ? std::string_view("loss") : here.measure;
  if (!here.plots.empty() && std::ranges::find(here.plots, front) == here.plots.end())
    fail(fmt::format("\"plots\" has {}; expected also {}, the curves in front (\"measure\")",
                     fmt::join(here.plots, ", "), front));
  for (const std::string& curve : here.covered_curves)
    if (!here.plots.empty() && std::ranges::find(here.plots, curve) == here.plots.end())
      fail(fmt::format("\"cover\" has {}; on the page are {} (\"plots\")", curve,
                       fmt::join(here.plots, ", ")));
  if (open_curves(here).empty())
    fail(fmt::format("\"cover\" has every curve on the page, {}; \"cover: plots\" says that",
                     fmt::join(here.covered_curves, ", ")));
  const training::Recipe recipe = recipe_of(state_of(here, {}));
  if (here.steps > recipe.steps)
    fail(fmt::format("the step trains {} steps; the recipe has {}", here.steps, recipe.steps));
  here.branch.reset();
  if (branch_at_) {
    const std::int64_t until = branch_steps_.value_or(here.steps);
    if (*branch_at_ > here.steps)
      fail(fmt::format("\"branch\" is {}; run A is trained {} steps", *branch_at_, here.steps));
    if (until < *branch_at_ || until > recipe.steps)
      fail(fmt::format("the branch begins at {} and goes to {}; expected {} to {}", *branch_at_, until,
                       *branch_at_, recipe.steps));
    here.branch = {*branch_at_, with_line([&] { return turned(usual_knobs(recipe), recipe, knobs_); }),
                   until};
  } else if (here.side != LabSide::A) {
    here.side = LabSide::A;
  }
  const std::int64_t newest = std::max(here.steps, here.branch ? here.branch->steps : 0);
  if (here.look && *here.look > newest)
    fail(fmt::format("\"look\" is {}; the runs are trained {} steps", *here.look, newest));
}

}  // namespace attnscope::lessons
