// tests: what is measured on a real card, each section by itself. Lines are "name<TAB>value<TAB>unit", a
// failure is a line that begins with "FAILED".
#pragma once

#include <memory>
#include <string>

#include "core/streaming_cases.hpp"
#include "gpu/cuda/timed_device.hpp"

namespace attnscope::on_card {

struct Card {
  /// A new device, the real one or an emulated one.
  std::unique_ptr<TimedDevice> (*open)() = nullptr;
  bool emulated = false;  // sizes are tiny then: only the program itself is proved
  int failures = 0;

  void report(const std::string& name, double value, const std::string& unit);
  /// `what` is empty when all is well.
  void check(const std::string& name, const std::string& what);
};

void parity(Card&);       // sweeps, tiles and stages against the float64 oracle and the CPU's engine
void sanitized(Card&);    // a few of them, for compute-sanitizer
void far_rows(Card&);     // single rows where indices pass 2^31
void determinism(Card&);  // two runs, bit by bit
void abort_time(Card&);
void memory(Card&);
void times(Card&);

/// Numbers of one size, shared by all heads so that the host has room for them; kept on the card from sweep
/// to sweep.
struct Numbers {
  std::vector<float> q, k, v;
  AttentionProblem problem;
  Numbers(std::int64_t heads, std::int64_t n, std::int64_t d);
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
};

}  // namespace attnscope::on_card
