// app/pages/model: how a model goes on with its text, and which of its steps is looked at.
#pragma once

#include <cstdint>

#include "app/kit/table.hpp"

namespace attnscope {

/// How many tokens are still to be appended is ModelLook's.
struct GenerationState {
  bool sampled = false;  // drawn at random; else the likeliest token follows
  float temperature = 1;
  std::int64_t top_k = 0;  // 0 = all
  float top_p = 1;
  std::int64_t seed = 1;
  std::int64_t count = 16;  // tokens that one press of Play appends

  // Of the moment.
  std::int64_t shown_row = -1;  // the row that the list and the marked cell have followed to
  TableOrder order;             // of the list
};

}  // namespace attnscope
