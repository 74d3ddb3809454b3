#include "core/readouts/ablation_pass.hpp"

#include <algorithm>
#include <utility>

#include "core/models/block_math.hpp"
#include "core/models/run_heads.hpp"
#include "core/models/run_stack.hpp"

namespace attnscope {
namespace {

// Rows that pass through a block together: enough for the products to run at full speed.
constexpr std::int64_t most_rows = 4096;

int first_block(const HeadSet& set) { return std::ranges::min_element(set, {}, &HeadPlace::block)->block; }

/// The versions that are computed together.
class Batch {
 public:
  Batch(const AblationPass& pass, std::span<const HeadSet> all, const Work& work)
      : pass_(pass),
        all_(all),
        model_(pass.model),
        of_(output_attention(pass.model.spec)),
        spec_(stack_of(pass.model, pass.base, of_).spec),
        weights_(stack_of(pass.model, pass.base, of_).weights),
        run_(pass.base.last(pass.model)),
        work_(work),
        n_(run_.hidden[0].rows()),
        d_(pass.model.spec.d_model),
        positions_(is_rotary(spec_.positions()) ? token_positions(model_.spec, pass.base.input)
                                                : std::vector<std::int64_t>()),
        math_(spec_, positions_.empty() ? n_ : std::ranges::max(positions_) + 1, work, operators_) {}

  /// Passes block `b`; the sets `joining` start here.
  void pass_block(std::size_t b, std::vector<const HeadSet*> joining) {
    const bool last = b + 1 == spec_.blocks.size() && !pass_.all_rows;
    const RowRange all{.begin = 0, .end = n_},
        rows = last ? RowRange{.begin = pass_.row, .end = pass_.row + 1} : all;
    const auto under_way = std::ssize(sets_);
    const RowRange mixed = pass_.patch == nullptr && pass_.kind == AblationKind::Mean ? all : rows;
    Tensor heads = mixed_heads(b, mixed, std::ssize(joining));
    sets_.insert(sets_.end(), joining.begin(), joining.end());
    if (pass_.patch != nullptr)
      patch(b, mixed, heads);
    else
      ablate(b, heads);
    keep_rows(rows, heads);
    join(b, under_way, rows);
    add_block(b, heads);
  }

  const Tensor& stream() const { return stream_; }  // [versions · rows][d_model]
  std::int64_t rows_of_each() const { return stream_.shape()[0] / versions(); }

 private:
  std::int64_t versions() const { return std::ssize(sets_); }
  static FloatRows rows_in(Tensor& all) {
    return {all.data(), all.shape()[0], all.shape()[1], all.shape()[1]};
  }
  static std::int64_t count(const RowRange& rows) { return rows.end - rows.begin; }

  /// The concatenated heads before W_O, [(versions + joining) · rows][heads · d_k]: computed for the current
  /// versions, taken from the run for the joining ones.
  Tensor mixed_heads(std::size_t b, const RowRange& rows, std::int64_t joining) {
    const std::int64_t heads = spec_.blocks[b].heads, live = versions();
    Tensor all(Shape{(live + joining) * count(rows), heads * spec_.blocks[b].d_k});
    if (live > 0) put(attend(b, rows), 0, live, all);
    if (joining == 0) return all;
    const Tensor base = head_outputs(model_, pass_.base, of_, b, rows, work_);
    for (std::int64_t v = live; v < live + joining; ++v) put(base, v, 1, all);
    return all;
  }

  /// Copies the output of a sweep, [versions · heads][rows][d_k], to the rows of versions [first, …).
  static void put(const Tensor& swept, std::int64_t first, std::int64_t versions, Tensor& all) {
    const std::int64_t heads = swept.shape()[0] / versions, rows = swept.shape()[1], d_k = swept.shape()[2];
    for (std::int64_t v = 0; v < versions; ++v)
      for (std::int64_t h = 0; h < heads; ++h)
        all.matrix().block((first + v) * rows, h * d_k, rows, d_k) = swept.matrix(v * heads + h);
  }

  /// The attention of the current versions as one problem with heads for each version; [versions ·
  /// heads][rows][d_k].
  Tensor attend(std::size_t b, const RowRange& rows) {
    const LayerSpec& of = spec_.blocks[b];
    const AttentionWeights& weights = weights_.blocks[b].attention;
    const HeadColumns& columns = weights.columns;
    const std::int64_t live = versions(), d_k = of.d_k;
    Tensor made(Shape{live * n_, columns.width});
    math_.project(weights.maps, math_.normed(weights_.blocks[b].attention_norm, rows_in(stream_)),
                  rows_in(made));
    math_.prepare_heads(of, weights, positions_of(live), rows_in(made));
    const Tensor query = gathered(made, columns.query, columns.stride, of.heads, d_k),
                 key = gathered(made, columns.key, columns.stride, of.kv_heads, d_k),
                 value = gathered(made, columns.value, columns.stride, of.kv_heads, d_k);
    BlockProblem problem = self_problem(spec_, weights_, b, run_.attention[b], 0, {});
    AttentionProblem& p = problem.problem;
    p.heads *= live;
    p.kv_heads *= live;
    p.query = {query.data(), n_ * d_k, d_k};
    p.key = {key.data(), n_ * d_k, d_k};
    p.value = {value.data(), n_ * d_k, d_k};
    std::vector<float> sinks;
    for (std::int64_t v = 0; v < live; ++v)
      sinks.insert(sinks.end(), weights.sinks.begin(), weights.sinks.end());
    p.sinks = sinks;
    std::vector<float> biases;
    if (!p.distance_bias.empty()) {
      for (std::int64_t v = 0; v < live; ++v)
        biases.insert(biases.end(), problem.distance_bias.begin(), problem.distance_bias.end());
      p.distance_bias = biases;
    }
    SweepRequest request;
    request.rows = rows;
    return std::move(sweep(p, request, work_).output);
  }

  /// Attention to the encoder, whose keys all versions share: each head's queries of all versions become
  /// heads that share keys. x [versions · rows][d_model].
  FloatRows attend_to_encoder(std::size_t b, const FloatRows& x) {
    const BlockWeights& block = weights_.blocks[b];
    const std::int64_t heads = spec_.blocks[b].heads, d_k = spec_.blocks[b].d_k, rows = x.rows / versions();
    Tensor made(Shape{x.rows, heads * d_k});
    math_.project({&block.cross_query, 1}, x, rows_in(made));
    Tensor query(Shape{heads * x.rows, d_k});  // [heads][versions][rows]
    for (std::int64_t h = 0; h < heads; ++h)
      query.matrix().middleRows(h * x.rows, x.rows) = std::as_const(made).matrix().middleCols(h * d_k, d_k);
    BlockProblem problem = cross_problem(spec_, weights_, b, run_.cross[b], 0, {});
    AttentionProblem& p = problem.problem;
    p.heads = heads * versions();
    p.queries = rows;
    p.query = {query.data(), rows * d_k, d_k};
    const Tensor swept = sweep(p, {}, work_).output;
    for (std::int64_t h = 0; h < heads; ++h)
      made.matrix().middleCols(h * d_k, d_k) =
          ConstMatrixMap<float>(swept.data() + h * x.rows * d_k, x.rows, d_k);
    return math_.output(block.cross.output, rows_in(made));
  }

  /// The positions of the rows of so many versions.
  std::span<const std::int64_t> positions_of(std::int64_t versions) {
    while (std::ssize(repeated_) < versions * std::ssize(positions_))
      repeated_.insert(repeated_.end(), positions_.begin(), positions_.end());
    return std::span(repeated_).first(static_cast<std::size_t>(versions) * positions_.size());
  }

  /// Rearranges rows to [versions][heads][n][d_k].
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

  /// Calls fn(version, head) for every head of this block that is ablated or patched.
  template <class Fn>
  void each_place(std::size_t b, Fn&& fn) const {
    for (std::int64_t v = 0; v < versions(); ++v)
      for (const HeadPlace& place : *sets_[static_cast<std::size_t>(v)])
        if (std::cmp_equal(place.block, b)) fn(v, place.head);
  }

  /// Patches heads [versions · rows][heads · d_k] in the rows of `range`.
  void patch(std::size_t b, const RowRange& range, Tensor& heads) const {
    const std::int64_t d_k = spec_.blocks[b].d_k, rows = count(range);
    Tensor others;
    each_place(b, [&](std::int64_t v, std::int64_t head) {
      if (others.size() == 0) others = head_outputs(model_, pass_.patch->from, of_, b, range, work_);
      const std::int64_t row =
          pass_.patch->rows[static_cast<std::size_t>(sets_[static_cast<std::size_t>(v)] - all_.data())];
      if (row >= 0 && (row < range.begin || row >= range.end)) return;
      const std::int64_t first = row < 0 ? 0 : row - range.begin, patched = row < 0 ? rows : 1;
      heads.matrix().block(v * rows + first, head * d_k, patched, d_k) =
          std::as_const(others).matrix(head).middleRows(first, patched);
    });
  }

  void ablate(std::size_t b, Tensor& heads) const {
    const std::int64_t d_k = spec_.blocks[b].d_k, queries = heads.shape()[0] / versions();
    each_place(b, [&](std::int64_t v, std::int64_t head) {
      auto rows = heads.matrix().block(v * queries, head * d_k, queries, d_k);
      if (pass_.kind == AblationKind::Zero) {
        rows.setZero();
        return;
      }
      const Eigen::RowVectorXf mean = rows.cast<double>().colwise().mean().cast<float>();
      rows.rowwise() = mean;
    });
  }

  /// Keeps only `rows` of each version.
  void keep_rows(const RowRange& rows, Tensor& all) const {
    const std::int64_t have = all.shape()[0] / versions(), width = all.shape()[1], kept = count(rows);
    if (have == kept) return;
    Tensor left(Shape{versions() * kept, width});
    for (std::int64_t v = 0; v < versions(); ++v)
      left.matrix().middleRows(v * kept, kept) =
          std::as_const(all).matrix().middleRows(v * have + rows.begin, kept);
    all = std::move(left);
  }

  /// Puts the joining versions' stream, the run's at the input of the block, behind that of the current ones.
  void join(std::size_t b, std::int64_t under_way, const RowRange& rows) {
    const std::int64_t kept = count(rows);
    Tensor all(Shape{versions() * kept, d_});
    for (std::int64_t v = 0; v < versions(); ++v) {
      const float* const from =
          v < under_way ? stream_.data() + (v * n_ + rows.begin) * d_ : run_.hidden[b].row(rows.begin);
      std::copy_n(from, kept * d_, all.data() + v * kept * d_);
    }
    stream_ = std::move(all);
  }

  void add_block(std::size_t b, Tensor& heads) {
    const BlockWeights& block = weights_.blocks[b];
    BlockParts parts;
    if (spec_.cross) parts.cross = [&](const FloatRows& x) { return attend_to_encoder(b, x); };
    math_.finish(block, rows_in(stream_), math_.output(block.attention.output, rows_in(heads)), parts);
  }

  const AblationPass& pass_;
  std::span<const HeadSet> all_;
  const Model& model_;
  AttentionOf of_;
  const StackSpec& spec_;
  const StackWeights& weights_;
  const StackRun& run_;
  const Work& work_;
  std::int64_t n_, d_;
  std::vector<std::int64_t> positions_, repeated_;  // of one version and of many; empty without RoPE
  CpuRows operators_;
  BlockMath math_;
  std::vector<const HeadSet*> sets_;  // of the current versions
  Tensor stream_;                     // [versions · n][d_model]
};

}  // namespace

void pass_ablations(const AblationPass& pass, std::span<const HeadSet> sets,
                    const std::function<void(std::size_t, const Tensor&)>& give, AblationProgress* progress,
                    const Work& work) {
  std::vector<std::size_t> order(sets.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return first_block(sets[i]); });
  const std::vector<KeptRows>& hidden = pass.base.last(pass.model).hidden;
  const std::size_t blocks = hidden.size() - 1;
  const auto at_once = static_cast<std::size_t>(std::max<std::int64_t>(1, most_rows / hidden[0].rows()));
  if (progress != nullptr) {
    std::int64_t total = 0;
    for (const HeadSet& set : sets) total += static_cast<std::int64_t>(blocks) - first_block(set);
    progress->done = 0;
    progress->total = total;
  }
  for (std::size_t begin = 0; begin < order.size(); begin += at_once) {
    const std::size_t end = std::min(begin + at_once, order.size());
    Batch batch(pass, sets, work);
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
