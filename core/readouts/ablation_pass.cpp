#include "core/readouts/ablation_pass.hpp"

#include <algorithm>
#include <utility>

#include "core/models/run_heads.hpp"
#include "core/models/run_stack.hpp"

namespace attnscope {
namespace {

// Rows that pass a block together: enough for the products to run at full speed.
constexpr std::int64_t most_rows = 4096;

int first_block(const HeadSet& set) { return std::ranges::min_element(set, {}, &HeadPlace::block)->block; }

/// Versions that are under way together.
class Batch {
 public:
  Batch(const AblationPass& pass, const Work& work)
      : pass_(pass),
        model_(pass.model),
        spec_(*pass.model.spec.decoder),
        weights_(pass.model.decoder),
        run_(pass.base.decoder),
        work_(work),
        n_(pass.base.decoder.hidden[0].rows()),
        d_(pass.model.spec.d_model) {
    if (spec_.positions != ModelPositions::Rotary) return;
    positions_ = token_positions(model_.spec, pass.base.input);
    frequencies_ = rope_frequencies(spec_.rope, std::ranges::max(positions_) + 1);
  }

  /// All of block `b`; `joining` begin here.
  void pass_block(std::size_t b, std::vector<const HeadSet*> joining) {
    const bool last = b + 1 == spec_.blocks.size() && !pass_.all_rows;
    const std::int64_t rows = last ? 1 : n_;
    const auto under_way = std::ssize(sets_);
    Tensor heads = mixed_heads(b, pass_.kind == AblationKind::Mean ? n_ : rows, std::ssize(joining));
    sets_.insert(sets_.end(), joining.begin(), joining.end());
    ablate(b, heads);
    keep_last_rows(rows, heads);
    join(b, under_way, rows);
    add_block(b, heads, rows);
  }

  const Tensor& stream() const { return stream_; }  // [versions · rows][d_model]
  std::int64_t rows_of_each() const { return stream_.shape()[0] / std::ssize(sets_); }

 private:
  std::int64_t versions() const { return std::ssize(sets_); }

  /// Heads side by side before W_O, [(versions + joining) · queries][heads · d_k]: of those under way
  /// computed, of the others as they were in the run.
  Tensor mixed_heads(std::size_t b, std::int64_t queries, std::int64_t joining) const {
    const std::int64_t count = spec_.blocks[b].heads, d_k = spec_.blocks[b].d_k, live = versions();
    Tensor all(Shape{(live + joining) * queries, count * d_k});
    const auto put = [&](std::int64_t version, std::int64_t h, const ConstMatrixMap<float>& rows) {
      all.matrix().block(version * queries, h * d_k, queries, d_k) = rows;
    };
    if (live > 0) {
      const Tensor swept = attend(b, queries);
      for (std::int64_t v = 0; v < live; ++v)
        for (std::int64_t h = 0; h < count; ++h) put(v, h, swept.matrix(v * count + h));
    }
    if (joining == 0) return all;
    const Tensor base =
        head_outputs(model_, pass_.base, AttentionOf::Decoder, b, {.begin = n_ - queries, .end = n_}, work_);
    for (std::int64_t v = live; v < live + joining; ++v)
      for (std::int64_t h = 0; h < count; ++h) put(v, h, base.matrix(h));
    return all;
  }

  /// Attention of the versions under way as one problem with so many times the heads; [versions · heads]
  /// [queries][d_k], of the last `queries` rows.
  Tensor attend(std::size_t b, std::int64_t queries) const {
    const AttentionSpec& of = spec_.blocks[b];
    const AttentionWeights& weights = weights_.blocks[b].attention;
    const std::int64_t live = versions(), d_k = of.d_k;
    const Tensor in = normed(weights_.blocks[b].attention_norm, stream_);
    Tensor made(Shape{live * n_, weights.columns.width});
    std::int64_t column = 0;
    for (const LinearMap& map : weights.maps) {
      multiply(work_, {in.data(), live * n_, d_, d_}, map,
               {made.data() + column, live * n_, map.d_out(), weights.columns.width});
      column += map.d_out();
    }
    prepare(b, weights.columns.query, of.heads, weights.query_norm, made);
    prepare(b, weights.columns.key, of.kv_heads, weights.key_norm, made);
    const Tensor query = gathered(made, weights.columns.query, weights.columns.stride, of.heads, d_k),
                 key = gathered(made, weights.columns.key, weights.columns.stride, of.kv_heads, d_k),
                 value = gathered(made, weights.columns.value, weights.columns.stride, of.kv_heads, d_k);
    BlockProblem problem = self_problem(spec_, weights_, b, run_.attention[b], n_ - queries, {});
    AttentionProblem& p = problem.problem;
    p.heads *= live;
    p.kv_heads *= live;
    p.query = {query.data() + (n_ - queries) * d_k, n_ * d_k, d_k};
    p.key = {key.data(), n_ * d_k, d_k};
    p.value = {value.data(), n_ * d_k, d_k};
    std::vector<float> biases;
    if (!p.distance_bias.empty()) {
      for (std::int64_t v = 0; v < live; ++v)
        biases.insert(biases.end(), problem.distance_bias.begin(), problem.distance_bias.end());
      p.distance_bias = biases;
    }
    return std::move(sweep(p, {}, work_).output);
  }

  /// Norms of the heads of queries or keys, and rotary positions, in rows as the maps make them.
  void prepare(std::size_t b, std::int64_t column, std::int64_t heads, const NormWeights& norm,
               Tensor& rows) const {
    const std::int64_t d_k = spec_.blocks[b].d_k, stride = weights_.blocks[b].attention.columns.stride;
    const std::int64_t count = rows.shape()[0], width = rows.shape()[1];
    if (spec_.head_norms) {
      Tensor all(Shape{count * heads, d_k});
      const auto each = [&](auto&& fn) {
        for (std::int64_t i = 0; i < count * heads; ++i)
          fn(rows.data() + i / heads * width + column + i % heads * stride, all.data() + i * d_k);
      };
      each([&](const float* head, float* copy) { std::copy_n(head, d_k, copy); });
      apply_norm(work_, {NormKind::RootMeanSquare, spec_.norm.epsilon, false}, norm, all.data(),
                 count * heads, d_k, all.data());
      each([&](float* head, const float* copy) { std::copy_n(copy, d_k, head); });
    }
    if (spec_.positions != ModelPositions::Rotary || !spec_.blocks[b].rotary) return;
    std::vector<std::int64_t> positions;
    for (std::int64_t v = 0; v < count / n_; ++v)
      positions.insert(positions.end(), positions_.begin(), positions_.end());
    rotate_in_place(work_, spec_.rope, frequencies_, positions,
                    {rows.data() + column, count, heads, width, stride});
  }

  /// [versions][heads][n][d_k].
  Tensor gathered(const Tensor& rows, std::int64_t column, std::int64_t stride, std::int64_t heads,
                  std::int64_t d_k) const {
    const std::int64_t width = rows.shape()[1];
    Tensor out(Shape{versions() * heads, n_, d_k});
    work_.for_each(versions() * heads, static_cast<double>(n_ * d_k) / 2, [&](std::int64_t vh) {
      for (std::int64_t i = 0; i < n_; ++i)
        std::copy_n(rows.data() + (vh / heads * n_ + i) * width + column + vh % heads * stride, d_k,
                    out.data() + (vh * n_ + i) * d_k);
    });
    return out;
  }

  void ablate(std::size_t b, Tensor& heads) const {
    const std::int64_t d_k = spec_.blocks[b].d_k, queries = heads.shape()[0] / versions();
    for (std::int64_t v = 0; v < versions(); ++v)
      for (const HeadPlace& place : *sets_[static_cast<std::size_t>(v)]) {
        if (!std::cmp_equal(place.block, b)) continue;
        auto rows = heads.matrix().block(v * queries, place.head * d_k, queries, d_k);
        if (pass_.kind == AblationKind::Zero) {
          rows.setZero();
          continue;
        }
        const Eigen::RowVectorXf mean = rows.cast<double>().colwise().mean().cast<float>();
        rows.rowwise() = mean;
      }
  }

  /// Of each version.
  void keep_last_rows(std::int64_t rows, Tensor& all) const {
    const std::int64_t have = all.shape()[0] / versions(), width = all.shape()[1];
    if (have == rows) return;
    Tensor kept(Shape{versions() * rows, width});
    for (std::int64_t v = 0; v < versions(); ++v)
      kept.matrix().middleRows(v * rows, rows) =
          std::as_const(all).matrix().middleRows((v + 1) * have - rows, rows);
    all = std::move(kept);
  }

  /// The stream of those under way (their last rows), and of the others as it enters the block in the run.
  void join(std::size_t b, std::int64_t under_way, std::int64_t rows) {
    Tensor all(Shape{versions() * rows, d_});
    for (std::int64_t v = 0; v < versions(); ++v) {
      const float* const from =
          v < under_way ? stream_.data() + ((v + 1) * n_ - rows) * d_ : run_.hidden[b].row(n_ - rows);
      std::copy_n(from, rows * d_, all.data() + v * rows * d_);
    }
    stream_ = std::move(all);
  }

  void norm(const NormWeights& with, const float* x, float* y, std::int64_t rows) const {
    if (with.exists())
      apply_norm(work_, spec_.norm, with, x, rows, d_, y);
    else if (x != y)
      std::copy_n(x, rows * d_, y);
  }
  Tensor normed(const NormWeights& with, const Tensor& x) const {
    Tensor y(x.shape());
    norm(with, x.data(), y.data(), x.shape()[0]);
    return y;
  }
  Tensor product(const Tensor& x, const LinearMap& map) const {
    Tensor y(Shape{x.shape()[0], map.d_out()});
    multiply(work_, {x.data(), x.shape()[0], x.shape()[1], x.shape()[1]}, map,
             {y.data(), x.shape()[0], map.d_out(), map.d_out()});
    return y;
  }
  Tensor transformed(const BlockWeights& block, const Tensor& x) const {
    Tensor inner = product(x, block.gate ? *block.gate : block.up);
    if (block.gate) {
      const Tensor up = product(x, block.up);
      gate_all<float>(work_, spec_.activation, inner.matrix(), up.matrix());
    } else {
      activate_all<float>(work_, spec_.activation, inner.matrix());
    }
    return product(inner, block.down);
  }
  void add(const Tensor& more) {
    for (std::int64_t i = 0; i < more.size(); ++i) stream_.data()[i] += more.data()[i];
  }

  /// What a block does with the heads' outputs, as run_stack() does it.
  void add_block(std::size_t b, const Tensor& heads, std::int64_t rows) {
    const BlockWeights& block = weights_.blocks[b];
    const std::int64_t count = versions() * rows;
    const bool sandwich = spec_.arrangement == Arrangement::Sandwich,
               after = spec_.arrangement == Arrangement::PostNorm;
    Tensor out = product(heads, block.attention.output);
    if (sandwich) norm(block.after_attention_norm, out.data(), out.data(), count);
    if (spec_.arrangement == Arrangement::Parallel) {
      const Tensor beside = transformed(block, normed(block.mlp_norm, stream_));
      add(out);
      add(beside);
      return;
    }
    if (spec_.residual_after_norm) stream_ = normed(block.attention_norm, stream_);
    add(out);
    if (after) norm(block.after_attention_norm, stream_.data(), stream_.data(), count);
    Tensor in = normed(block.mlp_norm, stream_);
    out = transformed(block, in);
    if (spec_.residual_after_norm) stream_ = std::move(in);
    if (sandwich) norm(block.after_mlp_norm, out.data(), out.data(), count);
    add(out);
    if (after) norm(block.after_mlp_norm, stream_.data(), stream_.data(), count);
  }

  const AblationPass& pass_;
  const Model& model_;
  const StackSpec& spec_;
  const StackWeights& weights_;
  const StackRun& run_;
  const Work& work_;
  std::int64_t n_, d_;
  std::vector<std::int64_t> positions_;
  RopeFrequencies frequencies_;
  std::vector<const HeadSet*> sets_;  // of the versions under way
  Tensor stream_;                     // [versions · n][d_model]
};

}  // namespace

void pass_ablations(const AblationPass& pass, std::span<const HeadSet> sets,
                    const std::function<void(std::size_t, const Tensor&)>& give, AblationProgress* progress,
                    const Work& work) {
  std::vector<std::size_t> order(sets.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return first_block(sets[i]); });
  const std::size_t blocks = pass.base.decoder.hidden.size() - 1;
  const auto at_once =
      static_cast<std::size_t>(std::max<std::int64_t>(1, most_rows / pass.base.decoder.hidden[0].rows()));
  if (progress != nullptr) {
    std::int64_t total = 0;
    for (const HeadSet& set : sets) total += static_cast<std::int64_t>(blocks) - first_block(set);
    progress->done = 0;
    progress->total = total;
  }
  for (std::size_t begin = 0; begin < order.size(); begin += at_once) {
    const std::size_t end = std::min(begin + at_once, order.size());
    Batch batch(pass, work);
    std::size_t joined = begin;
    for (auto b = static_cast<std::size_t>(first_block(sets[order[begin]])); b < blocks; ++b) {
      std::vector<const HeadSet*> joining;
      for (; joined < end && std::cmp_equal(first_block(sets[order[joined]]), b); ++joined)
        joining.push_back(&sets[order[joined]]);
      batch.pass_block(b, std::move(joining));
      if (progress != nullptr) progress->done += static_cast<std::int64_t>(joined - begin);
    }
    const std::int64_t rows = batch.rows_of_each(), d = batch.stream().shape()[1];
    for (std::size_t i = begin; i < end; ++i) {
      const float* const from = batch.stream().data() + static_cast<std::int64_t>(i - begin) * rows * d;
      give(order[i], Tensor(Shape{rows, d}, {from, from + rows * d}));
    }
  }
}

}  // namespace attnscope
