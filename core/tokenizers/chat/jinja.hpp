// core/tokenizers/chat: the result of rendering a Jinja template.
#pragma once

#include <string>

namespace attnscope::tokenizers {

struct JinjaText {
  std::string text;
  std::string problem;     // one line on why there is no text; empty if there is text
  bool refused = false;    // whether `problem` is the argument of the template's raise_exception()
  bool asks_date = false;  // whether the template called strftime_now(), which returns `today` at midnight
};

}  // namespace attnscope::tokenizers
