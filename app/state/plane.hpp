// app/state: what can be looked at as a picture of queries by keys: the stages that have that shape, how the
// loss changes with their numbers, and how they differ from the state that is held as B or from float64.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/engine/result.hpp"

namespace attnscope {

struct Plane {
  enum class Kind : std::uint8_t {
    Value,
    Gradient,    // d loss / d stage
    Error,       // the stage minus the same stage in float64
    Difference,  // A - B: the stage minus the same stage of the state that is held
    Magnitude,   // |A - B|
    Ratio,       // log2 |A| / |B|: how many times as large, the same distance up and down
  };
  Stage stage = Stage::Softmax;
  Kind kind = Kind::Value;
  // NOLINTNEXTLINE(google-explicit-constructor): a stage is its own plane
  constexpr Plane(Stage s, Kind k = Kind::Value) : stage(s), kind(k) {}
  bool is_gradient() const { return kind == Kind::Gradient; }
  bool is_error() const { return kind == Kind::Error; }
  /// Taken against the state that is held.
  bool is_difference() const { return kind >= Kind::Difference; }
  bool operator==(const Plane&) const = default;
  /// For keys of maps: any order does.
  auto operator<=>(const Plane& other) const { return key() <=> other.key(); }

 private:
  constexpr std::pair<std::size_t, Kind> key() const { return {index_of(stage), kind}; }
};

/// The planes of a result by itself, in the order of the computation, gradients last. Differences need a
/// second result and errors a second computation: see ResultStats.
std::vector<Plane> planes(const LayerResult&);

/// The tensor of a value or gradient; null where the result has none.
const TensorPtr& tensor_of(const LayerResult&, Plane);
/// One head of one sequence: [queries][keys]. What is the same for the whole batch serves every sequence.
ConstMatrixMap<float> head_of(const Tensor&, std::int64_t b, std::int64_t h);
ConstMatrixMap<float> matrix_of(const LayerResult&, Plane, std::int64_t b, std::int64_t h);
/// Tells a plane's tensors apart for the picture cache; a pointer would not: freed addresses come back.
std::uint64_t made_in(const LayerResult&, Plane);

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
