// The program: nothing but its command line. Everything else is in libraries, so that tests link what users
// run.
#include <malloc.h>

#include "app/cli/command_line.hpp"

namespace {

/// A model is run again with every letter, and its results take the same room each time: given back to the
/// system in between, fresh pages of it cost a tenth of a run.
void keep_freed_memory() {
#if defined(__GLIBC__)
  constexpr int megabyte = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 32 * megabyte);  // the most that glibc takes
  mallopt(M_TRIM_THRESHOLD, 512 * megabyte);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  return attnscope::run_command_line(argc, argv);
}
