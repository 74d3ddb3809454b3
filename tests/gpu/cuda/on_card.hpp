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
  std::string folder;     // where every line is kept as well, see on_card_results.hpp; empty = nowhere
  double seconds = 1e9;   // that a section may take; what is left of it then is skipped
  Clock::time_point begun = Clock::now();
  int failures = 0;

  void report(const std::string& name, double value, const std::string& unit);
  /// `what` is empty when all is well.
  void check(const std::string& name, const std::string& what);
  /// Whether the section's time is over; then a line says that `name` was skipped.
  bool skips(const std::string& name);

 private:
  void keep(const std::string& name, const std::string& value, const std::string& unit);
};

void parity(Card&);       // sweeps, tiles and stages against the float64 oracle and the CPU's engine
void sanitized(Card&);    // a few of them, for compute-sanitizer
void trivial(Card&);      // a copy there and back: whether a tool works at all
void far_rows(Card&);     // single rows where indices pass 2^31
void determinism(Card&);  // two runs, bit by bit
void abort_time(Card&);
void memory(Card&);
void opening(Card&);      // context, memory, first kernel
void passes(Card&);       // pass 1 and 2 at the sizes that are compared with PyTorch's kernels
void warpgroups(Card&);   // pass 1 by products of warpgroups: right first, then how fast
void passes_more(Card&);  // the sizes between, float32
void window(Card&);       // what the window waits for
void staged(Card&);       // every stage for itself, also on matrix units
void uploads(Card&);
void model_parity(Card&);  // a small model beside the CPU
void models(Card&);        // an 8B model: its weights, a text, a token more
void far_times(Card&);     // 131,072 tokens, tiles of a zoomed map

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
