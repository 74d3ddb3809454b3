#include "core/blocks/block_stages.hpp"

#include <memory>

#include "core/base/activation.hpp"
#include "core/base/dense.hpp"
#include "core/document/precision.hpp"

namespace attnscope {

/// A named namespace: lambdas in functions with external linkage hold the types.
namespace block_stages {

/// The last `count` rows of each sequence of x [batch][tokens][d].
template <class T>
TensorOf<T> last_rows(const TensorOf<T>& x, std::int64_t count) {
  TensorOf<T> cut(Shape{x.shape()[0], count, x.shape()[2]});
  for (std::int64_t b = 0; b < x.shape()[0]; ++b) cut.matrix(b) = x.matrix(b).bottomRows(count);
  return cut;
}

/// The inverse of last_rows(): the rows before them are zeros.
template <class T>
TensorOf<T> as_last_rows(const TensorOf<T>& rows, const Shape& shape) {
  TensorOf<T> all(shape);
  for (std::int64_t b = 0; b < shape[0]; ++b) all.matrix(b).bottomRows(rows.shape()[1]) = rows.matrix(b);
  return all;
}

/// All rows of all sequences as one matrix.
template <class T>
ConstMatrixMap<T> all_rows(const TensorOf<T>& x) {
  return {x.data(), x.shape()[0] * x.shape()[1], x.shape()[2]};
}

/// The input and the weights of a product.
struct Linear {
  Stage from;
  Parameter w, bias;
};
constexpr Linear linear_of(Stage stage) {
  switch (stage) {
    case Stage::Gate: return {Stage::MlpNorm, Parameter::WGate, Parameter::BGate};
    case Stage::Up: return {Stage::MlpNorm, Parameter::WUp, Parameter::BUp};
    default: return {Stage::Activation, Parameter::WDown, Parameter::BDown};
  }
}

/// One block, forward and backward.
template <class T>
class Around {
 public:
  using Values = TensorOf<T>;
  using Ptr = TensorPtrOf<T>;
  Around(const Work& work, const BlockRun<T>& run)
      : work_(work),
        run_(run),
        block_(run.document.layer().block),
        parallel_(block_.kind == Arrangement::Parallel) {}

  Ptr forward(Stage stage) const {
    if (stage == Stage::AttentionNorm) return normed(stage, at(Stage::Position));
    if (!has_block(block_)) return nullptr;
    switch (stage) {
      case Stage::OutputNorm: return normed(stage, at(Stage::Output));
      case Stage::Residual:
        return block_.attention_residual ? sum(*stream(), *at(Stage::OutputNorm)) : at(Stage::OutputNorm);
      case Stage::StreamNorm: return normed(stage, at(Stage::Residual));
      case Stage::BlockOutput:
        return block_.mlp ? normed(stage, at(Stage::MlpResidual)) : at(Stage::StreamNorm);
      default: return block_.mlp ? mlp(stage) : nullptr;
    }
  }

  BlockGradients<T> backward(Stage stage, const Values& d) const {
    BlockGradients<T> found;
    switch (stage) {
      case Stage::Residual:
        found.stages.emplace_back(Stage::Position, as_last_rows(d, at(Stage::Position)->shape()));
        found.stages.emplace_back(Stage::OutputNorm, d);
        return found;
      case Stage::MlpResidual:
        found.stages.emplace_back(Stage::StreamNorm, d);
        found.stages.emplace_back(Stage::MlpOutputNorm, d);
        return found;
      case Stage::Gate:
      case Stage::Up:
      case Stage::Down: return product_backward(stage, d);
      case Stage::Activation: return activation_backward(d);
      default: return norm_backward(stage, d);
    }
  }

 private:
  static Ptr shared(Values&& tensor) { return std::make_shared<const Values>(std::move(tensor)); }
  const Ptr& at(Stage stage) const { return run_.trace[stage]; }
  Ptr parameter(Parameter which) const { return stored(run_.document.precision, run_.parameters[which]); }

  /// Token vectors of the queries: X, or its last rows if there is a cache.
  Ptr stream() const {
    const Ptr& x = at(Stage::Position);
    const std::int64_t queries = at(Stage::Output)->shape()[1];
    return x->shape()[1] == queries ? x : shared(last_rows(*x, queries));
  }
  Ptr sum(const Values& a, const Values& b) const {
    Values total = a;
    for (std::size_t i = 0; i < total.values().size(); ++i) total.values()[i] += b.values()[i];
    return shared(std::move(total));
  }

  Ptr mlp(Stage stage) const {
    switch (stage) {
      case Stage::MlpNorm: return normed(stage, parallel_ ? stream() : at(Stage::StreamNorm));
      case Stage::Gate:
        if (!block_.gated) return nullptr;
        [[fallthrough]];
      case Stage::Up:
      case Stage::Down: {
        const Linear map = linear_of(stage);
        return shared(dense(work_, *at(map.from), *parameter(map.w), parameter(map.bias).get()));
      }
      case Stage::Activation: return activated();
      case Stage::MlpOutputNorm: return normed(stage, at(Stage::Down));
      default:  // MlpResidual
        return block_.mlp_residual || parallel_ ? sum(*at(Stage::StreamNorm), *at(Stage::MlpOutputNorm))
                                                : at(Stage::MlpOutputNorm);
    }
  }

  Ptr activated() const {
    const Values& up = *at(Stage::Up);
    const Ptr& gate = at(Stage::Gate);
    Values made(up.shape());
    for (std::size_t i = 0; i < made.values().size(); ++i)
      made.values()[i] = gate ? activate(block_.activation, gate->values()[i]) * up.values()[i]
                              : activate(block_.activation, up.values()[i]);
    return shared(std::move(made));
  }
  BlockGradients<T> activation_backward(const Values& d) const {
    const Values& up = *at(Stage::Up);
    const Ptr& gate = at(Stage::Gate);
    Values d_up(up.shape()), d_gate(gate ? up.shape() : Shape{0});
    for (std::size_t i = 0; i < d_up.values().size(); ++i) {
      const T u = up.values()[i], dj = d.values()[i];
      if (!gate) {
        d_up.values()[i] = dj * activation_slope(block_.activation, u);
        continue;
      }
      const T t = gate->values()[i];
      d_up.values()[i] = dj * activate(block_.activation, t);
      d_gate.values()[i] = dj * u * activation_slope(block_.activation, t);
    }
    BlockGradients<T> found;
    found.stages.emplace_back(Stage::Up, std::move(d_up));
    if (gate) found.stages.emplace_back(Stage::Gate, std::move(d_gate));
    return found;
  }

  BlockGradients<T> product_backward(Stage stage, const Values& d_y) const {
    const Linear map = linear_of(stage);
    DenseGradients<T> d = dense_backward(*at(map.from), *parameter(map.w), d_y);
    BlockGradients<T> found;
    found.stages.emplace_back(map.from, std::move(d.x));
    found.parameters[map.w] = shared(std::move(d.w));
    if (run_.parameters[map.bias]) found.parameters[map.bias] = shared(std::move(d.bias));
    return found;
  }

  Ptr normed(Stage stage, const Ptr& x) const {
    const auto norm = norm_at(block_, stage);
    if (!norm || !x) return x;
    const Ptr weight = parameter(norm->weight), bias = norm->has_bias ? parameter(norm->bias) : nullptr;
    Values y(x->shape());
    const ConstMatrixMap<T> rows = all_rows(*x);
    normalise<T>(work_, norm->settings, numbers(weight, bias), rows,
                 MatrixMap<T>(y.data(), rows.rows(), rows.cols()));
    return shared(std::move(y));
  }
  BlockGradients<T> norm_backward(Stage stage, const Values& d_y) const {
    const Stage to = input_of(stage);
    const auto norm = norm_at(block_, stage);
    BlockGradients<T> found;
    if (!norm) {  // the stage is the last rows of X
      found.stages.emplace_back(to, as_last_rows(d_y, at(to)->shape()));
      return found;
    }
    const Ptr weight = parameter(norm->weight), bias = norm->has_bias ? parameter(norm->bias) : nullptr;
    const Ptr x = stage == Stage::MlpNorm && parallel_ ? stream() : at(to);
    NormGradients<T> d =
        normalise_backward<T>(work_, norm->settings, numbers(weight, bias), all_rows(*x), all_rows(d_y));
    found.stages.emplace_back(to, as_last_rows(std::move(d.x).reshaped(x->shape()), at(to)->shape()));
    if (weight) found.parameters[norm->weight] = shared(std::move(d.weight));
    if (bias) found.parameters[norm->bias] = shared(std::move(d.bias));
    return found;
  }
  /// The stage that the norm reads.
  Stage input_of(Stage stage) const {
    switch (stage) {
      case Stage::OutputNorm: return Stage::Output;
      case Stage::StreamNorm: return Stage::Residual;
      case Stage::MlpNorm: return parallel_ ? Stage::Position : Stage::StreamNorm;
      case Stage::MlpOutputNorm: return Stage::Down;
      case Stage::BlockOutput: return Stage::MlpResidual;
      default: return Stage::Position;
    }
  }
  static NormParameters<T> numbers(const Ptr& weight, const Ptr& bias) {
    NormParameters<T> parameters;
    if (weight) parameters.weight = weight->values();
    if (bias) parameters.bias = bias->values();
    return parameters;
  }

  const Work& work_;
  const BlockRun<T>& run_;
  const BlockSettings& block_;
  bool parallel_;
};

}  // namespace block_stages

template <class T>
TensorPtrOf<T> run_block_stage(const Work& work, Stage stage, const BlockRun<T>& run) {
  return block_stages::Around<T>(work, run).forward(stage);
}

template <class T>
BlockGradients<T> block_stage_backward(const Work& work, Stage stage, const BlockRun<T>& run,
                                       const TensorOf<T>& d_stage) {
  return block_stages::Around<T>(work, run).backward(stage, d_stage);
}

template TensorPtr run_block_stage(const Work&, Stage, const BlockRun<float>&);
template TensorPtrOf<double> run_block_stage(const Work&, Stage, const BlockRun<double>&);
template BlockGradients<float> block_stage_backward(const Work&, Stage, const BlockRun<float>&,
                                                    const Tensor&);
template BlockGradients<double> block_stage_backward(const Work&, Stage, const BlockRun<double>&,
                                                     const TensorOf<double>&);

}  // namespace attnscope
