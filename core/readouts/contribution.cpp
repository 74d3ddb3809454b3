#include "core/readouts/contribution.hpp"

#include <cmath>

#include "core/base/product.hpp"
#include "core/models/run_heads.hpp"
#include "core/readouts/norm_view.hpp"

namespace attnscope {

std::vector<double> value_norms(const Model& model, const ModelRun& run, AttentionOf of, std::size_t block,
                                std::int64_t head, const Work& work) {
  const StackView stack = stack_of(model, run, of);
  const BlockWeights& weights = stack.weights.blocks[block];
  const LinearMap& output = of == AttentionOf::Cross ? weights.cross.output : weights.attention.output;
  const BlockProblem made = problem_of(model, run, of, block);
  const AttentionProblem& p = made.problem;
  const TensorOf<double> all = rows_of_map(output, 0, output.d_out());
  // ‖v·W‖² = v·(W·Wᵀ)·vᵀ: the head's part of W_O serves all keys at once.
  const Eigen::MatrixXd of_head = all.matrix().middleCols(head * p.d_v, p.d_v);
  const Eigen::MatrixXd square = of_head.transpose() * of_head;
  std::vector<double> norms(static_cast<std::size_t>(p.keys));
  work.for_each(p.keys, static_cast<double>(p.d_v * p.d_v), [&](std::int64_t j) {
    const Eigen::VectorXd value =
        Eigen::Map<const Eigen::VectorXf>(p.value.row(head / (p.heads / p.kv_heads), j), p.d_v)
            .cast<double>();
    norms[static_cast<std::size_t>(j)] = std::sqrt(std::max(0.0, value.dot(square * value)));
  });
  return norms;
}

std::vector<double> contribution_norms(const Model& model, const ModelRun& run, AttentionOf of,
                                       std::size_t block, std::int64_t head, std::int64_t query,
                                       const Work& work) {
  std::vector<double> norms = value_norms(model, run, of, block, head, work);
  const Tensor weights =
      head_weight_rows(model, run, of, block, head, {.begin = query, .end = query + 1}, work);
  for (std::size_t j = 0; j < norms.size(); ++j) norms[j] *= static_cast<double>(weights.values()[j]);
  return norms;
}

}  // namespace attnscope
