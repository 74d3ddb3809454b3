#include "core/readouts/score_split.hpp"

#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/models/run_heads.hpp"
#include "core/readouts/head_turn.hpp"
#include "core/readouts/norm_view.hpp"

namespace attnscope {
namespace {

using Vector = Eigen::VectorXd;

/// How a row of the residual stream becomes a head's query or key: norm, map, head norm, rotation.
class HeadSide {
 public:
  HeadSide(const Model& model, const ModelRun& run, const ScoreQuestion& asked, bool query)
      : model_(model), run_(run), asked_(asked), stack_(stack_of(model, run, asked.of)), query_(query) {
    const BlockWeights& block = stack_.weights.blocks[asked.block];
    const LayerSpec& of = layer();
    const HeadColumns& columns = block.attention.columns;
    const std::int64_t head = query ? asked.head : asked.head / (of.heads / of.kv_heads);
    d_k_ = of.d_k;
    const std::int64_t column = (query ? columns.query : columns.key) + head * columns.stride;
    std::tie(map_, bias_) = read_map(block.attention.maps, column, d_k_);
    const std::int64_t d = model.spec.d_model;
    const std::vector<double> weight = norm_weight(stack_.spec.norm(), block.attention_norm, d),
                              add = norm_bias(block.attention_norm, d);
    from_norm_bias_ = map_.matrix() * Eigen::Map<const Vector>(add.data(), d);
    for (std::int64_t c = 0; c < d; ++c) map_.matrix().col(c) *= weight[static_cast<std::size_t>(c)];
    ones_ = map_.matrix().rowwise().sum();
    if (of.qk_norm.kind == QkNorm::Kind::None) return;
    head_norm_ = query ? &block.attention.query_norm : &block.attention.key_norm;
    if (!norms_all_heads(of.qk_norm)) return;
    first_ = head * d_k_;
    const std::int64_t heads = query ? of.heads : of.kv_heads;
    std::tie(all_, all_bias_) =
        read_map(block.attention.maps, query ? columns.query : columns.key, heads * d_k_);
  }

  /// 1 / √(… + ε) of the block's norm in a row.
  double norm_scale(std::int64_t row) const { return scale_of(row).norm.inverse; }

  std::vector<StreamPart> parts() const {
    std::vector<StreamPart> parts = parts_of_stream(at());
    using enum StreamPart::Kind;
    for (const StreamPart::Kind kind : {Centring, NormBias, Bias}) parts.push_back({.kind = kind});
    return parts;
  }

  /// Calls visit(part, row, [d_k]) with each part mapped to the head's space, for rows [begin, end).
  void each(std::int64_t begin, std::int64_t end, const VisitPart& visit, const Work& work) const {
    const HeadTurn turn(model_, run_, asked_.of, asked_.block, begin, end,
                        query_ ? RotationOf::Queries : RotationOf::Keys, work);
    std::vector<RowScale> scales;
    for (std::int64_t row = begin; row < end; ++row) scales.push_back(scale_of(row));
    std::vector<double> value;
    const auto give = [&](std::size_t part, std::int64_t row, double factor, auto&& numbers) {
      const RowScale& scale = scales[static_cast<std::size_t>(row - begin)];
      value.resize(static_cast<std::size_t>(d_k_));
      for (std::size_t c = 0; c < value.size(); ++c)
        value[c] = numbers[static_cast<Eigen::Index>(c)] * factor * scale.head[static_cast<Eigen::Index>(c)];
      turn.turn(row, value);
      visit(part, row, value);
    };
    project_stream(
        at(), map_, begin, end,
        [&](std::size_t part, std::int64_t row, std::span<const double> numbers) {
          give(part, row, scales[static_cast<std::size_t>(row - begin)].norm.inverse,
               Eigen::Map<const Vector>(numbers.data(), std::ssize(numbers)));
        },
        work);
    const std::size_t extra = parts_of_stream(at()).size();
    for (std::int64_t row = begin; row < end; ++row) {
      const RowStatistics& norm = scales[static_cast<std::size_t>(row - begin)].norm;
      give(extra, row, -norm.mean * norm.inverse, ones_);
      give(extra + 1, row, 1, from_norm_bias_);
      give(extra + 2, row, 1, bias_);
    }
  }

 private:
  struct RowScale {
    RowStatistics norm;
    Vector head;  // [d_k] scale times weight of the head's own norm
  };

  StreamAt at() const { return {model_, run_, asked_.of, asked_.block}; }
  const LayerSpec& layer() const {
    return layer_of(stack_.spec, stack_.run.attention[asked_.block], asked_.block);
  }

  /// `count` rows of the concatenated maps from `column` on, and their bias.
  static std::pair<TensorOf<double>, Vector> read_map(const std::vector<LinearMap>& maps, std::int64_t column,
                                                      std::int64_t count) {
    for (const LinearMap& map : maps) {
      if (column < map.d_out()) {
        const std::vector<double> bias = bias_of_map(map, column, count);
        return {rows_of_map(map, column, count), Eigen::Map<const Vector>(bias.data(), count)};
      }
      column -= map.d_out();
    }
    return {};
  }

  RowScale scale_of(std::int64_t row) const {
    const NormWeights& norm = stack_.weights.blocks[asked_.block].attention_norm;
    const std::int64_t d = model_.spec.d_model;
    const float* const x = stack_.run.hidden[asked_.block].row(row);
    RowScale scale{fixed_norm(stack_.spec.norm(), norm, std::span(x, static_cast<std::size_t>(d))),
                   Vector::Ones(d_k_)};
    if (head_norm_ == nullptr) return scale;
    const Vector raw =
        (map_.matrix() * Eigen::Map<const Eigen::VectorXf>(x, d).cast<double>() - ones_ * scale.norm.mean) *
            scale.norm.inverse +
        from_norm_bias_ + bias_;
    const NormSettings settings = norm_settings(layer().qk_norm);
    const Vector normed = all_.size() > 0 ? of_all_heads(x, scale.norm) : raw;
    const RowStatistics own = row_statistics(
        settings, std::span<const double>(normed.data(), static_cast<std::size_t>(normed.size())));
    const std::vector<double> weight = norm_weight(settings, *head_norm_, normed.size());
    scale.head = Eigen::Map<const Vector>(weight.data() + first_, d_k_) * own.inverse;
    return scale;
  }

  /// The queries, or keys, of all heads of a row x of the stream.
  Vector of_all_heads(const float* x, const RowStatistics& norm) const {
    const std::int64_t d = model_.spec.d_model;
    const NormWeights& before = stack_.weights.blocks[asked_.block].attention_norm;
    const std::vector<double> weight = norm_weight(stack_.spec.norm(), before, d), add = norm_bias(before, d);
    Vector in = Eigen::Map<const Eigen::VectorXf>(x, d).cast<double>();
    in = (in.array() - norm.mean) * norm.inverse * Eigen::Map<const Vector>(weight.data(), d).array() +
         Eigen::Map<const Vector>(add.data(), d).array();
    return all_.matrix() * in + all_bias_;
  }

  const Model& model_;
  const ModelRun& run_;
  const ScoreQuestion& asked_;
  const StackView stack_;
  const bool query_;
  std::int64_t d_k_ = 1;
  TensorOf<double> map_;  // [d_k][d_model], times the norm's weight
  Vector ones_, from_norm_bias_, bias_;
  const NormWeights* head_norm_ = nullptr;
  // Of a norm over all heads: the map of all of them, as it is stored, and the head's first place.
  TensorOf<double> all_;  // [heads · d_k][d_model], or empty
  Vector all_bias_;
  std::int64_t first_ = 0;
};

/// The parts of one row, [parts][d_k].
TensorOf<double> parts_of_row(const HeadSide& side, std::size_t parts, std::int64_t d_k, std::int64_t row,
                              const Work& work) {
  TensorOf<double> all(Shape{static_cast<std::int64_t>(parts), d_k});
  side.each(
      row, row + 1,
      [&](std::size_t part, std::int64_t, std::span<const double> value) {
        std::ranges::copy(value, all.data() + static_cast<std::int64_t>(part) * d_k);
      },
      work);
  return all;
}

void check_question(const Model& model, const ModelRun& run, const ScoreQuestion& asked) {
  if (asked.of == AttentionOf::Cross)
    throw Error("A score of attention to an encoder has parts of two streams; only self-attention is split.");
  if (asked.of == AttentionOf::Encoder ? !model.spec.encoder : !model.spec.decoder)
    throw Error(fmt::format("{} has no such stack.", model.spec.family));
  const StackView stack = stack_of(model, run, asked.of);
  check_is_sum(stack.spec, model.spec.family);
  if (asked.block < stack.run.attention.size()) {
    const AttentionRun& attention = stack.run.attention[asked.block];
    if (attention.staged)
      throw Error(fmt::format(
          "Layer {} has settings that are computed stage by stage, such as linear attention, a pattern or a "
          "painted mask; its scores are not split into parts.",
          asked.block));
    if (layer_of(stack.spec, attention, asked.block).qk_norm.kind == QkNorm::Kind::Layer)
      throw Error(fmt::format(
          "The norm of the queries and keys of layer {} subtracts their mean; its scores are not split into "
          "parts.",
          asked.block));
  }
  const std::int64_t rows = stack.run.hidden[0].rows();
  if (asked.block >= stack.spec.blocks.size() || asked.head < 0 ||
      asked.head >= stack.spec.blocks[asked.block].heads)
    throw Error(fmt::format("There is no head {}.{}.", asked.block, asked.head));
  if (asked.query < 0 || asked.query >= rows || asked.key < 0 || asked.key >= rows)
    throw Error(fmt::format("There is no query {} with a key {}; the text has {} tokens.", asked.query,
                            asked.key, rows));
}

}  // namespace

ScoreSplit split_score(const Model& model, const ModelRun& run, const ScoreQuestion& asked,
                       const Work& work) {
  check_question(model, run, asked);
  const BlockProblem made = problem_of(model, run, asked.of, asked.block);
  const AttentionProblem& p = made.problem;
  const auto hidden = [&](std::int64_t key) { return is_hidden(p, asked.head, asked.query, key); };
  if (hidden(asked.key))
    throw Error(fmt::format("Query {} may not see key {}: the mask hides it.", asked.query, asked.key));
  const HeadSide queries(model, run, asked, true), keys(model, run, asked, false);
  ScoreSplit split;
  split.query_parts = split.key_parts = queries.parts();
  const std::size_t parts = split.query_parts.size();
  TensorOf<double> q = parts_of_row(queries, parts, p.d_k, asked.query, work),
                   k = parts_of_row(keys, parts, p.d_k, asked.key, work);
  const std::int64_t key_head = p.kv_head(asked.head);
  const auto score = [&](std::int64_t key) {
    double sum = 0;
    for (std::int64_t c = 0; c < p.d_k; ++c)
      sum += static_cast<double>(p.query.row(asked.head, asked.query)[c]) *
             static_cast<double>(p.key.row(key_head, key)[c]);
    return sum * p.scale;
  };
  const std::int64_t end = visible(p, asked.head, asked.query).end,
                     begin = visible(p, asked.head, asked.query).begin;
  split.allowed = allowed_keys(p, asked.head, asked.query);
  const auto allowed = static_cast<double>(split.allowed);
  split.scale = p.scale;
  const StackView stack = stack_of(model, run, asked.of);
  split.rotated = is_rotary(layer_of(stack.spec, stack.run.attention[asked.block], asked.block).positions);
  split.query_norm = queries.norm_scale(asked.query);
  split.key_norm = keys.norm_scale(asked.key);
  split.raw = split.score = score(asked.key);
  for (std::int64_t key = begin; key < end; ++key)
    if (!hidden(key)) split.mean += score(key) / allowed;
  if (asked.over_mean) {
    split.score -= split.mean;
    keys.each(
        begin, end,
        [&](std::size_t part, std::int64_t row, std::span<const double> value) {
          if (hidden(row)) return;
          for (std::size_t c = 0; c < value.size(); ++c)
            k.matrix()(static_cast<Eigen::Index>(part), static_cast<Eigen::Index>(c)) -= value[c] / allowed;
        },
        work);
  }
  split.cells = TensorOf<double>(Shape{std::ssize(split.query_parts), std::ssize(split.key_parts)});
  split.cells.matrix().noalias() = q.matrix() * k.matrix().transpose() * p.scale;
  return split;
}

}  // namespace attnscope
