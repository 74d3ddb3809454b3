// app/lessons: what the names in a lesson's expressions are worth: numbers of what is computed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/lessons/expression.hpp"
#include "core/engine/result.hpp"

namespace attnscope::lessons {

/// What a step looks at. References must outlive the look-up.
struct NumbersOf {
  const LayerResult& a;
  const LayerResult* b = nullptr;  // what is held; null: names that begin with "held." are refused
  std::int64_t head = 0;           // of which numbers are where none is named
};
/// Throws Error for a name that it does not know, places outside of the matrix, and long results.
LookUp look_up_in(const NumbersOf&);

/// The plane of scores or weights of that name ("scores", "scaled", "masked", "weights"), as sessions call
/// them; empty where there is none. "weights" are those that mix the values.
std::optional<Stage> plane_called(const LayerResult&, std::string_view name);

/// The stage of that name whose tensor is a row of numbers for each token ("output", "residual", "mlp-output"
/// …); empty where there is none.
std::optional<Stage> vectors_called(const LayerResult&, std::string_view name);

/// What a lesson can look at: planes of scores and weights, and stages whose tensor is a row of numbers for
/// each token, as sessions call them, in the order in which they are computed.
std::vector<std::string_view> stage_names();

/// "weight(query, key)": what there is, for messages and for the writer of a lesson.
struct KnownName {
  std::string_view call, what;
};
std::vector<KnownName> known_names();

}  // namespace attnscope::lessons
