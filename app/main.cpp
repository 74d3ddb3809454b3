// The program: nothing but its command line. Everything else is in libraries, so that tests link what users
// run.
#include "app/cli/command_line.hpp"

int main(int argc, char** argv) { return attnscope::run_command_line(argc, argv); }
