// The program: nothing but its command line. Everything else is in libraries, so that tests link what users
// run.
#include "app/cli/command_line.hpp"
#include "app/cli/parts/exit_code.hpp"

int main(int argc, char** argv) {
  attnscope::keep_freed_memory();
  return attnscope::run_command_line(argc, argv);
}
