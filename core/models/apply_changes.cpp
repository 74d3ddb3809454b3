#include "core/models/apply_changes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/attention/intervention.hpp"
#include "core/attention/row_math.hpp"
#include "core/base/error.hpp"
#include "core/models/head_pictures.hpp"
#include "core/models/staged_attention.hpp"

namespace attnscope {
namespace {

using ChangeKind = HeadChange::Kind;

/// Which queries of its problem a sweep computes, and their rows in the run.
struct SweptRows {
  RowRange range;
  std::int64_t count, offset;
  std::int64_t query(std::int64_t r) const { return range.begin + r * range.step; }
  std::int64_t row(std::int64_t r) const { return offset + query(r); }
};

/// Σ w_j v_j, summed in double.
void mix_row(const AttentionProblem& p, std::int64_t head, std::span<const float> weights, float* out) {
  const std::int64_t of = p.kv_head(head);
  std::vector<double> sum(static_cast<std::size_t>(p.d_v));
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] == 0) continue;
    const float* const value = p.value.row(of, static_cast<std::int64_t>(j));
    for (std::size_t k = 0; k < sum.size(); ++k)
      sum[k] += static_cast<double>(weights[j]) * static_cast<double>(value[k]);
  }
  std::ranges::transform(sum, out, [](double x) { return static_cast<float>(x); });
}

/// Fills the head's picture from its changed pattern.
void change_picture(const HeadChange& change, const AttentionProblem& p, const SweptRows& rows,
                    Sweep& sweep) {
  const std::int64_t cells = sweep.mean.shape()[1] * sweep.mean.shape()[2],
                     first = (change.head - sweep.first_head) * cells;
  std::vector<float> weights(static_cast<std::size_t>(p.keys));
  const auto row = [&](std::int64_t r) {
    fill_pattern_row(change, p, rows.query(r), weights);
    return std::span<const float>(weights);
  };
  pool_rows(p.keys, rows.count, *sweep.picture, row, sweep.mean.data() + first,
            sweep.max.size() == 0 ? nullptr : sweep.max.data() + first);
}

void change_weights(const HeadChange& change, const AttentionProblem& p, const SweptRows& rows, Sweep& sweep,
                    const Work& work) {
  const std::int64_t at = change.head - sweep.first_head;
  const double ns = static_cast<double>(p.keys * (p.d_v + 2));
  work.for_each(rows.count, ns, [&](std::int64_t r) {
    std::vector<float> weights(static_cast<std::size_t>(p.keys));
    fill_pattern_row(change, p, rows.query(r), weights);
    if (sweep.output.size() > 0)
      mix_row(p, change.head, weights, sweep.output.data() + (at * rows.count + r) * p.d_v);
    sweep.entropy.data()[at * rows.count + r] = static_cast<float>(entropy_of_weights(weights));
    sweep.largest.data()[at * rows.count + r] = std::ranges::max(weights);
  });
  if (sweep.picture) change_picture(change, p, rows, sweep);
  if (sweep.received.size() == 0) return;
  std::vector<float> weights(static_cast<std::size_t>(p.keys));
  const auto row = [&](std::int64_t r) {
    if (p.real_queries >= 0 && rows.query(r) >= p.real_queries) return std::span<const float>();
    fill_pattern_row(change, p, rows.query(r), weights);
    return std::span<const float>(weights);
  };
  sum_received(p.keys, rows.count, row, sweep.received.data() + at * p.keys);
}

/// The mean of a head's output over the tokens of the text, [d_v].
std::vector<float> mean_output(const ChangedAttention& of, const HeadChange& change,
                               const AttentionProblem& p, const SweptRows& rows, const Sweep& sweep,
                               const Work& work) {
  Sweep all;
  const Sweep* from = &sweep;
  std::int64_t head = change.head - sweep.first_head;
  if (rows.count != p.queries) {
    SweepRequest request;
    request.first_head = change.head;
    request.last_head = change.head + 1;
    all = of.staged != nullptr ? sweep_of(*of.staged, {}, work) : attnscope::sweep(p, request, work);
    if (const HeadChange* pattern = pattern_change(of.changes, of.of, of.block, change.head))
      change_weights(*pattern, p, {all.rows, p.queries, p.offset}, all, work);
    from = &all;
    head = change.head - all.first_head;
  }
  std::vector<double> sum(static_cast<std::size_t>(p.d_v));
  double count = 0;
  for (std::int64_t i = 0; i < p.queries; ++i) {
    if (!of.mask.empty() && of.mask[static_cast<std::size_t>(p.offset + i)] == 0) continue;
    for (std::size_t k = 0; k < sum.size(); ++k)
      sum[k] += static_cast<double>(from->output.matrix(head)(i, static_cast<Eigen::Index>(k)));
    ++count;
  }
  std::vector<float> mean(sum.size());
  std::ranges::transform(sum, mean.begin(),
                         [&](double x) { return static_cast<float>(x / std::max(count, 1.0)); });
  return mean;
}

void change_output(const ChangedAttention& of, const HeadChange& change, const AttentionProblem& p,
                   const SweptRows& rows, Sweep& sweep, const Work& work) {
  std::vector<float> mean;
  if (change.kind == ChangeKind::Mean) mean = mean_output(of, change, p, rows, sweep, work);
  auto output = sweep.output.matrix(change.head - sweep.first_head);
  for (std::int64_t r = 0; r < rows.count; ++r) {
    const std::int64_t row = rows.row(r);
    if (!change.rows.empty() && std::ranges::find(change.rows, row) == change.rows.end()) continue;
    if (change.kind == ChangeKind::Replaced && row >= change.tensor->shape()[0])
      throw Error(
          fmt::format("The output that replaces that of head {}.{} has {} rows; row {} was asked for.",
                      change.block, change.head, change.tensor->shape()[0], row));
    if (change.kind == ChangeKind::Zero)
      output.row(r).setZero();
    else
      std::copy_n(change.kind == ChangeKind::Mean ? mean.data() : change.tensor->matrix().row(row).data(),
                  p.d_v, output.row(r).data());
  }
}

}  // namespace

bool ChangedAttention::patterns() const {
  return std::ranges::any_of(changes.heads, [&](const HeadChange& change) {
    return change.of == of && std::cmp_equal(change.block, block) && changes_pattern(change.kind);
  });
}

void change_problem(const ModelChanges& changes, AttentionOf of, std::size_t block, AttentionProblem& p) {
  const BlockChange change = change_of(changes, of, block);
  if (change.mask_off) {
    p.causal = false;
    p.left = p.right = -1;
  }
  if (change.causal) p.causal = true;
  if (change.scale) p.scale = *change.scale;
  p.temperature *= change.temperature;
}

void change_heads(const ChangedAttention& of, const AttentionProblem& problem, Sweep& sweep,
                  const Work& work) {
  const SweptRows rows{sweep.rows, count_rows(sweep.rows, problem.queries), problem.offset};
  const std::int64_t last = sweep.first_head + sweep.entropy.shape()[0];
  for (const HeadChange& change : of.changes.heads) {
    if (change.of != of.of || !std::cmp_equal(change.block, of.block)) continue;
    if (change.head < sweep.first_head || change.head >= last) continue;
    if (changes_pattern(change.kind))
      change_weights(change, problem, rows, sweep, work);
    else if (sweep.output.size() > 0)
      change_output(of, change, problem, rows, sweep, work);
  }
}

void fill_pattern_row(const HeadChange& change, const AttentionProblem& p, std::int64_t i,
                      std::span<float> row) {
  const std::int64_t position = p.offset + i;
  if (change.kind == ChangeKind::Frozen) {
    const Tensor& frozen = *change.tensor;
    if (position >= frozen.shape()[0] || p.keys > frozen.shape()[1])
      throw Error(
          fmt::format("The frozen pattern of head {}.{} has shape {}; the text needs row {} and {} keys.",
                      change.block, change.head, to_string(frozen.shape()), position, p.keys));
    std::copy_n(frozen.matrix().row(position).data(), p.keys, row.data());
    return;
  }
  const auto like = std::ranges::find(changes_in_layer, change.kind, &ChangeInLayer::change);
  fill_replaced_row<float>(
      named_key(like->layer, position), p.keys,
      [&](std::size_t key) { return !is_hidden(p, change.head, i, static_cast<std::int64_t>(key)); }, row);
}

}  // namespace attnscope
