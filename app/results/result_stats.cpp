#include "app/results/result_stats.hpp"

#include <algorithm>
#include <cmath>

#include "app/draw/row_loops.hpp"
#include "app/draw/texture.hpp"
#include "core/analysis/total_variation.hpp"
#include "core/attention/run_stage.hpp"
#include "core/document/known.hpp"

namespace attnscope {

namespace {

/// Calls `each` with every finite value of the head that `see` (query, seen) leaves.
template <class See, class Each>
void for_finite(const ConstMatrixMap<float>& values, See see, Each each) {
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(values.cols()), 1);
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    see(i, seen);
    for (Eigen::Index j = 0; j < values.cols(); ++j) {
      if (seen[static_cast<std::size_t>(j)] == 0) continue;
      if (const float v = values(i, j); std::isfinite(v)) each(v);
    }
  }
}

/// How a differs from b. Where both are the same infinity (hidden in both) the difference is 0.
TensorPtr difference(const Tensor& a, const Tensor& b, Plane::Kind kind) {
  Tensor out(a.shape());
  const auto x = a.values(), y = b.values();
  const auto to = out.values();
  const auto of = [&](float p, float q) {
    if (p == q) return 0.0f;
    if (kind == Plane::Kind::Ratio) return std::log2(std::abs(p)) - std::log2(std::abs(q));
    return kind == Plane::Kind::Magnitude ? std::abs(p - q) : p - q;
  };
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = of(x[i], y[i]);
  return std::make_shared<const Tensor>(std::move(out));
}

/// Which of two tensors stands for a stage's weights where documents mix with different ones.
const TensorPtr& stage_of(const LayerResult& result, Stage stage, bool weights) {
  return result.trace[weights ? weights_stage(result.document) : stage];
}

}  // namespace

ResultStats::~ResultStats() {
  if (error_task_) error_task_->cancel();
}

void ResultStats::compare_with(ResultPtr held) {
  if (held == held_) return;
  held_ = std::move(held);
  held_rule_.reset();
  if (held_) held_rule_.emplace(held_->document, held_->layer().trace);
  forget_differences();
}

void ResultStats::pair_heads(std::int64_t now, std::int64_t held) {
  const std::int64_t heads = held_ ? held_->layer().dimensions.heads : 0;
  if (held < 0 || held >= heads || held == now) now = held = -1;
  if (now == paired_now_ && held == paired_held_) return;
  paired_now_ = now;
  paired_held_ = held;
  forget_differences();
}

void ResultStats::forget_differences() {
  differences_.clear();
  moved_.clear();
  std::erase_if(ranges_, [](const auto& entry) { return std::get<Plane>(entry.first).is_difference(); });
  std::erase_if(histograms_, [](const auto& entry) { return std::get<Plane>(entry.first).is_difference(); });
}

bool ResultStats::can_compare() const {
  if (!held_) return false;
  const Dimensions &a = result_->layer().dimensions, &b = held_->layer().dimensions;
  return a.batch == b.batch && a.heads == b.heads && a.queries == b.queries && a.keys == b.keys;
}

std::vector<Plane> ResultStats::planes() const {
  std::vector<Plane> all = attnscope::planes(result_->layer());
  const Stage weights = weights_stage(result_->document);
  const auto known = [&](Stage stage) { return is_known(result_->document, stage); };
  if (can_compare())
    for (const Stage stage : {Stage::Score, Stage::Scale, Stage::Mask, weights})
      if (known(stage) && is_known(held_->document, stage)) all.emplace_back(stage, Plane::Kind::Difference);
  if (errors_ != nullptr && knows_scores(result_->document))
    for (const Stage stage : {Stage::Score, Stage::Scale, Stage::Mask, weights})
      all.emplace_back(stage, Plane::Kind::Error);
  return all;
}

TensorPtr ResultStats::tensor(Plane plane) {
  if (plane.is_error()) {
    if (!error_task_ && errors_ != nullptr) error_task_ = errors_->start(result_);
    const Trace* errors = error_task_ ? error_task_->result() : nullptr;
    return errors != nullptr ? (*errors)[plane.stage] : nullptr;
  }
  if (!plane.is_difference()) return tensor_of(result_->layer(), plane);
  if (!can_compare()) return nullptr;
  const auto [at, added] = differences_.try_emplace(plane);
  if (!added) return at->second;
  // The weights of A are compared with those of B, whichever kind of attention made them.
  const bool weights = plane.stage == weights_stage(result_->document);
  const TensorPtr& a = stage_of(result_->layer(), plane.stage, weights);
  const TensorPtr& b = stage_of(held_->layer(), plane.stage, weights);
  if (!a || !b || a->shape() != b->shape()) return at->second;
  if (paired_now_ < 0) return at->second = difference(*a, *b, plane.kind);
  Tensor beside(*b);
  for (std::int64_t of = 0; of < a->shape()[0]; ++of)
    beside.matrix(of, paired_now_) = b->matrix(of, paired_held_);
  return at->second = difference(*a, beside, plane.kind);
}

ConstMatrixMap<float> ResultStats::matrix(Plane plane, std::int64_t b, std::int64_t h) {
  if (const TensorPtr there = tensor(plane)) return head_of(*there, b, h);
  if (!nothing_)
    nothing_ = std::make_shared<const Tensor>(
        Shape{result_->layer().dimensions.queries, result_->layer().dimensions.keys});
  return nothing_->matrix();
}

std::uint64_t ResultStats::made_in(Plane plane) const {
  const std::uint64_t own = attnscope::made_in(result_->layer(), plane.stage);
  if (plane.is_error()) return mix_hash(own, result_->ticket);
  if (!plane.is_difference() || !held_) return attnscope::made_in(result_->layer(), plane);
  const std::uint64_t pair =
      static_cast<std::uint64_t>(paired_now_ + 1) << 32 | static_cast<std::uint64_t>(paired_held_ + 1);
  return mix_hash(mix_hash(mix_hash(own, attnscope::made_in(held_->layer(), plane.stage)), held_->ticket),
                  pair);
}

void ResultStats::see(Plane plane, std::int64_t b, std::int64_t h, std::int64_t query,
                      std::span<std::uint8_t> seen) const {
  std::fill(seen.begin(), seen.end(), std::uint8_t{1});
  if (!shows_mask(result_->document, plane)) return;
  rule_.see(b, h, query, seen);
  if (!plane.is_difference() || !held_rule_) return;
  std::vector<std::uint8_t> other(seen.size(), 1);
  held_rule_->see(b, held_head(h), query, other);
  for (std::size_t j = 0; j < seen.size(); ++j) seen[j] |= other[j];
}

const MaskRule& ResultStats::full_rule() {
  if (!full_rule_) full_rule_.emplace(rule_.without_sparsity());
  return *full_rule_;
}

ValueRange ResultStats::range(Plane plane, std::int64_t b, std::int64_t h) {
  if (!tensor(plane)) return {};
  const auto [it, is_new] = ranges_.try_emplace({plane, b, h});
  if (!is_new) return it->second;
  ValueRange range{INFINITY, -INFINITY};
  const ConstMatrixMap<float> values = matrix(plane, b, h);
  const auto keys = static_cast<std::size_t>(values.cols());
  std::vector<std::uint8_t> seen(keys);
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    see(plane, b, h, i, seen);
    widen_range({values.data() + i * values.cols(), keys}, seen, range.low, range.high);
  }
  it->second = range.low <= range.high ? range : ValueRange{};
  return it->second;
}

float ResultStats::smallest_positive(Plane plane, std::int64_t b, std::int64_t h) {
  if (!tensor(plane)) return 1;
  const auto [it, is_new] = smallest_.try_emplace({plane, b, h}, INFINITY);
  float& smallest = it->second;
  if (!is_new) return smallest;
  const auto see_row = [&](std::int64_t i, std::span<std::uint8_t> seen) { see(plane, b, h, i, seen); };
  for_finite(matrix(plane, b, h), see_row, [&](float v) {
    if (v > 0 && v < smallest) smallest = v;
  });
  if (!std::isfinite(smallest)) smallest = 1;
  return smallest;
}

const TotalVariation& ResultStats::moved(std::int64_t b, std::int64_t h) {
  const auto [at, added] = moved_.try_emplace({b, h});
  if (!added) return at->second;
  TotalVariation& moved = at->second;
  const auto a_weights = head_of(*stage_of(result_->layer(), Stage::Softmax, true), b, h);
  const auto b_weights = head_of(*stage_of(held_->layer(), Stage::Softmax, true), b, held_head(h));
  double sum = 0, rows = 0;
  for (Eigen::Index i = 0; i < a_weights.rows(); ++i) {
    const auto keys = static_cast<std::size_t>(a_weights.cols());
    moved.rows.push_back(total_variation({a_weights.row(i).data(), keys}, {b_weights.row(i).data(), keys}));
    if (result_->layer().measures.row(b, h, i).padding ||
        held_->layer().measures.row(b, held_head(h), i).padding)
      continue;
    sum += moved.rows.back();
    ++rows;
  }
  moved.mean = rows > 0 ? sum / rows : 0;
  return moved;
}

float ResultStats::largest(Stage stage) {
  if (largest_[stage]) return *largest_[stage];
  float largest = 0;
  for (const float value : result_->layer().trace[stage]->values())
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  return largest_[stage].emplace(largest == 0 ? 1 : largest);
}

std::int64_t ResultStats::not_finite(Stage stage) {
  if (not_finite_[stage]) return *not_finite_[stage];
  std::int64_t count = 0;
  if (result_->layer().trace[stage])
    for (const float value : result_->layer().trace[stage]->values())
      if (!std::isfinite(value)) ++count;
  return not_finite_[stage].emplace(count);
}

float ResultStats::largest(Projection which, std::int64_t first_column, std::int64_t columns) {
  const auto [at, added] = largest_weights_.try_emplace({which, first_column, columns}, 0.0f);
  if (!added) return at->second;
  if (const TensorPtr& block = result_->document.layer().weights[matrix_of(which)]) {
    const auto values = block->matrix().middleCols(first_column, columns);
    for (Eigen::Index i = 0; i < values.rows(); ++i)
      for (Eigen::Index j = 0; j < columns; ++j)
        if (std::isfinite(values(i, j))) at->second = std::max(at->second, std::abs(values(i, j)));
  }
  if (at->second == 0) at->second = 1;
  return at->second;
}

const Histogram& ResultStats::histogram(Plane plane, std::int64_t b, std::int64_t h, float low, float high,
                                        int bins, bool log) {
  if (!tensor(plane)) return empty_;
  if (histograms_.size() > 64) histograms_.clear();  // a dragged colour bar must not pile them up
  const auto [it, is_new] = histograms_.try_emplace({plane, b, h, low, high, bins, log});
  if (!is_new) return it->second;
  // Before the mask as well the allowed cells count: what is spread is what softmax gets to see.
  const auto see_row = [&](std::int64_t i, std::span<std::uint8_t> seen) {
    if (plane.is_difference()) return see(plane, b, h, i, seen);
    rule_.see(b, h, i, seen);
  };
  HistogramCount count(low, high, bins, log);
  for_finite(matrix(plane, b, h), see_row, [&](float v) { count.add(v); });
  return it->second = std::move(count).finish();
}

const Histogram& ResultStats::picture_histogram(const OfPicture& of) {
  if (picture_histograms_.size() > 64) picture_histograms_.clear();
  const auto [it, is_new] = picture_histograms_.try_emplace(of);
  if (!is_new) return it->second;
  const auto picture_in = [&](const LayerResult& result) {
    const Sweep& known = result.surveys[static_cast<std::size_t>(of.b)]->known;
    return (of.mean ? known.mean : known.largest_cells()).matrix(of.h - known.first_head);
  };
  const auto a = picture_in(result_->layer());
  HistogramCount count(of.low, of.high, of.bins, of.log);
  if (!of.difference) {
    for (const float v : a.reshaped())
      if (v != 0) count.add(v);
  } else if (held_ && held_->layer().is_long()) {
    const auto b = picture_in(held_->layer());
    for (Eigen::Index i = 0; i < a.size() && a.size() == b.size(); ++i)
      if (a.data()[i] != 0 || b.data()[i] != 0) count.add(a.data()[i] - b.data()[i]);
  }
  return it->second = std::move(count).finish();
}

const WeightSpread& ResultStats::weights(std::int64_t b, std::int64_t h) {
  const auto [at, added] = weights_.try_emplace({b, h});
  if (!added) return at->second;
  const auto see_row = [&](std::int64_t i, std::span<std::uint8_t> seen) { rule_.see(b, h, i, seen); };
  at->second = weight_spread(matrix(weights_stage(result_->document), b, h), see_row);
  return at->second;
}

const KeptWeights& ResultStats::kept(Plane plane, std::int64_t b, std::int64_t h, const KeptWish& wish) {
  auto& [of, kept] = kept_.try_emplace({plane, b, h}, KeptWish{}, KeptWeights{}).first->second;
  if (of == wish) return kept;
  const auto see_row = [&](std::int64_t i, std::span<std::uint8_t> seen) { see(plane, b, h, i, seen); };
  kept = keep_strongest(matrix(plane, b, h), see_row, wish);
  of = wish;
  return kept;
}

const CellReference* ResultStats::reference(std::int64_t b, std::int64_t h, std::int64_t query,
                                            std::int64_t key, bool patient) {
  constexpr std::int64_t quick = 20'000'000;  // multiplications: about 10 ms
  const Dimensions& d = result_->layer().dimensions;
  if (const auto it = references_.find({b, h, query, key}); it != references_.end()) return &it->second;
  if (!patient && d.keys * d.d_k * (result_->document.input.given ? 1 : d.d_model) > quick) return nullptr;
  if (references_.size() > 256) references_.clear();
  return &references_
              .try_emplace({b, h, query, key},
                           reference_cell(result_->document, result_->layer().trace, b, h, query, key))
              .first->second;
}

}  // namespace attnscope
