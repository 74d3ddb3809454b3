// app/pages/model: lists of heads that a person typed, and those that were given a name.
#pragma once

#include <string>

namespace attnscope {

struct HeadSetsState {
  std::string kept;  // a line each: the name, a tab, the heads; see head_sets.hpp

  // Of the moment.
  bool open = false, opens = false;  // the card; in this frame
  std::string list, name;            // as they are typed
};

}  // namespace attnscope
