// app/lessons: what the names in expressions of a lesson that trains are worth: numbers that were measured on
// the runs on screen.
#pragma once

#include <string_view>
#include <vector>

#include "app/lessons/lesson_numbers.hpp"
#include "core/training/lab/lab.hpp"

namespace attnscope::lessons {

/// Of the first run, and as `branch.…` of the newest branch. Heads are counted through all layers, from 0.
/// What was not measured yet throws Error, as what is not there does. The sight must outlive the look-up.
LookUp look_up_in_training(const training::LabSight&);

/// Whether a number of that name is a run's, "branch." in front or not.
bool is_training_name(std::string_view name);
/// Of runs: what there is, as known_names() lists it for layers.
std::vector<KnownName> known_training_names();

}  // namespace attnscope::lessons
