// tests/bench: `attnscope_bench --model`, how fast a model is opened and run on this machine, with every
// head's entropy, attention received and picture captured.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace attnscope {

struct ModelBenchOptions {
  std::filesystem::path model;
  std::vector<std::int64_t>
      lengths;         // of texts, in tokens; empty = 128, 512 and 1024 as far as the model goes
  int threads = 0;     // 0 = what the machine has
  double seconds = 1;  // how long each length is measured, at least three runs
  std::string json;    // a file to write as well; empty = none
};

/// Prints how long opening takes, and for each length a line: the whole text with every head captured and the
/// last token's logits, its GFLOP/s, their share of Eigen's matrix product (runs of both take turns), one
/// token more, memory. The numbers go to `json` too, atomically. Throws Error.
void run_model_bench(const ModelBenchOptions&);

}  // namespace attnscope
