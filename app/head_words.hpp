// app: how surgery on a head is called, wherever it is told.
#pragma once

#include <string_view>

#include "core/settings.hpp"

namespace attnscope {

struct SurgeryWords {
  std::string_view name;   // "Previous token"
  std::string_view note;   // "all on p − 1"
  std::string_view state;  // of a head that it was done to: "= previous"
};
SurgeryWords words(HeadSurgery::Kind);

}  // namespace attnscope
