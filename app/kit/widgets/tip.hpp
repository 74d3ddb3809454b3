// app/kit/widgets: the words that a control, a head of a column or a cell shows while the mouse rests on it.
#pragma once

#include <string_view>

namespace attnscope {

/// A name, a formula, one or two lines of why, a key. Empty parts are left out, and need not be written.
struct Tip {
  std::string_view title = {}, formula = {}, why = {}, key = {};
};

}  // namespace attnscope
