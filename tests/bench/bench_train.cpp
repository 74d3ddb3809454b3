#include "tests/bench/bench_train.hpp"

#include <cstdio>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/files/formats/atomic_write.hpp"
#include "core/text/utf8.hpp"
#include "core/training/files/recipe_json.hpp"
#include "core/training/trainer.hpp"
#include "tests/bench/timing.hpp"

namespace attnscope {

void run_train_bench(const TrainBenchOptions& options) {
  const training::TaskRow* const task = training::find_task(options.task);
  if (task == nullptr)
    throw Error(fmt::format("{} is no task; `attnscope train --list` names them.", in_quotes(options.task)));
  training::Recipe recipe = task->recipe;
  constexpr int endless = 10'000'000, warm_up = 10, together = 5;
  recipe.steps = endless;
  training::Trainer trainer(recipe, options.threads);
  trainer.train(warm_up);
  const ForeignClock foreign;
  Times times;
  for (double spent = 0; spent < options.seconds || times.seconds.size() < 3;
       spent += together * times.seconds.back())
    times.seconds.push_back(seconds_of([&] { trainer.train(together); }) / together);
  double total = 0;
  for (const double step : times.seconds) total += step / static_cast<double>(times.seconds.size());
  const double rows = static_cast<double>(recipe.batch) * recipe.network.length;
  const double flops = training::flop_of_row(recipe.network) * rows;
  fmt::print(
      "{} ({}, {} weights, batch {} × {}): {:.0f} tokens a second, {:.3f} ms a step (median {:.3f}), {:.0f} "
      "GFLOP/s; {}, "
      "others took {:.2f} processors\n",
      options.task, training::in_words(recipe.network), trainer.weight_count(), recipe.batch,
      recipe.network.length, rows / total, 1e3 * total, 1e3 * times.median(), flops / total / 1e9,
      trainer.instruction_set(), foreign.processors());
  if (options.json.empty()) return;
  const nlohmann::json report{{"task", options.task},
                              {"tokens_per_second", rows / total},
                              {"ms_per_step", 1e3 * total},
                              {"median_ms", 1e3 * times.median()},
                              {"isa", trainer.instruction_set()},
                              {"foreign_processors", foreign.processors()},
                              {"recipe", nlohmann::json::parse(training::recipe_json(task->recipe))}};
  const std::string text = report.dump(1) + "\n";
  const std::string_view piece = text;
  write_atomically(options.json, {&piece, 1});
}

}  // namespace attnscope
