// app: how interventions on a head are called on screen.
#pragma once

#include <string_view>

#include "core/settings.hpp"

namespace attnscope {

struct SurgeryWords {
  std::string_view name;   // "Previous token"
  std::string_view note;   // "all on p − 1"
  std::string_view state;  // of a head that it was done to: "= previous"
  std::string_view told;   // "Intervention: previous token."
};
SurgeryWords words(HeadSurgery::Kind);

}  // namespace attnscope
