// core/document: every tensor that a Document can hold, in one list: who counts, compares or copies tensors
// asks it instead of keeping a list of its own.
#pragma once

#include "core/document/document.hpp"

namespace attnscope {

/// Calls `each` with every TensorPtr of a Document (const where the Document is), null ones included.
template <class D, class Each>
void for_each_tensor(D& document, Each each) {
  auto& input = document.input;
  auto& given = input.given;
  auto& vectors = input.vectors;
  for (auto* tensor : {&given.query, &given.key, &given.value, &given.past_key, &given.past_value,
                       &vectors.query, &vectors.key, &vectors.value, &input.edited, &input.edited_memory})
    each(*tensor);
  auto& layer = document.layer();
  for (const ParameterInfo& row : parameter_table) each(layer.weights[row.parameter]);
  for (auto* tensor : {&layer.masking.additive, &document.loss.given}) each(*tensor);
  for (auto& head : layer.interventions) each(head.frozen);
}

}  // namespace attnscope
