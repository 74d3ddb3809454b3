#include "core/readouts/contribution.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/product.hpp"
#include "core/models/run_heads.hpp"
#include "core/readouts/norm_view.hpp"

namespace attnscope {

namespace {

struct HeadsOut {
  const LayerSpec& spec;
  const LinearMap& output;
  double scale;  // of what attention adds to the stream
  /// W_O as it acts on the stream, [d_model][heads · d_v].
  TensorOf<double> matrix() const {
    TensorOf<double> all = rows_of_map(output, 0, output.d_out());
    if (scale != 1) all.matrix() *= scale;
    return all;
  }
};

HeadsOut heads_out(const Model& model, AttentionOf of, std::size_t block) {
  const bool encoder = of == AttentionOf::Encoder;
  const BlockWeights& weights = (encoder ? model.encoder : model.decoder).blocks[block];
  const StackSpec& spec = encoder ? *model.spec.encoder : *model.spec.decoder;
  return {spec.blocks[block], of == AttentionOf::Cross ? weights.cross.output : weights.attention.output,
          spec.residual_scale};
}

/// W·Wᵀ of one head's columns of W_O, which is stored as [d_model][heads · d_v].
Eigen::MatrixXd square_of(const TensorOf<double>& all, std::int64_t head, std::int64_t d_v) {
  const Eigen::MatrixXd of_head = all.matrix().middleCols(head * d_v, d_v);
  return of_head.transpose() * of_head;
}

std::vector<double> norms_with(const Eigen::MatrixXd& square, const AttentionProblem& p, std::int64_t head,
                               const Work& work) {
  std::vector<double> norms(static_cast<std::size_t>(p.keys));
  work.for_each(p.keys, static_cast<double>(p.d_v * p.d_v), [&](std::int64_t j) {
    const Eigen::VectorXd value =
        Eigen::Map<const Eigen::VectorXf>(p.value.row(p.kv_head(head), j), p.d_v).cast<double>();
    norms[static_cast<std::size_t>(j)] = std::sqrt(std::max(0.0, value.dot(square * value)));
  });
  return norms;
}

}  // namespace

std::vector<double> value_norms(const Model& model, const ModelRun& run, AttentionOf of, std::size_t block,
                                std::int64_t head, const Work& work) {
  const BlockProblem made = problem_of(model, run, of, block);
  const Eigen::MatrixXd square = square_of(heads_out(model, of, block).matrix(), head, made.problem.d_v);
  return norms_with(square, made.problem, head, work);
}

TensorOf<double> output_squares(const Model& model, AttentionOf of, std::size_t block) {
  const HeadsOut out = heads_out(model, of, block);
  const LayerSpec& spec = out.spec;
  const TensorOf<double> all = out.matrix();
  TensorOf<double> squares(Shape{spec.heads, spec.d_k, spec.d_k});
  for (std::int64_t head = 0; head < spec.heads; ++head)
    squares.matrix(head) = square_of(all, head, spec.d_k);
  return squares;
}

std::vector<double> value_norms(const Model& model, const ModelRun& run, AttentionOf of, std::size_t block,
                                std::int64_t head, const TensorOf<double>& squares, const Work& work) {
  const BlockProblem made = problem_of(model, run, of, block);
  return norms_with(squares.matrix(head), made.problem, head, work);
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

Tensor contributions(const Model& model, const ModelRun& run, AttentionOf of, std::size_t block,
                     std::int64_t head, const Work& work) {
  Tensor made = head_weights(model, run, of, block, head, work);
  const std::vector<double> norms = value_norms(model, run, of, block, head, work);
  auto numbers = made.matrix();
  for (std::int64_t j = 0; j < std::min<std::int64_t>(numbers.cols(), std::ssize(norms)); ++j)
    numbers.col(j) *= static_cast<float>(norms[static_cast<std::size_t>(j)]);
  return made;
}

}  // namespace attnscope
