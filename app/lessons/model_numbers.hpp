// app/lessons: looks up the names in expressions of a lesson on a model: numbers of the model's run.
#pragma once

#include <vector>

#include "app/lessons/lesson_numbers.hpp"
#include "core/engine/model/model_engine.hpp"
#include "core/engine/model/model_reading.hpp"

namespace attnscope::lessons {

/// Looks up numbers of the model first, then those of the layer that is looked at, by `layer`. A number that
/// is still being computed throws Error, as does one that does not exist. The reading must outlive the
/// look-up.
LookUp look_up_in_model(const ModelReading& reading, LookUp layer);

/// Whether the name is that of a model's number.
bool is_model_name(std::string_view name);
/// The known names of model numbers, as known_names() lists those of layers.
std::vector<KnownName> known_model_names();

struct Step;
/// All names in the step's expressions.
std::vector<Expression::Name> names_in(const Step&);
/// What must be computed of the model for the step's texts, pictures and questions.
ModelWants wants_of(const Step&);
/// The same in a model; if the model predicts something for each token, its prediction for the step's row.
ModelWants wants_of(const Step&, const ModelContext&);

}  // namespace attnscope::lessons
