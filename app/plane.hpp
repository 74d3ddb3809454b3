// app: what can be looked at as a picture of queries by keys: the stages that have that shape, and how the
// loss changes with their numbers.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/pipeline.hpp"

namespace attnscope {

struct Plane {
  Stage stage = Stage::Softmax;
  bool gradient = false;  // d loss / d stage
  // NOLINTNEXTLINE(google-explicit-constructor): a stage is its own plane
  constexpr Plane(Stage s, bool of_loss = false) : stage(s), gradient(of_loss) {}
  auto operator<=>(const Plane&) const = default;
};

/// The planes of a result, in the order of the computation, gradients last.
std::vector<Plane> planes(const Result&);

/// The tensor of a plane; null where the result has none.
const TensorPtr& tensor_of(const Result&, Plane);
/// One head of one sequence: [queries][keys]. What is the same for the whole batch serves every sequence.
ConstMatrixMap<float> matrix_of(const Result&, Plane, std::int64_t b, std::int64_t h);
/// Tells a plane's tensors apart for the picture cache; a pointer would not: freed addresses come back.
std::uint64_t made_in(const Result&, Plane);

/// Attention weights of some kind: from 0 up, not centred on zero.
bool is_weights(Plane);
/// Whether cells that the mask hides are marked: from the mask on.
bool shows_mask(const Document&, Plane);

/// What a plane is called: on the chooser, beside the colour bar, and in a tooltip.
struct PlaneWords {
  std::string_view name, short_name, formula, why;
};
PlaneWords words(const Document&, Plane);

}  // namespace attnscope
