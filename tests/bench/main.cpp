// attnscope_bench: nothing but its command line, see bench_command.hpp.
#include "app/cli/parts/exit_code.hpp"
#include "tests/bench/bench_command.hpp"

int main(int argc, char** argv) {
  attnscope::keep_freed_memory();  // as the program that is measured
  return attnscope::run_bench_command(argc, argv);
}
