#include "core/engine/model_effects.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "core/models/model_head.hpp"
#include "core/readouts/prediction.hpp"

namespace attnscope {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr AblationEffect unknown_effect{.divergence = unknown,
                                        .top_logit_change = unknown,
                                        .top_token = -1,
                                        .mean_divergence = unknown,
                                        .likelihood_change = unknown};
constexpr std::size_t most_known = 256;  // effects of changes that come and go under a knob

}  // namespace

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
}

double HeadEffects::share() const {
  return known_.heads.empty() ? 0
                              : static_cast<double>(known_.known) / static_cast<double>(known_.heads.size());
}

void HeadEffects::step(const Model& model, const ModelRun& clean, const Work& work) {
  if (is_done()) return;
  const int block = blocks_left_ - 1;
  std::vector<HeadSet> sets;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < known_.heads.size(); ++i)
    if (known_.heads[i].block == block) {
      sets.push_back({known_.heads[i]});
      places.push_back(i);
    }
  AblationRequest request;
  request.row = at_.row;
  const std::vector<AblationEffect> effects = ablation_effects(model, clean, sets, request, nullptr, work);
  for (std::size_t i = 0; i < places.size(); ++i) known_.effects[places[i]] = effects[i];
  known_.known += std::ssize(places);
  blocks_left_ = block;
}

void HeadPruning::begin(const PredictionAt& at, const EffectsReading& effects) {
  if (at_ == at) return;
  at_ = at;
  known_ = {.row = at.row, .curve = {}, .known = 0};
  for (std::size_t i = 0; i < effects.heads.size(); ++i)
    known_.curve.push_back({effects.heads[i], effects.effects[i]});
  std::ranges::stable_sort(known_.curve, {}, [](const AtlasEntry& entry) { return entry.effect.divergence; });
  for (AtlasEntry& entry : known_.curve) entry.effect = unknown_effect;
}

double HeadPruning::share() const {
  return known_.curve.empty() ? 0
                              : static_cast<double>(known_.known) / static_cast<double>(known_.curve.size());
}

void HeadPruning::step(const Model& model, const ModelRun& clean, const Work& work) {
  constexpr std::size_t at_once = 8;
  // The last count first, then halves, quarters, …: of each width those that are not known yet.
  std::vector<std::size_t> counts;
  const std::size_t all = known_.curve.size();
  for (std::size_t width = std::bit_ceil(all); width > 0 && counts.size() < at_once; width /= 2)
    for (std::size_t end = all; end > 0 && counts.size() < at_once; end -= std::min(end, width))
      if (std::isnan(known_.curve[end - 1].effect.divergence) &&
          std::ranges::find(counts, end) == counts.end())
        counts.push_back(end);
  std::vector<HeadSet> sets;
  for (const std::size_t count : counts) {
    HeadSet& set = sets.emplace_back();
    for (std::size_t i = 0; i < count; ++i) set.push_back(known_.curve[i].head);
  }
  AblationRequest request;
  request.row = at_.row;
  const std::vector<AblationEffect> effects = ablation_effects(model, clean, sets, request, nullptr, work);
  for (std::size_t i = 0; i < counts.size(); ++i) known_.curve[counts[i] - 1].effect = effects[i];
  known_.known += std::ssize(counts);
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
