// core/training/files: a whole training run into a folder: model, checkpoint and log; and the same run again,
// to see whether it gives the same bits.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/training/trainer.hpp"

namespace attnscope::training {

inline constexpr const char* checkpoint_name = "training.safetensors";

struct RunOptions {
  Recipe recipe;
  std::filesystem::path folder;  // made where it is missing
  int threads = 0;
  std::filesystem::path log;    // a table with a row for each measurement; empty = none
  std::string instruction_set;  // of kernels; empty = the best of this machine
  double seconds_between_checkpoints = 5;
};

struct RunResult {
  Metrics last;
  bool reached_goal = false;
  std::int64_t resumed_from = 0;  // steps that were done before
  double seconds = 0;             // of training alone
  std::string note;               // a sentence for a person; empty = none
};

/// Called with every measurement; false stops the run behind it, with a checkpoint.
using OnMeasured = std::function<bool(const Trainer&, const Metrics&, double seconds)>;

/// Trains until the goal is reached or the recipe's steps are done. recipe.json in the folder has every field
/// of the recipe. A checkpoint is kept in the folder: a run that was killed goes on from it and gives the
/// same bits. At the end the model is written, see export_model(); of a network that no family of models has
/// the shape of, the note says so. Throws Error; so it does when the folder holds a run of another recipe.
RunResult run_training(const RunOptions&, const OnMeasured&);

/// Trains the folder's model again, with its recipe and the instruction set it was made with. Empty when it
/// is the same to the bit, else a sentence that says what differs. Throws Error where this machine does not
/// have that instruction set: another sums in another order.
std::string verify_training(const std::filesystem::path& folder, int threads, const OnMeasured&);

/// The log's first line, and the line of a measurement.
std::string log_header(const Trainer&);
std::string log_line(const Metrics&);

}  // namespace attnscope::training
