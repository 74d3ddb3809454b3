// core/models/reading: all weights of a model, part by part.
#pragma once

#include "core/models/config/config.hpp"
#include "core/models/model.hpp"
#include "core/models/reading/tensor_source.hpp"

namespace attnscope {

/// Takes the tensors of a model whose spec is that of the config. What the files turn out to lack changes the
/// spec: pooler, head, tied tables. Throws Error as TensorSource::take().
void read_weights(const ModelConfig&, TensorSource&, Model&);

}  // namespace attnscope
