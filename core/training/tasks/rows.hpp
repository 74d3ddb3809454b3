// core/training/tasks: the rows of the table, each made beside its data.
#pragma once

#include "core/training/tasks/task.hpp"

namespace attnscope::training {

TaskRow reverse_task();
TaskRow two_jobs_task();
TaskRow look_up_task();
TaskRow induction_task();
TaskRow small_induction_task();
TaskRow brackets_task();
TaskRow sort_task();
TaskRow modular_addition_task();
TaskRow shapes_task();
TaskRow millbrook_task();
TaskRow reader_task();
TaskRow small_reader_task();
TaskRow text_task();

}  // namespace attnscope::training
