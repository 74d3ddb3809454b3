// app/pages/experiments: actions of the page's keys and buttons.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// Choose the value before or after, or the experiment above or below.
void experiment_before(Scene&);
void experiment_after(Scene&);
void experiment_above(Scene&);
void experiment_below(Scene&);
/// Copy the table as tab-separated text; save it as a file.
void copy_experiment(Scene&);
void save_experiment(Scene&);
/// Saves an animated picture of all values.
void film_experiment(Scene&);
/// Opens the measured state as the Document, and the changed one as B.
void open_experiment(Scene&);

}  // namespace attnscope
