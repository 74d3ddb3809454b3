// app/training: what tasks, heads and measures of a run are called.
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
/// What muting a head alone costs, in a word: "needed"; empty: it is not known.
std::string_view lab_need_word(training::Need);
/// Name of a task's score or group in the window's language, as titles have it: its first letter large.
std::string lab_title(const Ui&, std::string_view name);
/// For the status line: what is computed in, and which seed made the weights.
std::string lab_numbers(const LabState&);

}  // namespace attnscope
