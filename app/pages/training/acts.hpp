// app/pages/training: what keys do on the page, and its buttons. What lessons that train do as well stands in
// app/training/acts.hpp.
#pragma once

#include "app/training/acts.hpp"

namespace attnscope {

void lab_step(Scene&);
/// The measured step before or after the one that is looked at.
void lab_before(Scene&);
void lab_after(Scene&);
/// From the beginning.
void lab_anew(Scene&);
/// The model of the active run as it is now, in Model mode.
void lab_open_model(Scene&);
/// Every measurement of the run on screen as a table.
void lab_save_log(Scene&);
/// The same recipe with many seeds behind the window; while they run, stops them.
void lab_wall(Scene&);

}  // namespace attnscope
