// app/lessons: the last stage that a step shows, see Step::until.
#pragma once

#include <optional>
#include <string_view>

#include "app/lessons/lesson.hpp"
#include "core/engine/result.hpp"

namespace attnscope::lessons {

/// The stage of an `until`, where "weights" are those that mix the values; empty if there is no such stage.
std::optional<Stage> stage_until(std::string_view name);
/// The stage from which a lesson's number is read, by its name in an expression ("weight", "held.length
/// "residual""); empty for settings and sizes, which are known before.
std::optional<Stage> stage_of_number(std::string_view asked);

/// Whether the step shows numbers of the stage; true without an `until`.
bool shows_stage(const Step&, Stage);
/// The same of the step's walk, which may begin later.
bool walks_stage(const Step&, Stage);
/// Whether the step shows all stages of the numbers that an expression looks up.
bool shows_number(const Step&, const Expression&);
/// The plane, or if the step does not show it the last one before it that the result has; empty if there is
/// none.
std::optional<Stage> plane_until(const Step&, const LayerResult&, Stage);

}  // namespace attnscope::lessons
