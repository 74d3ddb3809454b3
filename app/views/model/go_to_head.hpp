// app/views/model: the ways to a head and to what it looks at.
#pragma once

#include <cstdint>

#include "app/scene/scene.hpp"
#include "app/state/model_head.hpp"

namespace attnscope {

/// That head is looked at, at the key of this row on which it looks most.
void go_to_head(Scene&, const ModelHead&, std::int64_t row);
/// The head with the largest effect on the prediction, in the row of the prediction. Says so where it is not
/// known.
void go_to_strongest_head(Scene&);
/// At the beginning of a frame: the key of go_to_head(), where a worker had to look for it.
void go_to_found(Scene&);

}  // namespace attnscope
