// core/attention: heads whose pattern is replaced by another one, to see what the output owes to them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/base/tensor.hpp"
#include "core/document/mask.hpp"

namespace attnscope {

/// Intervention: the weights with the patterns of intervened heads replaced (see Intervention); other heads
/// keep theirs. weights [batch][heads][queries][keys], same shape; `additive` as in mask(); one entry of
/// `intervention` for each head, frozen patterns of [batch][queries][keys].
template <class T>
TensorOf<T> operate(const Work&, const TensorOf<T>& weights, const TensorPtrOf<T>& additive,
                    const std::vector<Intervention>& intervention, const MaskRule& rule);

/// Backward of operate(), in place: a pattern that was put in is a constant, so the gradients of intervened
/// heads become 0; the others' pass, and of Mean each row gets the mean of all rows.
template <class T>
void operate_backward(const std::vector<Intervention>& intervention, TensorOf<T>& gradient);

/// Whether what a kind puts in follows from the head's own weights.
constexpr bool lets_pass(Intervention::Kind kind) {
  return kind == Intervention::Kind::None || kind == Intervention::Kind::Mean;
}

/// The key that a kind puts all weight on for the query at `position`: below 0 or beyond the keys where there
/// is none, and for kinds that name no key.
std::int64_t named_key(Intervention::Kind kind, std::int64_t position);

}  // namespace attnscope
