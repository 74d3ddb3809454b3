#include "core/models/run_stack.hpp"

#include <algorithm>
#include <cstring>

#include "core/attention/blocks.hpp"
#include "core/models/stack_problem.hpp"

namespace attnscope {
namespace {

class StackRunner {
 public:
  StackRunner(const Model& model, const StackSpec& spec, const StackWeights& weights,
              const RunRequest& request, const StackContext& context, std::int64_t first, StackRun& run,
              const Work& work)
      : model_(model),
        spec_(spec),
        weights_(weights),
        request_(request),
        context_(context),
        first_(first),
        run_(run),
        work_(work) {
    d_ = model.spec.d_model;
    all_ = run.hidden[0].rows();
    rows_ = all_ - first;
    if (spec.positions == ModelPositions::Rotary) {
      const auto last = std::max_element(context.positions.begin(), context.positions.end());
      frequencies_ = rope_frequencies(spec.rope, last == context.positions.end() ? all_ : *last + 1);
    }
  }

  void run() {
    run_.hidden.resize(spec_.blocks.size() + 1);
    run_.attention.resize(spec_.blocks.size());
    if (spec_.cross) run_.cross.resize(spec_.blocks.size());
    for (std::size_t i = 0; i < spec_.blocks.size(); ++i) {
      KeptRows& next = run_.hidden[i + 1];
      next.width = d_;
      next.resize(all_);
      const float* from = run_.hidden[i].row(first_);
      std::copy_n(from, rows_ * d_, next.row(first_));
      pass_block(i, next.row(first_));
    }
    run_.normed.width = d_;
    run_.normed.resize(all_);
    norm(weights_.final_norm, run_.hidden.back().row(first_), run_.normed.row(first_));
  }

 private:
  /// The rows as they come where there is no norm.
  void norm(const NormWeights& weights, const float* x, float* y) const {
    if (weights.exists())
      apply_norm(work_, spec_.norm, weights, x, rows_, d_, y);
    else if (x != y)
      std::copy_n(x, rows_ * d_, y);
  }
  Tensor normed(const NormWeights& weights, const float* x) const {
    Tensor y(Shape{rows_, d_});
    norm(weights, x, y.data());
    return y;
  }
  void add(const Tensor& more, float* x) const {
    for (std::int64_t i = 0; i < rows_ * d_; ++i) x[i] += more.data()[i];
  }

  /// x [rows][d_model], changed in place.
  void pass_block(std::size_t i, float* x) {
    const BlockWeights& block = weights_.blocks[i];
    const bool after = spec_.arrangement == Arrangement::PostNorm,
               sandwich = spec_.arrangement == Arrangement::Sandwich;
    Tensor in = normed(block.attention_norm, x);
    Tensor out = attend(i, in);
    if (sandwich) norm(block.after_attention_norm, out.data(), out.data());
    if (spec_.arrangement == Arrangement::Parallel) {
      const Tensor beside = transform(block, normed(block.mlp_norm, x));
      add(out, x);
      add(beside, x);
      return;
    }
    if (spec_.residual_after_norm) std::copy_n(in.data(), rows_ * d_, x);
    add(out, x);
    if (after) norm(block.after_attention_norm, x, x);
    if (spec_.cross) add(attend_to_encoder(i, normed(block.cross_norm, x)), x);
    in = normed(block.mlp_norm, x);
    if (spec_.residual_after_norm) std::copy_n(in.data(), rows_ * d_, x);
    out = transform(block, in);
    if (sandwich) norm(block.after_mlp_norm, out.data(), out.data());
    add(out, x);
    if (after) norm(block.after_mlp_norm, x, x);
  }

  Tensor product(const Tensor& x, const LinearMap& map) const {
    Tensor y(Shape{rows_, map.d_out()});
    multiply(work_, {x.data(), rows_, x.shape()[1], x.shape()[1]}, map,
             {y.data(), rows_, map.d_out(), map.d_out()});
    return y;
  }

  Tensor transform(const BlockWeights& block, const Tensor& x) const {
    Tensor inner = product(x, block.gate ? *block.gate : block.up);
    if (block.gate) {
      const Tensor up = product(x, block.up);
      gate_all<float>(work_, spec_.activation, inner.matrix(), up.matrix());
    } else {
      activate_all<float>(work_, spec_.activation, inner.matrix());
    }
    return product(inner, block.down);
  }

  /// Maps side by side, of rows [0, rows) of x into rows [first, …) of `kept`.
  void project(const std::vector<LinearMap>& maps, const ConstFloatRows& x, std::int64_t first,
               KeptRows& kept) const {
    kept.width = 0;
    for (const LinearMap& map : maps) kept.width += map.d_out();
    kept.resize(first + x.rows);
    std::int64_t column = 0;
    for (const LinearMap& map : maps) {
      multiply(work_, x, map, {kept.row(first) + column, x.rows, map.d_out(), kept.width});
      column += map.d_out();
    }
  }

  Tensor attend(std::size_t i, const Tensor& x) {
    const AttentionWeights& weights = weights_.blocks[i].attention;
    AttentionRun& run = run_.attention[i];
    project(weights.maps, {x.data(), rows_, d_, d_}, first_, run.queries);
    prepare_heads(i, run.queries);
    const BlockProblem made = self_problem(spec_, weights_, i, run, first_, context_.mask);
    return mix(made, i, run, weights.output, true);
  }

  Tensor attend_to_encoder(std::size_t i, const Tensor& x) {
    const BlockWeights& block = weights_.blocks[i];
    AttentionRun& run = run_.cross[i];
    const KeptRows& encoder = *context_.encoder;
    if (run.keys.rows() == 0)
      project(block.cross.maps, {encoder.row(0), encoder.rows(), encoder.width, encoder.width}, 0, run.keys);
    project({block.cross_query}, {x.data(), rows_, d_, d_}, first_, run.queries);
    return mix(cross_problem(spec_, weights_, i, run, first_, context_.encoder_mask), i, run,
               block.cross.output, false);
  }

  /// Norms of queries and keys, and rotary positions.
  void prepare_heads(std::size_t i, KeptRows& rows) const {
    const AttentionSpec& of = spec_.blocks[i];
    const AttentionWeights& weights = weights_.blocks[i].attention;
    const HeadColumns& columns = weights.columns;
    const HeadsInRows queries{rows.row(first_) + columns.query, rows_, of.heads, rows.width, columns.stride};
    const HeadsInRows keys{rows.row(first_) + columns.key, rows_, of.kv_heads, rows.width, columns.stride};
    if (spec_.head_norms) {
      norm_heads(queries, weights.query_norm, of.d_k);
      norm_heads(keys, weights.key_norm, of.d_k);
    }
    if (spec_.positions != ModelPositions::Rotary || !of.rotary) return;
    rotate_in_place(work_, spec_.rope, frequencies_, context_.positions, queries);
    rotate_in_place(work_, spec_.rope, frequencies_, context_.positions, keys);
  }

  void norm_heads(const HeadsInRows& heads, const NormWeights& weights, std::int64_t d_k) const {
    const NormSettings settings{NormKind::RootMeanSquare, spec_.norm.epsilon, false};
    Tensor head(Shape{heads.rows * heads.heads, d_k});
    const auto each = [&](auto&& fn) {
      for (std::int64_t row = 0; row < heads.rows; ++row)
        for (std::int64_t h = 0; h < heads.heads; ++h)
          fn(heads.data + row * heads.row_stride + h * heads.head_stride,
             head.data() + (row * heads.heads + h) * d_k);
    };
    each([&](const float* in_place, float* copy) { std::copy_n(in_place, d_k, copy); });
    apply_norm(work_, settings, weights, head.data(), head.shape()[0], d_k, head.data());
    each([&](float* in_place, const float* copy) { std::copy_n(copy, d_k, in_place); });
  }

  /// The heads' outputs side by side, times W_O.
  Tensor mix(const BlockProblem& made, std::size_t i, AttentionRun& run, const LinearMap& output,
             bool may_ablate) {
    SweepRequest request;
    request.received = request_.received;
    const Sweep sweep = attnscope::sweep(made.problem, request, work_);
    if (request_.received) keep_received(sweep.received, run.received);
    if (request_.entropy) keep_entropy(sweep.entropy, run.entropy);
    const std::int64_t heads = made.problem.heads, d_v = made.problem.d_v;
    Tensor side_by_side(Shape{rows_, heads * d_v});
    for (std::int64_t h = 0; h < heads; ++h) {
      if (may_ablate && is_ablated(i, h)) continue;
      side_by_side.matrix().middleCols(h * d_v, d_v) = sweep.output.matrix(h);
    }
    return product(side_by_side, output);
  }

  bool is_ablated(std::size_t block, std::int64_t head) const {
    if (spec_.cross || &spec_ == (model_.spec.decoder ? &*model_.spec.decoder : &*model_.spec.encoder))
      return std::ranges::find(request_.ablated,
                               AblatedHead{static_cast<int>(block), static_cast<int>(head)}) !=
             request_.ablated.end();
    return false;
  }

  /// [heads][rows] grows by columns.
  void keep_entropy(const Tensor& fresh, Tensor& kept) const {
    const std::int64_t heads = fresh.shape()[0];
    Tensor all(Shape{heads, all_});
    if (first_ > 0 && kept.size() == heads * first_)
      all.matrix().leftCols(first_) = std::as_const(kept).matrix();
    all.matrix().rightCols(rows_) = fresh.matrix();
    kept = std::move(all);
  }

  /// [heads][keys]: what the new queries give is added.
  void keep_received(const Tensor& fresh, Tensor& kept) const {
    Tensor all = fresh;
    if (first_ > 0 && kept.size() > 0) all.matrix().leftCols(kept.shape()[1]) += std::as_const(kept).matrix();
    kept = std::move(all);
  }

  const Model& model_;
  const StackSpec& spec_;
  const StackWeights& weights_;
  const RunRequest& request_;
  const StackContext& context_;
  std::int64_t first_, d_ = 0, all_ = 0, rows_ = 0;
  StackRun& run_;
  const Work& work_;
  RopeFrequencies frequencies_;
};

}  // namespace

void apply_norm(const Work& work, const NormSettings& settings, const NormWeights& weights, const float* x,
                std::int64_t rows, std::int64_t width, float* y) {
  normalise<float>(work, settings, {weights.weight, weights.bias}, {x, rows, width}, {y, rows, width});
}

void run_stack(const Model& model, const StackSpec& spec, const StackWeights& weights,
               const RunRequest& request, const StackContext& context, std::int64_t first, StackRun& run,
               const Work& work) {
  StackRunner(model, spec, weights, request, context, first, run, work).run();
}

}  // namespace attnscope
