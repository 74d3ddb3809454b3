// tests/bench: the command line of `attnscope_bench`.
#pragma once

namespace attnscope {

/// Measures attention on random numbers, a model (--model), training (--train) or the window (--window) on
/// this machine. Returns the exit code, as `attnscope` does; throws nothing.
int run_bench_command(int argc, char** argv);

}  // namespace attnscope
