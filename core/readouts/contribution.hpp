// core/readouts: the contribution of a key through a head, which its weight alone does not tell: ‖α·v·W_O‖
// (Kobayashi et al. 2020). A large weight on a small value contributes little.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/tensor.hpp"
#include "core/models/run_model.hpp"

namespace attnscope {

/// ‖v_j·W_O‖ of every key j for a head, [keys], before a norm behind attention, if there is one. Throws
/// Cancelled.
std::vector<double> value_norms(const Model&, const ModelRun&, AttentionOf of, std::size_t block,
                                std::int64_t head, const Work&);
/// W·Wᵀ of each head's part of W_O, [heads][d_v][d_v]: ‖v·W_O‖² = v·(W·Wᵀ)·vᵀ. Depends only on the model, not
/// on the text.
TensorOf<double> output_squares(const Model&, AttentionOf of, std::size_t block);
/// The same numbers, computed with the output_squares() of this block.
std::vector<double> value_norms(const Model&, const ModelRun&, AttentionOf of, std::size_t block,
                                std::int64_t head, const TensorOf<double>& squares, const Work&);
/// ‖α_ij·v_j·W_O‖ of query row i, [keys]: the head's weights (or its changed pattern's) times value_norms().
/// Throws Cancelled.
std::vector<double> contribution_norms(const Model&, const ModelRun&, AttentionOf of, std::size_t block,
                                       std::int64_t head, std::int64_t query, const Work&);
/// The same for all rows in float, [queries][keys].
Tensor contributions(const Model&, const ModelRun&, AttentionOf of, std::size_t block, std::int64_t head,
                     const Work&);

}  // namespace attnscope
