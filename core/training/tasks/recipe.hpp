// core/training/tasks: everything that one training run depends on: the same recipe gives the same bits, for
// any number of threads, on machines with the same instruction set.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/training/network/spec.hpp"

namespace attnscope::training {

enum class Schedule : std::uint8_t {
  Cosine,  // from the peak down to `last_rate` of it at the last step (Loshchilov and Hutter 2017)
  Constant,
};

/// AdamW (Loshchilov and Hutter 2019): decay is decoupled and of matrices and tables alone.
struct OptimiserSettings {
  double rate = 1e-3;  // the peak, above 0
  int warm_up = 50;    // steps in which the rate grows to it
  Schedule schedule = Schedule::Cosine;
  double last_rate = 0.1;
  double decay = 0.01;
  double beta_mean = 0.9, beta_square = 0.99, epsilon = 1e-8;
  double clip = 1;  // largest norm of the gradient; 0 = it is not clipped
  bool operator==(const OptimiserSettings&) const = default;
};

struct Recipe {
  std::string task = "induction";  // a row of tasks()
  std::string name;                // of the model that is made; empty: the task's
  std::uint64_t seed = 0;
  int steps = 1000;  // the most; also where the cosine ends
  int batch = 32;    // sequences of a step
  NetworkSpec network;
  OptimiserSettings optimiser;
  int measure_every = 25, measured_sequences = 64;
  bool stops_at_goal = true;
  std::map<std::string, double> data;     // the task's own numbers, see TaskRow::data
  std::string text, unit = "characters";  // of the task "text": a file, and "characters" or "words"
  bool operator==(const Recipe&) const = default;
};

/// The rate of step number `step`, the first one being 0.
double rate_at(const OptimiserSettings&, int steps, std::int64_t step);

}  // namespace attnscope::training
