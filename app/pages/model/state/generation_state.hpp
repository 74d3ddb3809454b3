// app/pages/model: how a model continues its text, and which step is shown.
#pragma once

#include <cstdint>

#include "app/kit/table.hpp"

namespace attnscope {

/// The number of tokens still to be appended is in ModelLook.
struct GenerationState {
  bool sampled = false;  // drawn at random; else the likeliest token follows
  float temperature = 1;
  std::int64_t top_k = 0;  // 0 = all
  float top_p = 1;
  std::int64_t seed = 1;
  std::int64_t count = 16;  // tokens that one press of Play appends

  // Not kept in a session.
  std::int64_t shown_row = -1;  // the row to which the list was scrolled and the marked cell moved
  TableOrder order;             // of the list
};

}  // namespace attnscope
