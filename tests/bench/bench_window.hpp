// tests/bench: `attnscope_bench --window`: how the window keeps up with a person, measured without one.
#pragma once

#include <string>

namespace attnscope {

struct WindowBenchOptions {
  std::string file;    // a model's folder or file; a session; "training": the page on which models learn
  int tokens = 64;     // that the model's text has before it is typed on
  double seconds = 3;  // of each part that has no end of its own
  std::string json;    // a file to write as well; empty = none
};

/// A window of 1600 × 1000 on the screen's own driver, or Mesa's software where there is none. A model: 40
/// letters typed one by one, from the key to the frame that shows every head, the lens and the prediction of
/// the new text; then a held key, 30 letters a second; then the pointer goes along the tokens, and every
/// frame is drawn. Training: frames while it trains as fast as it can. Prints medians, the 90th percentile
/// and the largest; what the driver takes to draw stands apart. Throws Error.
void run_window_bench(const WindowBenchOptions&);

}  // namespace attnscope
