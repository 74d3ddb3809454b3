#include "core/models/run_stack.hpp"

#include <algorithm>
#include <numeric>

#include "core/blocks/norm_rows.hpp"
#include "core/models/apply_changes.hpp"
#include "core/models/block_math.hpp"
#include "core/models/head_pictures.hpp"
#include "core/models/stack_problem.hpp"
#include "core/models/staged_attention.hpp"

namespace attnscope {
namespace {

class StackRunner {
 public:
  StackRunner(const Model& model, const StackSpec& spec, const StackWeights& weights,
              const RunRequest& request, const StackContext& context, std::int64_t first, StackRun& run,
              const Work& work)
      : spec_(spec),
        weights_(weights),
        request_(request),
        context_(context),
        first_(first),
        run_(run),
        work_(work),
        d_(model.spec.d_model),
        all_(run.hidden[0].rows()),
        rows_(all_ - first),
        operators_(work.device != nullptr ? *work.device : here_),
        math_(spec, length(), work, operators_) {
    own_ = model.spec.encoder && &spec == &*model.spec.encoder ? AttentionOf::Encoder : AttentionOf::Decoder;
  }

  void run() {
    run_.hidden.resize(spec_.blocks.size() + 1);
    run_.attention.resize(spec_.blocks.size());
    if (spec_.cross) run_.cross.resize(spec_.blocks.size());
    FloatRows stream{};  // only for operators that are not on the CPU
    if (!operators_.is_here()) {
      stream = operators_.make(RowBuffer::Stream, rows_, d_);
      operators_.bring(work_, new_rows(run_.hidden[context_.first_block]), stream);
    }
    for (std::size_t i = context_.first_block; i < spec_.blocks.size(); ++i) {
      KeptRows& next = run_.hidden[i + 1];
      next.width = d_;
      next.resize(all_);
      const FloatRows kept = new_rows(next);
      if (operators_.is_here()) {
        operators_.copy(work_, new_rows(run_.hidden[i]), kept);
        pass_block(i, kept);
      } else {
        pass_block(i, stream);
        operators_.fetch(work_, stream, kept);
      }
    }
    run_.normed.width = d_;
    run_.normed.resize(all_);
    const FloatRows normed = new_rows(run_.normed);
    if (operators_.is_here())
      math_.norm(weights_.final_norm, new_rows(run_.hidden.back()), normed);
    else
      operators_.fetch(work_, math_.normed(weights_.final_norm, stream), normed);
  }

 private:
  FloatRows new_rows(KeptRows& kept) const { return {kept.row(first_), rows_, kept.width, kept.width}; }

  /// The sequence length for rotary positions. Where the model has none, only changed blocks rotate, by the
  /// numbers of the rows; see rotary_positions().
  std::int64_t length() const {
    if (!is_rotary(spec_.positions())) return all_;
    const auto last = std::ranges::max_element(context_.positions);
    return last == context_.positions.end() ? all_ : *last + 1;
  }

  /// x [rows][d_model], changed in place.
  void pass_block(std::size_t i, const FloatRows& x) {
    const BlockWeights& block = weights_.blocks[i];
    const BlockChange change = change_of(request_.changes, own_, i);
    const FloatRows out = attend(i, math_.normed(block.attention_norm, x));
    BlockParts parts{change.attention_off, change.mlp_off, {}};
    if (spec_.cross) parts.cross = [&](const FloatRows& in) { return attend_to_encoder(i, in); };
    math_.finish(block, x, out, parts);
  }

  /// Concatenated maps, from rows [0, rows) of x to rows [first, …) of `kept`; `prepare` finishes the rows
  /// where the operators keep them.
  template <class Prepare>
  void project(std::span<const LinearMap> maps, const ConstFloatRows& x, std::int64_t first, KeptRows& kept,
               const Prepare& prepare) const {
    kept.width = 0;
    for (const LinearMap& map : maps) kept.width += map.d_out();
    kept.resize(first + x.rows);
    const FloatRows here{kept.row(first), x.rows, kept.width, kept.width};
    const FloatRows made =
        operators_.is_here() ? here : operators_.make(RowBuffer::Projected, x.rows, kept.width);
    math_.project(maps, x, made);
    prepare(made);
    if (!operators_.is_here()) operators_.fetch(work_, made, here);
    kept.device = operators_.keep(work_, kept.device, first, made);
  }
  void project(std::span<const LinearMap> maps, const ConstFloatRows& x, std::int64_t first,
               KeptRows& kept) const {
    project(maps, x, first, kept, [](const FloatRows&) {});
  }

  /// Lets the problem read rows on the device that computed them.
  static void read_on_device(const KeptRows& kept, HeadRows& rows) {
    if (!kept.device) return;
    rows.first = rows.data - kept.row(0);
    rows.whole = kept.device;
    rows.owner = kept.device;
  }

  FloatRows attend(std::size_t i, const FloatRows& x) {
    const AttentionWeights& weights = weights_.blocks[i].attention;
    AttentionRun& run = run_.attention[i];
    const BlockChange change = change_of(request_.changes, own_, i);
    run.layer = change.attention ? changed_layer(spec_.blocks[i], change) : nullptr;
    run.staged = {};
    if (run.layer && !is_swept(*run.layer)) return attend_staged(i, change, x);
    const LayerSpec& layer = layer_of(spec_, run, i);
    std::vector<std::int64_t> own;  // positions of a changed block
    if (run.layer && is_rotary(layer.positions))
      own = rotary_positions({spec_, weights_, i, change}, context_.positions, {first_, all_});
    project(weights.maps, x, first_, run.queries, [&](const FloatRows& made) {
      math_.prepare_heads(layer, weights, own.empty() ? context_.positions : own, made);
    });
    const ChangedAttention changed{request_.changes, own_, i, context_.mask};
    const auto from = [&](std::int64_t first) {
      BlockProblem made = self_problem(spec_, weights_, i, run, first, context_.mask);
      change_problem(request_.changes, own_, i, made.problem);
      for (HeadRows* rows : {&made.problem.query, &made.problem.key, &made.problem.value})
        read_on_device(run.queries, *rows);
      return made;
    };
    return mix(from, changed, run, weights.output);
  }

  /// With settings that are not swept: all rows are new, see looks_ahead().
  FloatRows attend_staged(std::size_t i, const BlockChange& change, const FloatRows& x) {
    const AttentionWeights& weights = weights_.blocks[i].attention;
    AttentionRun& run = run_.attention[i];
    project(weights.maps, x, first_, run.queries);
    run.queries.device = {};
    run.staged =
        stage_attention({spec_, weights_, i, change}, context_.positions, context_.mask, run.queries, work_);
    BlockProblem made = self_problem(spec_, weights_, i, run, 0, context_.mask);
    change_problem(request_.changes, own_, i, made.problem);
    SweepRequest request;
    request.received = request_.received;
    if (request_.picture_side > 0) request.picture = picture_cells(all_, all_, request_.picture_side);
    sweep_ = sweep_of(*run.staged, request, work_);
    change_heads({request_.changes, own_, i, context_.mask}, made.problem, sweep_, work_);
    run.pictures = {};
    if (request.picture) run.pictures.seen = seen_cells(*run.staged, *request.picture);
    return keep_and_mix(made.problem, 0, request, run, weights.output);
  }

  FloatRows attend_to_encoder(std::size_t i, const FloatRows& x) {
    const BlockWeights& block = weights_.blocks[i];
    AttentionRun& run = run_.cross[i];
    const KeptRows& encoder = *context_.encoder;
    project({&block.cross_query, 1}, x, first_, run.queries);
    if (run.keys.rows() == 0) project_encoder(block.cross.maps, encoder, run.keys);
    const ChangedAttention changed{request_.changes, AttentionOf::Cross, i, {}};
    const auto from = [&](std::int64_t first) {
      BlockProblem made = cross_problem(spec_, weights_, i, run, first, context_.encoder_mask);
      change_problem(request_.changes, AttentionOf::Cross, i, made.problem);
      read_on_device(run.queries, made.problem.query);
      read_on_device(run.keys, made.problem.key);
      read_on_device(run.keys, made.problem.value);
      return made;
    };
    const FloatRows out = mix(from, changed, run, block.cross.output);
    if (change_of(request_.changes, AttentionOf::Cross, i).attention_off) operators_.clear(work_, out);
    return out;
  }

  void project_encoder(std::span<const LinearMap> maps, const KeptRows& encoder, KeptRows& keys) const {
    const ConstFloatRows rows{encoder.row(0), encoder.rows(), encoder.width, encoder.width};
    if (operators_.is_here()) {
      project(maps, rows, 0, keys);
      return;
    }
    const FloatRows brought = operators_.make(RowBuffer::Other, rows.rows, rows.width);
    operators_.bring(work_, rows, brought);
    project(maps, brought, 0, keys);
  }

  /// The concatenated outputs of the heads times W_O. `from` makes the problem of queries [first, …).
  template <class Problem>
  FloatRows mix(const Problem& from, const ChangedAttention& changed, AttentionRun& run,
                const LinearMap& output) {
    const BlockProblem made = from(first_);
    SweepRequest request;
    // For earlier rows it is kept, or computed again with them.
    const bool received_of_all = request_.received && first_ > 0 && run.received.size() == 0;
    request.received = request_.received && !received_of_all;
    if (received_of_all) sweep_received(from(0), changed, run.received);
    std::int64_t first_picture = -1;
    bool follows = false;
    if (request_.picture_side > 0) {
      const PooledCells cells = picture_cells(all_, made.problem.keys, request_.picture_side);
      first_picture = first_picture_row(run.pictures, cells, first_);
      follows = operators_.is_here() && !changed.patterns() && can_follow(run.pictures, cells, first_, rows_);
      keep_following(run.pictures, first_picture, follows ? first_ : first_picture);
      if (follows) catch_up(from(first_picture), cells, run.pictures.following);
      if (follows || first_picture == first_)
        request.picture = cells;
      else
        sweep_pictures(from(first_picture), changed, first_picture, cells, run.pictures);
    }
    if (follows)
      sweep_following(sweep_, made.problem, request, run.pictures.following, work_);
    else
      operators_.sweep(work_, sweep_, made.problem, request);
    change_heads(changed, made.problem, sweep_, work_);
    return keep_and_mix(made.problem, first_picture, request, run, output);
  }

  /// Keeps what was requested of the sweep; its heads times W_O.
  FloatRows keep_and_mix(const AttentionProblem& problem, std::int64_t first_picture,
                         const SweepRequest& request, AttentionRun& run, const LinearMap& output) {
    const Sweep& sweep = sweep_;
    if (request.picture) keep_pictures(sweep, first_picture, run.pictures);
    if (request.received) keep_received(sweep.received, run.received);
    if (request_.entropy) keep_entropy(sweep.entropy, run.entropy);
    const std::int64_t heads = problem.heads, d_v = problem.d_v;
    const FloatRows beside = operators_.make(RowBuffer::Heads, rows_, heads * d_v);
    operators_.concat_heads(work_, sweep_.output, beside);
    return math_.output(output, beside);
  }

  void sweep_received(const BlockProblem& made, const ChangedAttention& changed, Tensor& received) const {
    SweepRequest request;
    request.output = false;
    request.received = true;
    Sweep sweep;
    operators_.sweep(work_, sweep, made.problem, request);
    change_heads(changed, made.problem, sweep, work_);
    received = std::move(sweep.received);
  }

  /// Computes cells that new rows share with rows computed before.
  void sweep_pictures(const BlockProblem& made, const ChangedAttention& changed, std::int64_t first,
                      const PooledCells& cells, HeadPictures& kept) const {
    SweepRequest request;
    request.output = false;
    request.picture = cells;
    Sweep sweep;
    operators_.sweep(work_, sweep, made.problem, request);
    change_heads(changed, made.problem, sweep, work_);
    keep_pictures(sweep, first, kept);
  }

  /// Adds the rows computed before that share a row of cells with new ones: all of the problem's rows before
  /// the first new one, except those already in `kept`.
  void catch_up(const BlockProblem& made, const PooledCells& cells, KeptCellRows& kept) const {
    kept.make_room(made.problem.heads, cells, request_.picture_side * cells.keys_per_cell);
    SweepRequest request;
    request.output = false;
    request.picture = cells;
    Sweep sweep;
    for (const std::int64_t last = made.problem.queries - rows_; kept.rows() < last;) {
      request.rows = {kept.rows(), std::min(last, kept.rows() + most_following(cells)), 1};
      sweep_following(sweep, made.problem, request, kept, work_);
    }
  }

  /// Adds columns to [heads][rows].
  void keep_entropy(const Tensor& fresh, Tensor& kept) const {
    const std::int64_t heads = fresh.shape()[0];
    Tensor all(Shape{heads, all_});
    if (first_ > 0 && kept.size() == heads * first_)
      all.matrix().leftCols(first_) = std::as_const(kept).matrix();
    all.matrix().rightCols(rows_) = fresh.matrix();
    kept = std::move(all);
  }

  /// Adds the sums of the new queries to [heads][keys].
  void keep_received(const Tensor& fresh, Tensor& kept) const {
    Tensor all = fresh;
    if (first_ > 0 && kept.size() > 0) all.matrix().leftCols(kept.shape()[1]) += std::as_const(kept).matrix();
    kept = std::move(all);
  }

  const StackSpec& spec_;
  const StackWeights& weights_;
  const RunRequest& request_;
  const StackContext& context_;
  std::int64_t first_;
  StackRun& run_;
  const Work& work_;
  std::int64_t d_, all_, rows_;
  CpuRows here_;
  RowOperators& operators_;
  BlockMath math_;
  AttentionOf own_ = AttentionOf::Decoder;
  Sweep sweep_;  // reused by all blocks
};

}  // namespace

std::vector<std::int64_t> token_positions(const ModelSpec& spec, const ModelInput& input,
                                          std::int64_t first) {
  std::vector<std::int64_t> positions(input.ids.size());
  if (!input.positions.empty()) {
    // OPT counts given positions from 0, too; RoBERTa as they stand in its table.
    const std::int64_t zero = spec.positions_skip_hidden ? spec.first_position : 0;
    positions = {input.positions.begin() + first, input.positions.end()};
    for (std::int64_t& position : positions) position += zero;
    return positions;
  }
  if (spec.positions_skip_hidden) {
    std::int64_t seen = 0;
    for (std::size_t i = 0; i < positions.size(); ++i)  // a hidden token has the place before the first
      positions[i] = spec.first_position - 1 + (input.mask.empty() || input.mask[i] != 0 ? ++seen : 0);
  } else if (spec.padding_id) {
    std::int64_t seen = 0;
    for (std::size_t i = 0; i < positions.size(); ++i)
      positions[i] = input.ids[i] == *spec.padding_id ? *spec.padding_id : *spec.padding_id + ++seen;
  } else {
    std::iota(positions.begin(), positions.end(), spec.first_position);
  }
  return {positions.begin() + first, positions.end()};
}

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
