// core/attention: interventions: the pattern of a head is replaced, to measure the effect on the output.
#pragma once

#include <algorithm>
#include <cstddef>
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

/// Backward of operate(), in place: replaced patterns are constants, so the gradients of intervened heads
/// become 0; those of other heads pass. For Mean each row gets the mean of the gradient's rows.
template <class T>
void operate_backward(const std::vector<Intervention>& intervention, TensorOf<T>& gradient);

/// Whether the pattern of the kind depends on the head's own weights, so that a gradient passes.
constexpr bool lets_pass(Intervention::Kind kind) {
  return kind == Intervention::Kind::None || kind == Intervention::Kind::Mean;
}

/// The key that gets all weight for the query at `position`. It may be below 0 or beyond the keys; -1 for
/// kinds that name no key.
std::int64_t named_key(Intervention::Kind kind, std::int64_t position);

/// A row that depends on the mask alone: all weight on `key` if it is one of the first `named` keys and the
/// query sees it, else equal weights on all keys that the query sees. `sees(j)` says whether it sees key j.
template <class T, class Sees>
void fill_replaced_row(std::int64_t key, std::int64_t named, Sees&& sees, std::span<T> row) {
  std::ranges::fill(row, T{0});
  if (key >= 0 && key < named && sees(static_cast<std::size_t>(key))) {
    row[static_cast<std::size_t>(key)] = T{1};
    return;
  }
  std::int64_t seen = 0;
  for (std::size_t j = 0; j < row.size(); ++j)
    if (sees(j)) {
      row[j] = T{1};
      ++seen;
    }
  for (T& weight : row)
    if (weight != 0) weight = T{1} / static_cast<T>(seen);
}

}  // namespace attnscope
