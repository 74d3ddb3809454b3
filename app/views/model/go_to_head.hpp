// app/views/model: ways to a head and to its largest weight.
#pragma once

#include <cstdint>

#include "app/scene/scene.hpp"
#include "app/state/model_head.hpp"

namespace attnscope {

/// Chooses that head, and in this row the key with the largest weight.
void go_to_head(Scene&, const ModelHead&, std::int64_t row);
/// Goes to the head with the largest effect on the prediction, in the row of the prediction. A notice tells
/// if it is not known.
void go_to_strongest_head(Scene&);
/// Call at the beginning of a frame: chooses the key for go_to_head() after a worker has found it.
void go_to_found(Scene&);

}  // namespace attnscope
