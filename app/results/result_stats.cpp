#include "app/results/result_stats.hpp"

#include <algorithm>
#include <cmath>

#include "app/kit/draw/texture.hpp"
#include "app/results/stats_kept.hpp"
#include "core/analysis/attention_sums.hpp"
#include "core/analysis/cell_difference.hpp"
#include "core/attention/run_stage.hpp"
#include "core/base/error.hpp"
#include "core/document/known.hpp"

namespace attnscope {

namespace {

CellDifference difference_of(Plane::Kind kind) {
  if (kind == Plane::Kind::Ratio) return CellDifference::Doublings;
  return kind == Plane::Kind::Magnitude ? CellDifference::Magnitude : CellDifference::Signed;
}

/// The tensor of a stage; for weights that of the stage whose weights mix the values, which differs between
/// documents.
const TensorPtr& stage_of(const LayerResult& result, Stage stage, bool weights) {
  return result.trace[weights ? weights_stage(result.document) : stage];
}

/// The placeholder for a histogram that is not there yet: the shape of the newest one, if any. Its numbers
/// beyond the ends are dropped, since they belong to other ends.
HistogramPtr stand_in(const HistogramPtr& newest, const HistogramRequest& request) {
  Histogram shape;
  if (newest) shape = *newest;
  shape.bins.resize(static_cast<std::size_t>(request.bins));
  shape.below = shape.above = 0;
  return std::make_shared<const Histogram>(std::move(shape));
}

}  // namespace

class ResultStats::VisibleCells {
 public:
  VisibleCells(std::shared_ptr<const MaskRule> own, std::shared_ptr<const MaskRule> other, std::int64_t b)
      : own_(std::move(own)), other_(std::move(other)), b_(b) {}

  /// For a difference between `head` of this result and `held_head` of the other.
  void pair(std::int64_t head, std::int64_t held_head) {
    paired_ = head;
    held_ = held_head;
  }
  /// The visible cells of one head; the function may outlive this object.
  SeeRow of_head(std::int64_t h, std::stop_token stop = {}) const {
    return [visible = *this, h, stop = std::move(stop)](std::int64_t query, std::span<std::uint8_t> seen) {
      if (stop.stop_requested()) throw Cancelled();
      visible.see(h, query, seen);
    };
  }

  void see(std::int64_t h, std::int64_t query, std::span<std::uint8_t> seen) const {
    std::fill(seen.begin(), seen.end(), std::uint8_t{1});
    if (!own_) return;
    own_->see(b_, h, query, seen);
    if (!other_) return;
    std::vector<std::uint8_t> other(seen.size(), 1);
    other_->see(b_, h == paired_ ? held_ : h, query, other);
    for (std::size_t j = 0; j < seen.size(); ++j) seen[j] |= other[j];
  }

 private:
  std::shared_ptr<const MaskRule> own_, other_;  // own_ null: all are seen; other_ null: only own_ counts
  std::int64_t b_, paired_ = -1, held_ = -1;
};

ResultStats::ResultStats(ResultPtr result, BackgroundErrors* errors, const ResultStats* before)
    : result_(std::move(result)),
      rule_(std::make_shared<const MaskRule>(result_->document, result_->layer().trace)),
      errors_(errors),
      kept_(std::make_unique<Kept>()) {
  if (before == nullptr) return;
  kept_->picture_histograms.inherit(before->kept_->picture_histograms);
  const Dimensions &now = result_->layer().dimensions, &was = before->result_->layer().dimensions;
  // Earlier numbers stand in only if the new result has the same sequences, heads, rows and keys.
  if (is_small() || now.batch != was.batch || now.heads != was.heads || now.queries != was.queries ||
      now.keys != was.keys)
    return;
  kept_->differences.inherit(before->kept_->differences);
  kept_->ranges.inherit(before->kept_->ranges);
  kept_->head_ranges.inherit(before->kept_->head_ranges);
  kept_->histograms.inherit(before->kept_->histograms);
  kept_->moved.inherit(before->kept_->moved);
  kept_->weights.inherit(before->kept_->weights);
  kept_->strongest.inherit(before->kept_->strongest);
  kept_->lines.inherit(before->kept_->lines);
}

ResultStats::~ResultStats() {
  if (error_task_) error_task_->cancel();
  kept_->each_computed([](auto& computed) { computed.clear(); });
}

void ResultStats::begin_frame() {
  kept_->each_computed([](auto& computed) { computed.take_finished(); });
}

bool ResultStats::finish() {
  bool any = false;
  kept_->each_computed([&](const auto& computed) { any |= computed.is_busy(); });
  if (!any) return false;
  worker_.wait();
  begin_frame();
  return true;
}

bool ResultStats::is_computing() const {
  return (error_task_ && !error_task_->is_done()) || kept_->is_computing();
}

bool ResultStats::is_small() const {
  const Dimensions& d = result_->layer().dimensions;
  return d.heads * d.queries * d.keys <= most_at_once;
}

Worker* ResultStats::who_counts() { return is_small() ? nullptr : &worker_; }

void ResultStats::compare_with(ResultPtr held) {
  if (held == held_) return;
  held_ = std::move(held);
  kept_->largest_entropy_changes.clear();
  held_rule_.reset();
  if (held_) held_rule_ = std::make_shared<const MaskRule>(held_->document, held_->layer().trace);
  if (held_) return;
  kept_->differences.clear();
  kept_->moved.clear();
}

void ResultStats::pair_heads(std::int64_t now, std::int64_t held) {
  const std::int64_t heads = held_ ? held_->layer().dimensions.heads : 0;
  if (held < 0 || held >= heads || held == now) now = held = -1;
  paired_now_ = now;
  paired_held_ = held;
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
  return plane.is_difference() ? difference(plane) : tensor_of(result_->layer(), plane);
}

TensorPtr ResultStats::difference(Plane plane) {
  if (!can_compare()) return nullptr;
  // Compares the weights of A with those of B, also if different kinds of attention made them.
  const bool weights = plane.stage == weights_stage(result_->document);
  const TensorPtr& a = stage_of(result_->layer(), plane.stage, weights);
  const TensorPtr& b = stage_of(held_->layer(), plane.stage, weights);
  if (!a || !b || a->shape() != b->shape()) return nullptr;
  return kept_->differences.get(plane, difference_stamp(plane), who_counts(),
                                [=, now = paired_now_, held = paired_held_](const std::stop_token& stop) {
                                  if (now < 0)
                                    return cell_difference(*a, *b, difference_of(plane.kind), stop);
                                  Tensor beside(*b);
                                  for (std::int64_t of = 0; of < a->shape()[0]; ++of)
                                    beside.matrix(of, now) = b->matrix(of, held);
                                  return cell_difference(*a, beside, difference_of(plane.kind), stop);
                                });
}

ConstMatrixMap<float> ResultStats::matrix(Plane plane, std::int64_t b, std::int64_t h) {
  if (const TensorPtr there = tensor(plane)) return head_of(*there, b, h);
  if (!nothing_)
    nothing_ = std::make_shared<const Tensor>(
        Shape{result_->layer().dimensions.queries, result_->layer().dimensions.keys});
  return nothing_->matrix();
}

ResultStats::Stamp ResultStats::difference_stamp(Plane plane) const {
  const Stamp pair =
      static_cast<std::uint64_t>(paired_now_ + 1) << 32 | static_cast<std::uint64_t>(paired_held_ + 1);
  const Stamp own = attnscope::made_in(result_->layer(), plane.stage);
  return mix_hash(mix_hash(mix_hash(own, attnscope::made_in(held_->layer(), plane.stage)), held_->ticket),
                  pair);
}

std::uint64_t ResultStats::made_in(Plane plane) const {
  if (plane.is_error()) return mix_hash(attnscope::made_in(result_->layer(), plane.stage), result_->ticket);
  if (!plane.is_difference() || !held_) return attnscope::made_in(result_->layer(), plane);
  const Stamp* const there = kept_->differences.newest(plane);
  return there != nullptr ? *there : difference_stamp(plane);
}

/// The mask is part of the stamp, since it may change while the numbers stay.
ResultStats::Stamp ResultStats::stamp(Plane plane) const {
  return mix_hash(mix_hash(made_in(plane), result_->ticket), result_->refinement);
}

ResultStats::VisibleCells ResultStats::visible(Plane plane, std::int64_t b) const {
  const bool masks = shows_mask(result_->document, plane);
  VisibleCells visible(masks ? rule_ : nullptr, plane.is_difference() ? held_rule_ : nullptr, b);
  visible.pair(paired_now_, paired_held_);
  return visible;
}

void ResultStats::see(Plane plane, std::int64_t b, std::int64_t h, std::int64_t query,
                      std::span<std::uint8_t> seen) const {
  visible(plane, b).see(h, query, seen);
}

const MaskRule& ResultStats::full_rule() {
  if (!full_rule_) full_rule_.emplace(rule_->without_sparsity());
  return *full_rule_;
}

ValueRange ResultStats::range(Plane plane, std::int64_t b, std::int64_t h) {
  const TensorPtr values = tensor(plane);
  if (!values) return {};
  if (values->remote()) {
    // Planes of other heads are not copied from the card.
    const auto own =
        kept_->head_ranges.get({plane, b, h}, stamp(plane), who_counts(),
                               [=, visible = visible(plane, b)](const std::stop_token& stop) {
                                 return value_range(head_of(*values, b, h), visible.of_head(h, stop));
                               });
    return own ? *own : sampled_range(plane, b, h);
  }
  const std::int64_t heads = result_->layer().dimensions.heads;
  const auto there = kept_->ranges.get(
      {plane, b}, stamp(plane), who_counts(), [=, visible = visible(plane, b)](const std::stop_token& stop) {
        Kept::Ranges ranges;
        for (std::int64_t head = 0; head < heads; ++head)
          ranges.push_back(value_range(head_of(*values, b, head), visible.of_head(head, stop)));
        return ranges;
      });
  return there ? there->at(static_cast<std::size_t>(h)) : sampled_range(plane, b, h);
}

ValueRange ResultStats::sampled_range(Plane plane, std::int64_t b, std::int64_t h) {
  constexpr std::int64_t cells = 1 << 14;
  const Stamp now = stamp(plane);
  auto& [of, range] = kept_->sampled[{plane, b, h}];
  if (of == now) return range;
  const ConstMatrixMap<float> values = matrix(plane, b, h);
  const std::int64_t rows = std::clamp<std::int64_t>(cells / values.cols(), 1, values.rows());
  range = value_range(values, visible(plane, b).of_head(h), (values.rows() + rows - 1) / rows);
  of = now;
  return range;
}

TotalVariationPtr ResultStats::moved(std::int64_t b, std::int64_t h) {
  const Stage softmax = Stage::Softmax;
  const Stamp weights = mix_hash(difference_stamp(weights_stage(result_->document)), result_->ticket);
  return kept_->moved.get(
      {b, h}, weights, who_counts(),
      [=, now = result_, held = held_, other = held_head(h)](const std::stop_token& stop) {
        const auto counts = [&](std::int64_t row) {
          if (stop.stop_requested()) throw Cancelled();
          return !now->layer().measures.row(b, h, row).padding &&
                 !held->layer().measures.row(b, other, row).padding;
        };
        return total_variation(head_of(*stage_of(now->layer(), softmax, true), b, h),
                               head_of(*stage_of(held->layer(), softmax, true), b, other), counts);
      });
}

HistogramPtr ResultStats::histogram(Plane plane, std::int64_t b, std::int64_t h,
                                    const HistogramRequest& request) {
  const TensorPtr values = tensor(plane);
  if (!values) return stand_in(nullptr, request);
  // Before the mask, too, only allowed cells count: the spread is that of softmax's inputs.
  const VisibleCells allowed = plane.is_difference() ? visible(plane, b) : VisibleCells(rule_, nullptr, b);
  const std::tuple key{plane, b, h, request.bins, request.log};
  const std::pair all{stamp(plane), request};
  const auto there = kept_->histograms.get(key, all, who_counts(), [=](const std::stop_token& stop) {
    return attnscope::histogram(head_of(*values, b, h), allowed.of_head(h, stop), request);
  });
  return kept_->histograms.has(key, all) ? there : stand_in(there, request);
}

ResultStats::Stamp ResultStats::picture_stamp(const OfPicture& of) const {
  const Stamp made = mix_hash(result_->ticket, result_->refinement);
  return of.difference && held_ ? mix_hash(made, held_->ticket) : made;
}

float ResultStats::picture_largest(const OfPicture& of) {
  const auto there = kept_->picture_largest.get(
      of, picture_stamp(of), who_counts(), [=, now = result_, held = held_](const std::stop_token&) {
        return largest_of_picture(now->layer(), held ? &held->layer() : nullptr, of);
      });
  return there ? *there : 0;
}

HistogramPtr ResultStats::picture_histogram(const OfPicture& of, const HistogramRequest& request) {
  const std::pair all{picture_stamp(of), request};
  const auto there = kept_->picture_histograms.get(
      of, all, who_counts(), [=, now = result_, held = held_](const std::stop_token&) {
        return spread_of_picture(now->layer(), held ? &held->layer() : nullptr, of, request);
      });
  return kept_->picture_histograms.has(of, all) ? there : stand_in(there, request);
}

const std::vector<float>& ResultStats::picture_columns(std::int64_t b, std::int64_t h) {
  const auto [at, is_new] = kept_->picture_columns.try_emplace({b, h});
  if (!is_new) return at->second;
  const Sweep& known = result_->layer().surveys[static_cast<std::size_t>(b)]->known;
  return at->second = column_means(known.mean.matrix(h - known.first_head));
}

WeightSpreadPtr ResultStats::weights(std::int64_t b, std::int64_t h) {
  const Stage stage = weights_stage(result_->document);
  const TensorPtr values = tensor(stage);
  if (!values) return std::make_shared<const WeightSpread>();
  const auto there =
      kept_->weights.get({b, h}, stamp(stage), who_counts(),
                         [=, visible = VisibleCells(rule_, nullptr, b)](const std::stop_token& stop) {
                           return weight_spread(head_of(*values, b, h), visible.of_head(h, stop));
                         });
  return there ? there : std::make_shared<const WeightSpread>();
}

KeptWeightsPtr ResultStats::kept(Plane plane, std::int64_t b, std::int64_t h, const KeptRequest& request) {
  static const auto none = std::make_shared<const KeptWeights>();  // always the same: lines() compares them
  const TensorPtr values = tensor(plane);
  if (!values) return none;
  const auto there =
      kept_->strongest.get({plane, b, h}, {stamp(plane), request}, who_counts(),
                           [=, visible = visible(plane, b)](const std::stop_token& stop) {
                             return keep_strongest(head_of(*values, b, h), visible.of_head(h, stop), request);
                           });
  return there ? there : none;
}

KeptLinesPtr ResultStats::lines(Plane plane, std::int64_t b, const LineRequest::Indices& heads,
                                const KeptRequest& keep, const LineRequest& request) {
  std::vector<KeptWeightsPtr> of;
  for (std::int64_t h = heads.first; h < heads.last; ++h) of.push_back(kept(plane, b, h, keep));
  const bool of_one = request.query || request.key;
  const auto there = kept_->lines.get({plane, b, heads.first, heads.last, of_one}, {of, request},
                                      of_one ? nullptr : who_counts(),
                                      [of, request, first = heads.first](const std::stop_token& stop) {
                                        return choose_lines(of, first, request, stop);
                                      });
  static const auto none = std::make_shared<const KeptLines>();
  return there ? there : none;
}

std::int64_t ResultStats::cost_of_reference() const {
  const Dimensions& d = result_->layer().dimensions;
  if (result_->document.input.is_given()) return d.keys * d.d_k;
  const LayerSpec& layer = result_->document.layer();
  const std::int64_t columns = d.d_k + layer.latent.width + layer.latent.query_width;
  // Vectors of disentangled positions are projected by W_Q and by W_K.
  const std::int64_t positions =
      is_disentangled(result_->document) ? std::int64_t{4} * layer.position_settings.span * d.d_k : 0;
  return d.d_model * (d.keys * columns + positions);
}

bool ResultStats::computes_reference(bool patient) const {
  constexpr std::int64_t quick = 100'000'000;  // about 50 ms of the worker
  return patient || cost_of_reference() <= quick;
}

const CellReference* ResultStats::reference(std::int64_t b, std::int64_t h, std::int64_t query,
                                            std::int64_t key, bool patient) {
  constexpr std::int64_t at_once = 1'000'000;  // about half a millisecond
  const std::tuple cell{b, h, query, key};
  if (!kept_->references.has({}, cell) && !computes_reference(patient)) return nullptr;
  const auto there = kept_->references.get({}, cell, cost_of_reference() <= at_once ? nullptr : &worker_,
                                           [=, result = result_](const std::stop_token& stop) {
                                             return reference_cell(result->document, result->layer().trace, b,
                                                                   h, query, key, stop);
                                           });
  return kept_->references.has({}, cell) ? there.get() : nullptr;  // else it is another cell's
}

}  // namespace attnscope
