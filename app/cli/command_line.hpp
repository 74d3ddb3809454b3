// app/cli: the command line. Exit codes: 0 success, 1 bad input, 2 bad usage; whatever went wrong is one
// sentence on stderr, and nothing else is written there.
#pragma once

namespace attnscope {

/// `attnscope [FILE]`, `open` and `watch` open the window, `render` draws a picture without a display,
/// `attend`, `layer` and `rotate` compute attention, a whole layer and rotary positions from one tensor file
/// to another, `run`, `tokenize` and `model` are for the folder of a model. Returns the exit code; throws
/// nothing.
int run_command_line(int argc, char** argv);

}  // namespace attnscope
