// core/training/files: where a run stands, as one safetensors file that is replaced whole or not at all: a
// run that is killed goes on from it without a changed bit.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "core/training/trainer.hpp"

namespace attnscope::training {

struct Checkpoint {
  Recipe recipe;
  Snapshot snapshot;
  std::string instruction_set;  // that its steps were made with: another sums in another order
};

/// weights, mean and square as float32, the rest as text in the header. Throws Error with the path.
void write_checkpoint(const std::filesystem::path&, const Checkpoint&);
/// Throws Error with a sentence that names the file, what was found and what was expected.
Checkpoint read_checkpoint(const std::filesystem::path&);

/// What a trainer would write.
Checkpoint checkpoint_of(const Trainer&);

}  // namespace attnscope::training
