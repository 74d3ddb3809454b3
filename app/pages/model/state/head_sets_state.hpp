// app/pages/model: lists of heads that the user typed, and named ones.
#pragma once

#include <string>

namespace attnscope {

struct HeadSetsState {
  std::string kept;  // one line for each set: the name, a tab, the heads; see head_sets.hpp

  // Not kept in a session.
  bool open = false, opens = false;  // the card is open; it opens in this frame
  std::string list, name;            // as they are typed
};

}  // namespace attnscope
