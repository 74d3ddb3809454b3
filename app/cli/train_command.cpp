#include "app/cli/train_command.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/parts/checked_option.hpp"
#include "app/cli/readings.hpp"
#include "core/base/error.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"
#include "core/text/whole_text.hpp"
#include "core/training/files/recipe_json.hpp"
#include "core/training/files/training_run.hpp"

namespace attnscope {
namespace {

using training::Metrics;
using training::RunResult;
using training::TaskRow;
using training::Trainer;

/// Prints a line on stderr for each measurement, but at most two a second.
training::OnMeasured lines_on_stderr() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds between{500};
  return [=, told = std::optional<Clock::time_point>(), first = std::int64_t{-1}](
             const Trainer& trainer, const Metrics& metrics, double seconds) mutable {
    const Clock::time_point now = Clock::now();
    const bool ends = trainer.is_at_end() || trainer.reaches_goal(metrics);
    if (first < 0) first = metrics.step;
    if (!ends && told && now - *told < between) return true;
    told = now;
    const training::Recipe& recipe = trainer.recipe();
    const auto goal = static_cast<std::size_t>(trainer.task().goal_group);
    std::string line =
        fmt::format("step {} of {}: loss {:.3f}, {} {:.1f} %", metrics.step, recipe.steps, metrics.loss,
                    trainer.task().groups[goal].name, 100 * metrics.groups[goal].accuracy);
    const double tokens = static_cast<double>(metrics.step - first) * recipe.batch * recipe.network.length;
    if (seconds > 0) line += fmt::format(", {:.0f} tokens a second", tokens / seconds);
    fmt::print(stderr, "{}\n", line);
    return true;
  };
}

bool is_file(const std::string& what) {
  return lower_extension(what) == ".json" || what.find('/') != std::string::npos;
}

struct TrainLine {
  std::string what, folder, log, verified;
  int steps = 0, threads = 0;
  std::optional<std::uint64_t> seed;
  double keep_every = 5;
  std::string instruction_set;
  bool control = false, lists = false;

  training::Recipe recipe() const {
    if (what.empty()) throw Error("Name a task or a recipe (.json) to train; --list names the tasks.");
    training::Recipe recipe;
    if (is_file(what)) {
      if (control) throw Error("--control is of a task; a recipe (.json) says all by itself.");
      recipe = training::read_recipe(what);
    } else {
      const TaskRow* const task = training::find_task(what);
      if (task == nullptr)
        throw Error(fmt::format("{} is no task; --list names the tasks, and a recipe ends in .json.",
                                in_quotes(what)));
      recipe = control ? task->control : task->recipe;
    }
    if (steps > 0) recipe.steps = steps;
    if (seed) recipe.seed = *seed;
    return recipe;
  }

  void train() const {
    const training::Recipe chosen = recipe();
    if (folder.empty()) throw Error("-o is missing: the folder that the model goes to.");
    const RunResult result = training::run_training(
        {recipe(), folder, threads, log, instruction_set, keep_every}, lines_on_stderr());
    if (!result.note.empty()) fmt::print(stderr, "attnscope: {}\n", result.note);
    fmt::print("{} after {} steps, {:.1f} s of training: {}\n",
               result.reached_goal ? "Goal reached" : "Ended without reaching the goal", result.last.step,
               result.seconds, folder);
  }

  void verify() const {
    const std::string difference = training::verify_training(verified, threads, lines_on_stderr());
    if (!difference.empty())
      throw Error(fmt::format("{} was not reproduced: {}", in_quotes(verified), difference));
    fmt::print("Reproduced to the bit: {}\n", verified);
  }

  static void list() {
    for (const TaskRow& task : training::tasks()) fmt::print("{:<18}{}\n", task.key, task.about);
  }
};

}  // namespace

std::function<bool()> add_train_command(CLI::App& app) {
  const auto asked = std::make_shared<TrainLine>();
  TrainLine& line = *asked;
  CLI::App& command = *app.add_subcommand("train", "Train a small transformer; needs no display");
  CLI::Option* const what =
      command.add_option("TASK", line.what, "A task (see --list) or a recipe (.json)")->type_name("");
  refuse_dash(command.add_option("-o,--out", line.folder,
                                 "The model's folder; a run that was killed goes on from what is there"),
              "a folder")
      ->type_name("FOLDER")
      ->needs(what);
  add_checked(command, whole_option("--steps", "The most steps, the recipe's when not given", 1, 10'000'000,
                                    line.steps));
  add_checked(command, {"--seed", "N", "Of weights and data, the recipe's when not given",
                        "a whole number from 0", [&line](const std::string& text) {
                          line.seed = whole_text_as<std::uint64_t>(text);
                          return line.seed.has_value();
                        }});
  add_checked(command,
              whole_option("--threads", "Threads, all of the machine when not given; the bits are the same",
                           1, 1024, line.threads));
  refuse_dash(command.add_option("--log", line.log, "A table of all that is measured"), "this table")
      ->type_name("FILE.csv")
      ->needs(what);
  add_checked(command, {"--keep-every", "S", "Seconds between checkpoints, 5 when not given",
                        "a number from 0 to 3600", [&line](const std::string& text) {
                          line.keep_every = finite_number(text).value_or(-1);
                          return line.keep_every >= 0 && line.keep_every <= 3600;
                        }});
  add_checked(command, {"--isa", "NAME", "Instruction set, the best here when not given",
                        "baseline, AVX2 or AVX-512", [&line](const std::string& text) {
                          line.instruction_set = text;
                          return text == "baseline" || text == "AVX2" || text == "AVX-512";
                        }});
  command.add_flag("--control", line.control, "The task's control, which fails for a reason");
  CLI::Option* const verify =
      command.add_option("--verify", line.verified, "Train this folder's model again and compare the bits")
          ->type_name("FOLDER")
          ->excludes(what);
  command.add_flag("--list", line.lists, "Name the tasks")->excludes(what)->excludes(verify);
  return [asked, &command] {
    if (!command.parsed()) return false;
    if (asked->lists)
      TrainLine::list();
    else if (!asked->verified.empty())
      asked->verify();
    else
      asked->train();
    return true;
  };
}

}  // namespace attnscope
