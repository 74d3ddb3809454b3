#include "core/engine/model/model_effects.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <span>

#include "core/models/model_head.hpp"
#include "core/readouts/text/prediction.hpp"

namespace attnscope {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr AblationEffect unknown_effect{.divergence = unknown,
                                        .top_logit_change = unknown,
                                        .top_probability_change = unknown,
                                        .top_token = -1,
                                        .mean_divergence = unknown,
                                        .likelihood_change = unknown};
constexpr std::size_t most_known = 256;  // cached effects, for controls moved back and forth
// Number of counts at which the random order is measured, and the number of counts of the effects' order that
// come before: so both curves show their shape early.
constexpr std::int64_t most_random = 24, before_random = 16;
constexpr std::size_t at_once = 8;  // counts per step

using Clock = std::chrono::steady_clock;

/// The heads in the order of removal, without effects.
std::vector<AtlasEntry> pruning_order(const EffectsReading& effects) {
  std::vector<AtlasEntry> order;
  for (std::size_t i = 0; i < effects.heads.size(); ++i)
    order.push_back({effects.heads[i], effects.effects[i]});
  std::ranges::stable_sort(order, {}, [](const AtlasEntry& entry) { return entry.effect.divergence; });
  for (AtlasEntry& entry : order) entry.effect = unknown_effect;
  return order;
}

std::vector<AtlasEntry> random_order(const std::vector<HeadPlace>& heads) {
  std::vector<AtlasEntry> order;
  for (const HeadPlace& head : shuffled(heads, pruning_seed)) order.push_back({head, unknown_effect});
  return order;
}

/// The number of heads removed at measurement i of the random order's `counts`.
std::size_t random_count(std::size_t heads, std::int64_t counts, std::int64_t i) {
  return heads * static_cast<std::size_t>(i + 1) / static_cast<std::size_t>(counts);
}

HeadSet first_heads(const std::vector<AtlasEntry>& order, std::size_t count) {
  HeadSet set;
  for (std::size_t i = 0; i < count; ++i) set.push_back(order[i].head);
  return set;
}

/// What an effect on one row of a run is computed from.
struct AblatedRow {
  const Model& model;
  const ModelRun& clean;
  std::int64_t row;
  const Work& work;
};

std::vector<AblationEffect> effects_on_row(const AblatedRow& of, const std::vector<HeadSet>& sets) {
  AblationRequest request;
  request.row = of.row;
  return ablation_effects(of.model, of.clean, sets, request, nullptr, of.work);
}

/// Measures the removal of the first heads of the order, for each of the counts.
void measure_order(const AblatedRow& of, const std::vector<std::size_t>& counts,
                   std::vector<AtlasEntry>& order) {
  if (counts.empty()) return;
  std::vector<HeadSet> sets;
  for (const std::size_t count : counts) sets.push_back(first_heads(order, count));
  const std::vector<AblationEffect> effects = effects_on_row(of, sets);
  for (std::size_t i = 0; i < counts.size(); ++i) order[counts[i] - 1].effect = effects[i];
}

/// [count − 1]: the number of blocks to run with the first `count` heads removed.
std::vector<double> blocks_passed(const std::vector<AtlasEntry>& order, int blocks) {
  std::vector<double> passed;
  int first = blocks;
  for (const AtlasEntry& entry : order) {
    first = std::min(first, entry.head.block);
    passed.push_back(blocks - first);
  }
  return passed;
}

}  // namespace

bool predicts(const ModelSpec& spec) { return spec.has_logits() && spec.head.kind != HeadKind::AnswerSpan; }

std::vector<float> predicted_logits(const Model& model, const ModelRun& run, std::int64_t row,
                                    const Work& work) {
  if (model.spec.head.input != HeadInput::EveryRow)
    return {run.logits.row(0), run.logits.row(0) + run.logits.width};
  const KeptRows& normed = run.last(model).normed;
  if (run.logits.rows() == 1 && row + 1 == normed.rows())
    return {run.logits.row(0), run.logits.row(0) + run.logits.width};
  const Tensor logits = head_logits(model, normed.row(row), 1, work);
  return {logits.values().begin(), logits.values().end()};
}

void HeadEffects::begin(const Model& model, const PredictionAt& at) {
  if (at_ == at) return;
  at_ = at;
  known_ = {.row = at.row, .heads = all_heads(model.spec), .effects = {}, .known = 0};
  known_.effects.assign(known_.heads.size(), unknown_effect);
  blocks_left_ = known_.heads.back().block + 1;
  seconds_ = 0;
}

double HeadEffects::share() const {
  return known_.heads.empty() ? 0
                              : static_cast<double>(known_.known) / static_cast<double>(known_.heads.size());
}

void HeadEffects::step(const Model& model, const ModelRun& clean, const Work& work) {
  if (is_done()) return;
  const Clock::time_point began = Clock::now();
  const int block = blocks_left_ - 1;
  std::vector<HeadSet> sets;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < known_.heads.size(); ++i)
    if (known_.heads[i].block == block) {
      sets.push_back({known_.heads[i]});
      places.push_back(i);
    }
  const std::vector<AblationEffect> effects = effects_on_row({model, clean, at_.row, work}, sets);
  for (std::size_t i = 0; i < places.size(); ++i) known_.effects[places[i]] = effects[i];
  known_.known += std::ssize(places);
  blocks_left_ = block;
  seconds_ += std::chrono::duration<double>(Clock::now() - began).count();
  if (is_done()) known_.pruning_seconds = expected_pruning_seconds(known_, seconds_);
}

double expected_pruning_seconds(const EffectsReading& effects, double seconds) {
  const int blocks = effects.heads.back().block + 1;
  double each_alone = 0, all = 0;
  for (const HeadPlace& head : effects.heads) each_alone += blocks - head.block;
  for (const double passed : blocks_passed(pruning_order(effects), blocks)) all += passed;
  const std::vector<double> random = blocks_passed(random_order(effects.heads), blocks);
  const std::int64_t counts = std::min(most_random, std::ssize(random));
  for (std::int64_t i = 0; i + 1 < counts; ++i) all += random[random_count(random.size(), counts, i) - 1];
  return seconds * all / each_alone;
}

void HeadPruning::begin(const PredictionAt& at, const EffectsReading& effects) {
  if (at_ == at) return;
  at_ = at;
  known_ = {.row = at.row, .curve = pruning_order(effects), .random = random_order(effects.heads)};
  known_.random_counts = std::min(most_random, std::ssize(known_.random));
}

double HeadPruning::share() const {
  const std::int64_t all = std::ssize(known_.curve) + known_.random_counts;
  return all == 0 ? 0 : static_cast<double>(known_.known + known_.random_known) / static_cast<double>(all);
}

/// The next unknown counts: the last one first, then those at halves, quarters, ….
std::vector<std::size_t> HeadPruning::next_counts() const {
  std::vector<std::size_t> counts;
  const std::size_t all = known_.curve.size();
  for (std::size_t width = std::bit_ceil(all); width > 0 && counts.size() < at_once; width /= 2)
    for (std::size_t end = all; end > 0 && counts.size() < at_once; end -= std::min(end, width))
      if (std::isnan(known_.curve[end - 1].effect.divergence) &&
          std::ranges::find(counts, end) == counts.end())
        counts.push_back(end);
  return counts;
}

void HeadPruning::step(const Model& model, const ModelRun& clean, const Work& work) {
  const bool is_seen = known_.known >= std::min(before_random, std::ssize(known_.curve));
  if (is_seen && known_.random_known < known_.random_counts) return step_random(model, clean, work);
  const std::vector<std::size_t> counts = next_counts();
  measure_order({model, clean, at_.row, work}, counts, known_.curve);
  known_.known += std::ssize(counts);
}

void HeadPruning::step_random(const Model& model, const ModelRun& clean, const Work& work) {
  const std::size_t all = known_.random.size();
  std::vector<std::size_t> counts;
  for (std::int64_t i = known_.random_known; i < known_.random_counts && counts.size() < at_once; ++i) {
    const std::size_t count = random_count(all, known_.random_counts, i);
    if (count == all) break;
    counts.push_back(count);
  }
  measure_order({model, clean, at_.row, work}, counts, known_.random);
  known_.random_known += std::ssize(counts);
  if (known_.random_known + 1 < known_.random_counts) return;
  // With all heads removed the order does not matter.
  known_.random.back().effect = known_.curve.back().effect;
  known_.random_known = known_.random_counts;
}

void ChangeEffects::begin(const PredictionAt& at, const ModelChanges& changes) {
  if (!(at_ == at) || known_.size() > most_known) known_.clear();
  at_ = at;
  singles_.clear();
  for (const BlockChange& change : changes.blocks) singles_.push_back({.heads = {}, .blocks = {change}});
  for (const HeadChange& change : changes.heads) singles_.push_back({.heads = {change}, .blocks = {}});
  next_ = 0;
  skip_known();
}

double* ChangeEffects::find(const ModelChanges& single) {
  const auto known = std::ranges::find(known_, single, [](const auto& entry) { return entry.first; });
  return known == known_.end() ? nullptr : &known->second;
}

void ChangeEffects::skip_known() {
  while (next_ < singles_.size() && find(singles_[next_]) != nullptr) ++next_;
}

double ChangeEffects::share() const {
  return singles_.empty() ? 0 : static_cast<double>(next_) / static_cast<double>(singles_.size());
}

void ChangeEffects::step(const Model& model, const ModelRun& clean, const std::vector<float>& before,
                         const Work& work) {
  if (is_done()) return;
  const RunRequest request{.logits = LogitRows::Last, .changes = singles_[next_]};
  const ModelRun run = run_model(model, clean.input, request, work);
  known_.emplace_back(singles_[next_], divergence(before, predicted_logits(model, run, at_.row, work)));
  skip_known();
}

std::shared_ptr<const ChangesAlone> ChangeEffects::reading() const {
  ChangesAlone alone;
  for (const ModelChanges& single : singles_) {
    const auto known = std::ranges::find(known_, single, [](const auto& entry) { return entry.first; });
    alone.divergences.push_back(known == known_.end() ? unknown : known->second);
  }
  return std::make_shared<const ChangesAlone>(std::move(alone));
}

}  // namespace attnscope
