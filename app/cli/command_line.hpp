// app/cli: the command line. Exit codes: 0 success, 1 bad input, 2 bad usage; an error is one sentence on
// stderr. Notes about a success and progress go to stderr, too.
#pragma once

namespace attnscope {

/// `attnscope [FILE]`, `open` and `watch` open the window, `render` draws a picture without a display,
/// `attend`, `layer` and `rotate` compute attention, a whole layer and rotary positions from one tensor file
/// to another; `run`, `atlas`, `heads`, `patch`, `similar`, `tokenize` and `model` work on a model. Returns
/// the exit code; throws nothing.
int run_command_line(int argc, char** argv);

}  // namespace attnscope
