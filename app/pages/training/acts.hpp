// app/pages/training: actions of the page's keys and buttons. Those that training lessons share are in
// app/training/acts.hpp.
#pragma once

#include "app/training/acts.hpp"

namespace attnscope {

void lab_step(Scene&);
/// Show the measured step before or after the shown one.
void lab_before(Scene&);
void lab_after(Scene&);
/// Trains again from step 0.
void lab_anew(Scene&);
/// Opens the current model of the active run in Model mode.
void lab_open_model(Scene&);
/// Saves every measurement of the run on screen as a table.
void lab_save_log(Scene&);
/// Trains the same recipe with many seeds in the background; stops them if they run.
void lab_wall(Scene&);

}  // namespace attnscope
