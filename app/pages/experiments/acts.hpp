// app/pages/experiments: what keys do on the page, and its buttons.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// The value before or after, and the experiment above or below.
void experiment_before(Scene&);
void experiment_after(Scene&);
void experiment_above(Scene&);
void experiment_below(Scene&);
/// The table as tab-separated text, and as a file.
void copy_experiment(Scene&);
void save_experiment(Scene&);
/// An animated picture of all values.
void film_experiment(Scene&);
/// What was measured becomes the Document, with the change beside it as B.
void open_experiment(Scene&);

}  // namespace attnscope
