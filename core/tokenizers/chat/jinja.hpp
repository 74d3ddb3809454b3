// core/tokenizers/chat: what comes of a template in the language Jinja.
#pragma once

#include <string>

namespace attnscope::tokenizers {

/// A day of the Gregorian calendar: year 1900 to 9999, month 1 to 12, day 1 to 31.
struct Day {
  int year = 0, month = 0, day = 0;
};

struct JinjaText {
  std::string text;
  std::string problem;     // one line that says why there is no text; empty where there is one
  bool refused = false;    // whether `problem` is what the template itself passed to raise_exception()
  bool asks_date = false;  // whether it called strftime_now(), which says `today` at midnight
};

}  // namespace attnscope::tokenizers
