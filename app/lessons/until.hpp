// app/lessons: how far a step lets the computation be seen: see Step::until.
#pragma once

#include <optional>
#include <string_view>

#include "app/lessons/lesson.hpp"
#include "core/engine/result.hpp"

namespace attnscope::lessons {

/// The last stage of such an `until`, where "weights" are those that the values are mixed with; nothing for
/// what is no stage.
std::optional<Stage> stage_until(std::string_view name);
/// The stage that a number of lessons is read off, by its name as an expression asks for it ("weight",
/// "held.length "residual""); nothing for settings and sizes, which are known before.
std::optional<Stage> stage_of_number(std::string_view asked);

/// Whether the step lets numbers of the stage be seen: always where it has no `until`.
bool shows_stage(const Step&, Stage);
/// Whether all numbers that an expression looks up are of such stages.
bool shows_number(const Step&, const Expression&);
/// The plane, or where the step does not let it be seen the last one before it that the result has; nothing
/// where it has none.
std::optional<Stage> plane_until(const Step&, const LayerResult&, Stage);

}  // namespace attnscope::lessons
