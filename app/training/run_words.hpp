// app/training: names of tasks, heads and measures of a run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/kit/ui/ui.hpp"
#include "app/training/lab_state.hpp"
#include "core/training/lab/lab.hpp"

namespace attnscope {

std::string lab_task_name(std::string_view key);
/// "L0H1": layers and heads from 0, as everywhere.
std::string lab_head_name(const training::Recipe&, std::int64_t head);
/// A word for the cost of ablating a head alone: "needed"; empty if it is unknown.
std::string_view lab_need_word(training::Need);
/// Name of a task's score or group in the window's language, its first letter a capital.
std::string lab_title(const Ui&, std::string_view name);
/// For the status line: the number type, and the seed of the weights.
std::string lab_numbers(const LabState&);

}  // namespace attnscope
