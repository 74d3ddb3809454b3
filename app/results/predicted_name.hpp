// app/results: the name of a predicted token or class on the screen.
#pragma once

#include <cstdint>
#include <string>

#include "core/engine/model/model_reading.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {

/// A token of the vocabulary, or a class, as readable text: "Mary", "␣" for a space, marked as own words.
std::string predicted_name(const OpenedModel&, std::int64_t id);
inline std::string predicted_name(const ModelReading& reading, std::int64_t id) {
  return predicted_name(*reading.within.model, id);
}

}  // namespace attnscope
