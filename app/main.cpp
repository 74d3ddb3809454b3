// The program is only its command line; everything else is in libraries, so that tests link the same code as
// the program.
#include "app/cli/command_line.hpp"
#include "app/cli/parts/exit_code.hpp"

int main(int argc, char** argv) {
  attnscope::keep_freed_memory();
  return attnscope::run_command_line(argc, argv);
}
