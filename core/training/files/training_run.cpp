#include "core/training/files/training_run.hpp"

#include <charconv>
#include <chrono>
#include <memory>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/formats/atomic_write.hpp"
#include "core/files/formats/posix.hpp"
#include "core/training/files/checkpoint.hpp"
#include "core/training/files/export_model.hpp"
#include "core/training/files/recipe_json.hpp"
#include "core/training/kernels/kernels.hpp"

namespace attnscope::training {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t most_log_bytes = 1 << 28;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::unique_ptr<Trainer> make_trainer(const Recipe& recipe, int threads, const std::string& instruction_set) {
  if (instruction_set.empty()) return std::make_unique<Trainer>(recipe, threads);
  const Kernels<float>* const kernels = kernels_named(instruction_set.c_str());
  if (kernels == nullptr)
    throw Error(
        fmt::format("This was trained with {}, which this machine does not have; with another instruction "
                    "set sums are made in "
                    "another order and the bits differ.",
                    instruction_set));
  return std::make_unique<Trainer>(recipe, threads, kernels);
}

/// Steps and goal; the threads and the log are no part of what a run is.
bool is_same_run(const Recipe& one, const Recipe& other) { return recipe_json(one) == recipe_json(other); }

/// The rows of a log that a killed run left, as far as the checkpoint goes.
class Log {
 public:
  Log(fs::path path, const Trainer& trainer, std::int64_t done) : path_(std::move(path)) {
    if (path_.empty()) return;
    text_ = log_header(trainer) + "\n";
    if (done == 0 || !exists(path_)) return;
    const std::string before = read_whole(path_, most_log_bytes);
    if (!before.starts_with(text_)) return;
    for (std::size_t at = text_.size(); at < before.size();) {
      const std::size_t end = before.find('\n', at);
      if (end == before.npos) break;
      std::int64_t step = 0;
      std::from_chars(before.data() + at, before.data() + end, step);
      if (step <= done) {
        text_ += before.substr(at, end - at + 1);
        last_ = step;
      }
      at = end + 1;
    }
  }
  /// A run that goes on measures once more where it was; the row from before also knows the step that led
  /// there.
  void add(const Metrics& metrics) {
    if (!path_.empty() && metrics.step > last_) text_ += log_line(metrics) + "\n";
  }
  void write() const {
    if (path_.empty()) return;
    const std::string_view piece = text_;
    write_atomically(path_, {&piece, 1});
  }

 private:
  fs::path path_;
  std::string text_;
  std::int64_t last_ = -1;
};

struct Loop {
  Metrics last;
  double seconds = 0;
  bool reached_goal = false, stopped = false;
};

/// Trains and measures until the end; `keep` is called behind every measurement with whether it was the last.
template <class Keep>
Loop run_to_end(Trainer& trainer, const OnMeasured& on_measured, Keep keep) {
  Loop loop;
  const int every = trainer.recipe().measure_every;
  while (true) {
    loop.last = trainer.measure();
    loop.reached_goal = trainer.reaches_goal(loop.last);
    loop.stopped = on_measured && !on_measured(trainer, loop.last, loop.seconds);
    const bool done =
        loop.stopped || trainer.is_at_end() || (loop.reached_goal && trainer.recipe().stops_at_goal);
    keep(loop.last, done);
    if (done) return loop;
    const Clock::time_point begin = Clock::now();
    trainer.train(every - static_cast<int>(trainer.step() % every));
    loop.seconds += seconds_since(begin);
  }
}

}  // namespace

std::string log_header(const Trainer& trainer) {
  const NetworkSpec& spec = trainer.recipe().network;
  std::string line = "step,rate,batch loss,gradient,loss";
  for (const Group& group : trainer.task().groups) line += fmt::format(",{0} loss,{0} accuracy", group.name);
  const auto of_heads = [&](std::string_view what) {
    for (int layer = 0; layer < spec.layers; ++layer)
      for (int head = 0; head < spec.heads; ++head) line += fmt::format(",{} {}.{}", what, layer, head);
  };
  of_heads("entropy");
  for (const Score& score : trainer.task().scores) of_heads(score.name);
  for (int layer = 0; layer < spec.layers; ++layer)
    for (const char* projection : {"query", "key", "value", "output", "up", "down"})
      line += fmt::format(",gradient of {} {}", projection, layer);
  return line;
}

std::string log_line(const Metrics& metrics) {
  std::string line = fmt::format("{},{:.6g},{:.6g},{:.6g},{:.6g}", metrics.step, metrics.rate,
                                 metrics.batch_loss, metrics.gradient_norm, metrics.loss);
  const auto add = [&](double value) { line += fmt::format(",{:.6g}", value); };
  for (const GroupResult& group : metrics.groups) {
    add(group.loss);
    add(group.accuracy);
  }
  for (const double entropy : metrics.entropy) add(entropy);
  for (const std::vector<double>& score : metrics.scores)
    for (const double of_head : score) add(of_head);
  for (const ProjectionNorms& norms : metrics.gradients)
    for (const double norm : {norms.query, norms.key, norms.value, norms.output, norms.up, norms.down})
      add(norm);
  return line;
}

RunResult run_training(const RunOptions& options, const OnMeasured& on_measured) {
  fs::create_directories(options.folder);
  const fs::path path = options.folder / checkpoint_name;
  const std::unique_ptr<Trainer> trainer =
      make_trainer(options.recipe, options.threads, options.instruction_set);
  RunResult result;
  if (exists(path)) {
    const Checkpoint checkpoint = read_checkpoint(path);
    if (!is_same_run(checkpoint.recipe, trainer->recipe()))
      throw Error(fmt::format("\"{}\" is of a run with another recipe; give another folder, or remove it.",
                              path.native()));
    if (checkpoint.instruction_set != trainer->instruction_set())
      result.note = fmt::format(
          "The run was begun with {} and goes on with {}: its bits are not those of a run on one machine.",
          checkpoint.instruction_set, trainer->instruction_set());
    trainer->restore(checkpoint.snapshot);
    result.resumed_from = checkpoint.snapshot.step;
  }
  const std::string text = recipe_json(trainer->recipe()) + "\n";
  const std::string_view piece = text;
  write_atomically(options.folder / "recipe.json", {&piece, 1});
  Log log(options.log, *trainer, trainer->step());
  Clock::time_point kept = Clock::now();
  const Loop loop = run_to_end(*trainer, on_measured, [&](const Metrics& metrics, bool done) {
    log.add(metrics);
    if (!done && seconds_since(kept) < options.seconds_between_checkpoints) return;
    log.write();  // first: the log has the row of every checkpoint
    write_checkpoint(path, checkpoint_of(*trainer));
    kept = Clock::now();
  });
  result.last = loop.last;
  result.reached_goal = loop.reached_goal;
  result.seconds = loop.seconds;
  if (loop.stopped) return result;
  try {
    model_shape(trainer->recipe().network);
  } catch (const Error& error) {
    result.note += (result.note.empty() ? "" : " ") + std::string(error.what());
    return result;
  }
  export_model(options.folder, *trainer);
  return result;
}

std::string verify_training(const fs::path& folder, int threads, const OnMeasured& on_measured) {
  const fs::path file = folder / "model.safetensors";
  const Recipe recipe = recipe_from_json(exported_fact(folder, recipe_fact), file.native());
  const std::string steps = exported_fact(folder, steps_fact);
  const std::unique_ptr<Trainer> trainer =
      make_trainer(recipe, threads, exported_fact(folder, instruction_set_fact));
  run_to_end(*trainer, on_measured, [](const Metrics&, bool) {});
  if (std::to_string(trainer->step()) != steps)
    return fmt::format("It ended after {} steps; the file was made in {}.", trainer->step(), steps);
  const fs::path again = fs::temp_directory_path() / fmt::format("attnscope-verify-{}", ::getpid());
  struct Removed {
    fs::path path;
    ~Removed() {
      std::error_code ignored_error;
      fs::remove_all(path, ignored_error);
    }
  } const removed{again};
  export_model(again, *trainer);
  return first_difference(file, again / "model.safetensors");
}

}  // namespace attnscope::training
