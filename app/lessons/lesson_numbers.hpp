// app/lessons: looks up the names in a lesson's expressions: numbers of the computed layers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/lessons/text/expression.hpp"
#include "core/engine/result.hpp"

namespace attnscope::lessons {

/// The layers that a step looks at. References must outlive the look-up.
struct NumbersOf {
  const LayerResult& a;
  const LayerResult* b = nullptr;  // the held layer; null: names that begin with "held." are refused
  std::int64_t head = 0;           // the head of numbers that name none
};
/// Throws Error for an unknown name, for places outside of the matrix, and for long results.
LookUp look_up_in(const NumbersOf&);

/// The plane of scores or weights with that name in sessions ("scores", "scaled", "masked", "weights"); empty
/// if there is none. "weights" are those that mix the values.
std::optional<Stage> plane_called(const LayerResult&, std::string_view name);

/// The stage of that name whose tensor has a vector for each token ("output", "residual", "mlp-output" …);
/// empty if there is none.
std::optional<Stage> vectors_called(const LayerResult&, std::string_view name);

/// The stages that a lesson can look at: planes of scores and weights, and stages with a vector for each
/// token, by their names in sessions, in the order of computation.
std::vector<std::string_view> stage_names();

/// "weight(query, key)": a known name, for messages and for authors of lessons.
struct KnownName {
  std::string_view call, what;
};
std::vector<KnownName> known_names();

}  // namespace attnscope::lessons
