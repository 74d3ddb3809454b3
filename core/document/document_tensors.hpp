// core/document: the one list of all tensors that a Document can hold, for code that counts, compares or
// copies tensors.
#pragma once

#include <type_traits>
#include <variant>

#include "core/document/document.hpp"

namespace attnscope {

/// Calls `each` with every TensorPtr of a Document (const where the Document is), null ones included.
template <class D, class Each>
void for_each_tensor(D& document, Each each) {
  const auto all = [&](auto*... tensors) { (each(*tensors), ...); };
  std::visit(
      [&](auto& from) {
        using From = std::remove_cvref_t<decltype(from)>;
        if constexpr (std::is_same_v<From, FromText>) all(&from.edited, &from.edited_memory);
        if constexpr (std::is_same_v<From, Given>)
          all(&from.query, &from.key, &from.value, &from.past_key, &from.past_value);
        if constexpr (std::is_same_v<From, Vectors>) all(&from.query, &from.key, &from.value);
      },
      document.input.numbers);
  auto& layer = document.layer();
  for (const ParameterInfo& row : parameter_table) each(layer.weights[row.parameter]);
  for (auto* tensor : {&layer.position_settings.rope_divisors, &layer.position_settings.rope_short_divisors,
                       &layer.masking.additive, &document.loss.given})
    each(*tensor);
  for (auto& head : layer.interventions) each(head.frozen);
}

}  // namespace attnscope
