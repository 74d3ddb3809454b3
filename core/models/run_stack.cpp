#include "core/models/run_stack.hpp"

#include <algorithm>
#include <cstring>

#include "core/blocks/norm_rows.hpp"
#include "core/models/apply_changes.hpp"
#include "core/models/head_pictures.hpp"
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
    own_ = model.spec.encoder && &spec == &*model.spec.encoder ? AttentionOf::Encoder : AttentionOf::Decoder;
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
    norm(weights_.final_norm, {run_.hidden.back().row(first_), rows_, d_, d_},
         {run_.normed.row(first_), rows_, d_, d_});
  }

 private:
  /// The rows as they come where there is no norm.
  void norm(const NormWeights& weights, const ConstFloatRows& x, const FloatRows& y) const {
    if (weights.exists()) {
      normalise_rows(work_, spec_.norm, {weights.weight, weights.bias}, x, y);
    } else if (x.data != y.data) {
      for (std::int64_t i = 0; i < x.rows; ++i) std::copy_n(x.row(i), x.width, y.row(i));
    }
  }
  FloatRows normed(const NormWeights& weights, const FloatRows& x) {
    const FloatRows y = normed_.make(rows_, d_);
    norm(weights, x, y);
    return y;
  }
  void add(const FloatRows& more, const FloatRows& x) const {
    work_.for_each(x.rows, static_cast<double>(d_) / 8, [&](std::int64_t i) {
      Eigen::Map<Eigen::ArrayXf>(x.row(i), d_) += Eigen::Map<const Eigen::ArrayXf>(more.row(i), d_);
    });
  }
  void clear(const FloatRows& x) const {
    for (std::int64_t i = 0; i < x.rows; ++i) std::fill_n(x.row(i), x.width, 0.0f);
  }
  void copy(const FloatRows& from, const FloatRows& x) const {
    for (std::int64_t i = 0; i < x.rows; ++i) std::copy_n(from.row(i), d_, x.row(i));
  }

  /// x [rows][d_model], changed in place.
  void pass_block(std::size_t i, float* stream) {
    const BlockWeights& block = weights_.blocks[i];
    const bool after = spec_.arrangement == Arrangement::PostNorm,
               sandwich = spec_.arrangement == Arrangement::Sandwich;
    const BlockChange change = change_of(request_.changes, own_, i);
    const FloatRows x{stream, rows_, d_, d_};
    FloatRows in = normed(block.attention_norm, x);
    FloatRows out = attend(i, in);
    if (sandwich) norm(block.after_attention_norm, out, out);
    if (change.attention_off) clear(out);
    if (spec_.arrangement == Arrangement::Parallel) {
      in = normed(block.mlp_norm, x);
      add(out, x);
      if (!change.mlp_off) add(transform(block, in), x);
      return;
    }
    if (spec_.residual_after_norm) copy(in, x);
    add(out, x);
    if (after) norm(block.after_attention_norm, x, x);
    if (spec_.cross) add(attend_to_encoder(i, normed(block.cross_norm, x)), x);
    in = normed(block.mlp_norm, x);
    if (spec_.residual_after_norm) copy(in, x);
    out = transform(block, in);
    if (sandwich) norm(block.after_mlp_norm, out, out);
    if (change.mlp_off) clear(out);
    add(out, x);
    if (after) norm(block.after_mlp_norm, x, x);
  }

  FloatRows product(const ConstFloatRows& x, const LinearMap& map, SpreadRows& room) const {
    const FloatRows y = room.make(rows_, map.d_out());
    multiply(work_, x, map, y);
    return y;
  }

  FloatRows transform(const BlockWeights& block, const FloatRows& x) {
    const FloatRows inner = product(x, block.gate ? *block.gate : block.up, inner_);
    const MatrixMap<float> all(inner.data, rows_, inner.stride);  // what lies between rows passes too
    if (block.gate) {
      const FloatRows up = product(x, block.up, up_);
      gate_all<float>(work_, spec_.activation, all, ConstMatrixMap<float>(up.data, rows_, up.stride));
    } else {
      activate_all<float>(work_, spec_.activation, all);
    }
    return product(inner, block.down, out_);
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

  FloatRows attend(std::size_t i, const FloatRows& x) {
    const AttentionWeights& weights = weights_.blocks[i].attention;
    AttentionRun& run = run_.attention[i];
    project(weights.maps, x, first_, run.queries);
    prepare_heads(i, run.queries);
    const ChangedAttention changed{request_.changes, own_, i, context_.mask};
    const auto from = [&](std::int64_t first) {
      BlockProblem made = self_problem(spec_, weights_, i, run, first, context_.mask);
      change_problem(request_.changes, own_, i, made.problem);
      return made;
    };
    return mix(from, changed, run, weights.output);
  }

  FloatRows attend_to_encoder(std::size_t i, const FloatRows& x) {
    const BlockWeights& block = weights_.blocks[i];
    AttentionRun& run = run_.cross[i];
    const KeptRows& encoder = *context_.encoder;
    if (run.keys.rows() == 0)
      project(block.cross.maps, {encoder.row(0), encoder.rows(), encoder.width, encoder.width}, 0, run.keys);
    project({block.cross_query}, x, first_, run.queries);
    const ChangedAttention changed{request_.changes, AttentionOf::Cross, i, {}};
    const auto from = [&](std::int64_t first) {
      BlockProblem made = cross_problem(spec_, weights_, i, run, first, context_.encoder_mask);
      change_problem(request_.changes, AttentionOf::Cross, i, made.problem);
      return made;
    };
    const FloatRows out = mix(from, changed, run, block.cross.output);
    if (change_of(request_.changes, AttentionOf::Cross, i).attention_off) clear(out);
    return out;
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

  /// The heads' outputs side by side, times W_O. `from`: the problem of queries [first, …).
  template <class Problem>
  FloatRows mix(const Problem& from, const ChangedAttention& changed, AttentionRun& run,
                const LinearMap& output) {
    const BlockProblem made = from(first_);
    SweepRequest request;
    // Of earlier rows it is kept, or made anew with them.
    const bool received_of_all = request_.received && first_ > 0 && run.received.size() == 0;
    request.received = request_.received && !received_of_all;
    if (received_of_all) sweep_received(from(0), changed, run.received);
    std::int64_t first_picture = -1;
    if (request_.picture_side > 0) {
      const PooledCells cells = picture_cells(all_, made.problem.keys, request_.picture_side);
      first_picture = first_picture_row(run.pictures, cells, first_);
      if (first_picture == first_)
        request.picture = cells;
      else
        sweep_pictures(from(first_picture), changed, first_picture, cells, run.pictures);
    }
    sweep_into(sweep_, made.problem, request, work_);
    change_heads(changed, made.problem, sweep_, work_);
    const Sweep& sweep = sweep_;
    if (request.picture) keep_pictures(sweep, first_picture, run.pictures);
    if (request.received) keep_received(sweep.received, run.received);
    if (request_.entropy) keep_entropy(sweep.entropy, run.entropy);
    const std::int64_t heads = made.problem.heads, d_v = made.problem.d_v;
    const FloatRows beside = beside_.make(rows_, heads * d_v);
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t row = 0; row < rows_; ++row)
        std::copy_n(sweep.output.data() + (h * rows_ + row) * d_v, d_v, beside.row(row) + h * d_v);
    return product(beside, output, out_);
  }

  void sweep_received(const BlockProblem& made, const ChangedAttention& changed, Tensor& received) const {
    SweepRequest request;
    request.output = false;
    request.received = true;
    Sweep sweep = attnscope::sweep(made.problem, request, work_);
    change_heads(changed, made.problem, sweep, work_);
    received = std::move(sweep.received);
  }

  /// Cells that rows computed before share with new ones.
  void sweep_pictures(const BlockProblem& made, const ChangedAttention& changed, std::int64_t first,
                      const PooledCells& cells, HeadPictures& kept) const {
    SweepRequest request;
    request.output = false;
    request.picture = cells;
    Sweep sweep = attnscope::sweep(made.problem, request, work_);
    change_heads(changed, made.problem, sweep, work_);
    keep_pictures(sweep, first, kept);
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
  AttentionOf own_ = AttentionOf::Decoder;
  RopeFrequencies frequencies_;
  // Rooms whose memory serves for all blocks.
  SpreadRows normed_, inner_, up_, out_, beside_;
  Sweep sweep_;
};

}  // namespace

void apply_norm(const Work& work, const NormSettings& settings, const NormWeights& weights, const float* x,
                std::int64_t rows, std::int64_t width, float* y) {
  normalise_rows(work, settings, {weights.weight, weights.bias}, {x, rows, width, width},
                 {y, rows, width, width});
}

void run_stack(const Model& model, const StackSpec& spec, const StackWeights& weights,
               const RunRequest& request, const StackContext& context, std::int64_t first, StackRun& run,
               const Work& work) {
  StackRunner(model, spec, weights, request, context, first, run, work).run();
}

}  // namespace attnscope
