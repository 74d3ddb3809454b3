// tests/bench: `attnscope_bench --train`, how fast a task's network is trained on this machine.
#pragma once

#include <string>

namespace attnscope {

struct TrainBenchOptions {
  std::string task;
  int threads = 0;     // 0 = what the machine has
  double seconds = 1;  // how long it is measured
  std::string json;    // a file to write as well; empty = none
};

/// Steps of the task's recipe, data included and measurements left out: prints rows of sequences a second,
/// the median step, and the GFLOP/s of its products. The numbers and the recipe go to `json` too, atomically.
/// Throws Error.
void run_train_bench(const TrainBenchOptions&);

}  // namespace attnscope
