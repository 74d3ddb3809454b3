// app/lessons: what the names in expressions of a lesson on a model are worth: numbers that were read off the
// model's run.
#pragma once

#include <vector>

#include "app/lessons/lesson_numbers.hpp"
#include "core/engine/model/model_engine.hpp"
#include "core/engine/model/model_reading.hpp"

namespace attnscope::lessons {

/// Numbers of the model first, then those of the layer that is looked at, which `layer` knows. What is still
/// being worked out throws Error, as what is not there does. The reading must outlive the look-up.
LookUp look_up_in_model(const ModelReading& reading, LookUp layer);

/// Whether a number of that name is a model's.
bool is_model_name(std::string_view name);
/// Of models: what there is, as known_names() lists it for layers.
std::vector<KnownName> known_model_names();

struct Step;
/// All names that its expressions ask for.
std::vector<Expression::Name> names_in(const Step&);
/// What has to be worked out of the model for what the step says, shows and asks.
ModelWants wants_of(const Step&);
/// The same in a model: of one that says something of each token, what it says of the step's row.
ModelWants wants_of(const Step&, const ModelContext&);

}  // namespace attnscope::lessons
