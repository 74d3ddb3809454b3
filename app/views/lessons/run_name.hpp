// app/views/lessons: what stands in the top bar while a lesson trains: not the document that is open
// elsewhere.
#pragma once

#include <string>

#include "app/scene/scene.hpp"

namespace attnscope {

/// "Two jobs, two heads · A, step 300 · seed 0": the task and the run whose heads are drawn, at the step that
/// is looked at. Empty where no lesson that trains is on screen.
std::string trained_run_name(const Scene&);

}  // namespace attnscope
