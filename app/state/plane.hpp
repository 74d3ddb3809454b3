// app/state: what can be shown as a picture of queries by keys: the stages of that shape, their gradients,
// and their differences to the held state B or to float64.
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
    Difference,  // A - B: the stage minus the same stage of the held state
    Magnitude,   // |A - B|
    Ratio,       // log2 |A| / |B|: a factor and its inverse are equally far from 0
  };
  Stage stage = Stage::Softmax;
  Kind kind = Kind::Value;
  // NOLINTNEXTLINE(google-explicit-constructor): a stage is its own plane
  constexpr Plane(Stage s, Kind k = Kind::Value) : stage(s), kind(k) {}
  bool is_gradient() const { return kind == Kind::Gradient; }
  bool is_error() const { return kind == Kind::Error; }
  /// Computed against the held state.
  bool is_difference() const { return kind >= Kind::Difference; }
  bool operator==(const Plane&) const = default;
  /// Some total order, for keys of maps.
  auto operator<=>(const Plane& other) const { return key() <=> other.key(); }

 private:
  constexpr std::pair<std::size_t, Kind> key() const { return {index_of(stage), kind}; }
};

/// The planes of a result by itself, in the order of the computation, gradients last. Differences need a
/// second result and errors a second computation: see ResultStats.
std::vector<Plane> planes(const LayerResult&);

/// The tensor of a value or gradient; null if the result has none.
const TensorPtr& tensor_of(const LayerResult&, Plane);
/// One head of one sequence: [queries][keys]. A tensor with a batch of 1 serves every sequence.
ConstMatrixMap<float> head_of(const Tensor&, std::int64_t b, std::int64_t h);
ConstMatrixMap<float> matrix_of(const LayerResult&, Plane, std::int64_t b, std::int64_t h);
/// Identifies a plane's tensor for the picture cache. A pointer would not do: freed addresses are reused.
std::uint64_t made_in(const LayerResult&, Plane);

/// Whether the plane holds attention weights of some kind: not centred on zero.
bool is_weights(Plane);
/// Whether masked cells are marked: in the masked logits, in weights and in gradients.
bool shows_mask(const Document&, Plane);

/// The texts for a plane: in the chooser, beside the colour bar, and in its tooltip.
struct PlaneWords {
  std::string_view name, short_name, formula, why;
};
PlaneWords words(const Document&, Plane);

}  // namespace attnscope
