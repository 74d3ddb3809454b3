// app/kit/widgets: the text shown while the mouse rests on a control, a column head or a cell.
#pragma once

#include <string_view>

namespace attnscope {

/// A name, a formula, one or two lines of explanation, a key. Empty parts are left out.
struct Tip {
  std::string_view title = {}, formula = {}, why = {}, key = {};
};

}  // namespace attnscope
