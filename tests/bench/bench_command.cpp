#include "tests/bench/bench_command.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/cli/parts/checked_option.hpp"
#include "app/cli/parts/exit_code.hpp"
#include "app/cli/readings.hpp"
#include "tests/bench/bench.hpp"
#include "tests/bench/bench_model.hpp"
#include "tests/bench/bench_train.hpp"
#include "tests/bench/bench_window.hpp"

namespace attnscope {
namespace {

constexpr std::string_view bench_name = "attnscope_bench";

/// What was asked for; options write straight into it.
struct Asked {
  BenchOptions attention;
  std::string model, task, window;  // instead; empty = not asked for
};

/// Options that mean the same with --model, with --train, and with --window.
const std::set<std::string> shared_with_models{"--n", "--threads", "--seconds", "--json", "--help"},
    shared_with_training{"--threads", "--seconds", "--json", "--help"},
    shared_with_windows{"--n", "--seconds", "--json", "--help"};

void add_options(CLI::App& app, Asked& asked) {
  BenchOptions& options = asked.attention;
  add_checked(app,
              {"--n", "LIST", "Queries and keys", "whole numbers from 1 to 1048576 like 1024,4096",
               [&options](const std::string& text) { return read_bench_lengths(text, options.lengths); }});
  add_checked(app, whole_option("--heads", "Heads, 12 when not given", 1, most_asked_heads, options.heads));
  add_checked(app, whole_option("--dim", "Numbers in a head, 64 when not given", 1, 4096, options.dim));
  add_checked(
      app, whole_option("--threads", "Threads, all of the machine when not given", 1, 1024, options.threads));
  app.add_flag("--causal", options.causal, "No query sees a later key");
  add_checked(app,
              {"--path", "P", "All in one pass, stage by stage, or what is waited for in a long sequence",
               "streaming, staged, first-look or tile",
               [&options](const std::string& text) { return read_bench_path(text, options.path); }});
  add_checked(app, {"--mask", "M", "A mask of cells", "none, boolean, boolean-causal, added or added-causal",
                    [&options](const std::string& text) { return read_bench_mask(text, options.mask); }});
  app.add_flag("--mask-per-head", options.mask_per_head, "Every head has a mask of its own");
  add_checked(app, {"--emit", "LIST", "What is computed, output,entropy when not given",
                    "any of output,entropy,picture,received, each once",
                    [&options](const std::string& text) { return read_bench_parts(text, options.emit); }});
  add_checked(app, {"--isa", "NAME", "Instruction set, the best here when not given",
                    "baseline, avx2, avx512 or neon", [&options](const std::string& text) {
                      options.isa = text;
                      return text == "baseline" || text == "avx2" || text == "avx512" || text == "neon";
                    }});
  add_checked(app, {"--seconds", "S", "How long each length is measured", "a number from 0 to 3600",
                    [&options](const std::string& text) {
                      options.seconds = finite_number(text).value_or(-1);
                      return options.seconds >= 0 && options.seconds <= 3600;
                    }});
  add_checked(app, backend_option([&options](BackendPreference backend) { options.backend = backend; }));
  refuse_dash(app.add_option("--json", options.json, "A file to write the numbers to"), "these numbers")
      ->type_name("FILE");
  refuse_dash(app.add_option("--plot", options.plot, "An .svg of time and memory against the length"),
              "a picture")
      ->type_name("FILE");
  const std::vector<CLI::Option*> others = app.get_options();
  CLI::Option* const model =
      app.add_option("--model", asked.model, "Open and run a model instead: a folder or a .gguf")
          ->type_name("MODEL");
  for (CLI::Option* const option : others)
    if (!shared_with_models.contains(option->get_name())) model->excludes(option);
  CLI::Option* const train =
      app.add_option("--train", asked.task, "Train a task instead (see attnscope train --list)")
          ->type_name("TASK")
          ->excludes(model);
  CLI::Option* const window =
      app.add_option("--window", asked.window,
                     "How the window keeps up with typing in a model instead; \"training\": with training")
          ->type_name("MODEL")
          ->excludes(model)
          ->excludes(train);
  for (CLI::Option* const option : others)
    if (!shared_with_training.contains(option->get_name())) train->excludes(option);
  for (CLI::Option* const option : others)
    if (!shared_with_windows.contains(option->get_name())) window->excludes(option);
}

int parse_and_measure(int argc, char** argv) {
  Asked asked;
  CLI::App app("Measure how fast attention is on this machine", std::string(bench_name));
  add_options(app, asked);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);  // on stdout
  } catch (const CLI::Error& error) {
    return complain(bench_name, usage_sentence(error), bad_usage);
  }
  const BenchOptions& options = asked.attention;
  if (!asked.window.empty())
    run_window_bench({asked.window, options.lengths.empty() ? 64 : static_cast<int>(options.lengths[0]),
                      options.seconds, options.json});
  else if (!asked.task.empty())
    run_train_bench({asked.task, options.threads, options.seconds, options.json});
  else if (asked.model.empty())
    run_bench(options);
  else
    run_model_bench({asked.model, options.lengths, options.threads, options.seconds, options.json});
  return 0;
}

}  // namespace

int run_bench_command(int argc, char** argv) {
  return exit_code_of(bench_name, [&] { return parse_and_measure(argc, argv); });
}

}  // namespace attnscope
