// app/lessons: looks up the names in expressions of a lesson that trains: numbers measured on the runs on
// screen.
#pragma once

#include <string_view>
#include <vector>

#include "app/lessons/lesson_numbers.hpp"
#include "core/training/lab/lab.hpp"

namespace attnscope::lessons {

/// Numbers of the first run, and as `branch.…` those of the newest branch. Heads are counted through all
/// layers, from 0. A number that is not measured yet throws Error, as does one that does not exist. The
/// argument must outlive the look-up.
LookUp look_up_in_training(const training::ShownLab&);

/// Whether the name is that of a run's number, with "branch." in front or not.
bool is_training_name(std::string_view name);
/// The known names of runs' numbers, as known_names() lists those of layers.
std::vector<KnownName> known_training_names();

}  // namespace attnscope::lessons
