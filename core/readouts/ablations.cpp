#include "core/readouts/ablations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/readouts/prediction.hpp"
#include "core/readouts/unembed.hpp"

namespace attnscope {
namespace {

constexpr double not_asked = std::numeric_limits<double>::quiet_NaN();
// Logits that are in memory at once.
constexpr std::int64_t logit_rows = 256;

void check_ablations(const Model& model, const ModelRun& base, std::span<const HeadSet> sets) {
  check_has_logits(model);
  if (!model.spec.decoder || model.spec.encoder)
    throw Error(
        fmt::format("Effects of ablation are measured on decoders; this model is {}.", model.spec.family));
  if (!base.changes.empty() || !base.input.mask.empty())
    throw Error("Effects of ablation are measured on a run without other changes and without a mask.");
  const std::vector<AttentionSpec>& blocks = model.spec.decoder->blocks;
  for (const HeadSet& set : sets) {
    if (set.empty()) throw Error("A set of heads to be ablated is empty.");
    for (const HeadPlace& place : set)
      if (place.block < 0 || place.block >= std::ssize(blocks) || place.head < 0 ||
          place.head >= blocks[static_cast<std::size_t>(place.block)].heads)
        throw Error(fmt::format("There is no head {}.{}; the model has layers 0 to {} with heads 0 to {}.",
                                place.block, place.head, blocks.size() - 1, blocks[0].heads - 1));
  }
}

/// What one row predicts without ablation.
struct BaseRow {
  std::vector<double> shares;  // p
  double information = 0;      // Σ p ln p
  double next_log = 0;         // ln p of the token that follows in the text
  std::size_t top = 0;
  double top_logit = 0;
};

BaseRow base_row(std::span<const float> logits, std::optional<std::int64_t> next) {
  BaseRow row;
  row.shares = log_softmax(logits);
  if (next) row.next_log = row.shares[static_cast<std::size_t>(*next)];
  for (double& share : row.shares) {
    const double log = share;
    share = std::exp(log);
    if (share > 0) row.information += share * log;
  }
  row.top = static_cast<std::size_t>(std::ranges::max_element(logits) - logits.begin());
  row.top_logit = static_cast<double>(logits[row.top]);
  return row;
}

/// What one row predicts with ablation, beside BaseRow. KL = Σ p ln p − Σ p x + ln Σ e^x.
struct RowEffect {
  double divergence = 0, log_sum = 0;
};

RowEffect row_effect(const BaseRow& base, std::span<const float> logits) {
  const auto most = static_cast<double>(std::ranges::max(logits));
  double sum = 0, mean = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const auto x = static_cast<double>(logits[i]);
    sum += std::exp(x - most);
    if (base.shares[i] > 0) mean += base.shares[i] * (x - most);
  }
  const double log_sum = std::log(sum);
  return {std::max(0.0, base.information - mean + log_sum), most + log_sum};
}

class EffectMeter {
 public:
  EffectMeter(const Model& model, const ModelRun& base, const AblationRequest& request, std::size_t sets,
              const Work& work)
      : model_(model), ids_(base.input.ids), request_(request), work_(work), effects_(sets) {
    const std::int64_t n = base.decoder.normed.rows();
    each_prediction(
        model, base, request.all_positions ? 0 : n - 1,
        [&](std::int64_t row, std::span<const float> logits) {
          const bool last = row + 1 == n;
          rows_.push_back(
              base_row(logits, last ? std::nullopt : std::optional(ids_[static_cast<std::size_t>(row + 1)])));
        },
        work);
    for (AblationEffect& effect : effects_) {
      effect.mean_divergence = request.all_positions ? 0 : not_asked;
      effect.likelihood_change = request.all_positions && n > 1 ? 0 : not_asked;
    }
  }

  /// The stream behind the last block of one set.
  void add(std::size_t set, const Tensor& stream) {
    for (std::int64_t i = 0; i < stream.shape()[0]; ++i) {
      waiting_.insert(waiting_.end(), stream.matrix().row(i).begin(), stream.matrix().row(i).end());
      places_.push_back({set, static_cast<std::size_t>(i)});
      if (std::ssize(places_) == logit_rows) measure();
    }
  }

  std::vector<AblationEffect> take() {
    measure();
    return std::move(effects_);
  }

 private:
  struct Place {
    std::size_t set, row;
  };

  void measure() {
    if (places_.empty()) return;
    const Tensor logits = unembed(model_, waiting_.data(), std::ssize(places_), work_);
    const auto row_of = [&](std::size_t i) {
      return std::span(logits.matrix().row(static_cast<Eigen::Index>(i)).data(),
                       static_cast<std::size_t>(logits.shape()[1]));
    };
    std::vector<RowEffect> found(places_.size());
    work_.for_each(std::ssize(places_), static_cast<double>(logits.shape()[1]) * 6, [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      found[at] = row_effect(rows_[places_[at].row], row_of(at));
    });
    for (std::size_t i = 0; i < places_.size(); ++i) count(places_[i], found[i], row_of(i));
    waiting_.clear();
    places_.clear();
  }

  void count(const Place& place, const RowEffect& row, std::span<const float> logits) {
    AblationEffect& effect = effects_[place.set];
    const BaseRow& base = rows_[place.row];
    if (place.row + 1 == rows_.size()) {
      effect.divergence = row.divergence;
      effect.top_logit_change = static_cast<double>(logits[base.top]) - base.top_logit;
      effect.top_token = std::ranges::max_element(logits) - logits.begin();
    }
    if (!request_.all_positions) return;
    effect.mean_divergence += row.divergence / static_cast<double>(rows_.size());
    if (place.row + 1 >= ids_.size()) return;
    const auto next = static_cast<std::size_t>(ids_[place.row + 1]);
    effect.likelihood_change += (base.next_log - (static_cast<double>(logits[next]) - row.log_sum)) /
                                static_cast<double>(ids_.size() - 1);
  }

  const Model& model_;
  const std::vector<std::int64_t>& ids_;
  const AblationRequest& request_;
  const Work& work_;
  std::vector<AblationEffect> effects_;
  std::vector<BaseRow> rows_;
  std::vector<float> waiting_;  // rows of streams, [places][d_model]
  std::vector<Place> places_;
};

}  // namespace

std::vector<HeadPlace> all_heads(const ModelSpec& spec) {
  const StackSpec& stack = spec.decoder ? *spec.decoder : *spec.encoder;
  std::vector<HeadPlace> heads;
  for (int block = 0; block < static_cast<int>(stack.blocks.size()); ++block)
    for (int head = 0; head < stack.blocks[static_cast<std::size_t>(block)].heads; ++head)
      heads.push_back({block, head});
  return heads;
}

std::vector<AblationEffect> ablation_effects(const Model& model, const ModelRun& base,
                                             std::span<const HeadSet> sets, const AblationRequest& request,
                                             AblationProgress* progress, const Work& work) {
  check_ablations(model, base, sets);
  EffectMeter meter(model, base, request, sets.size(), work);
  pass_ablations(
      {model, base, request.kind, request.all_positions}, sets,
      [&](std::size_t set, const Tensor& stream) { meter.add(set, stream); }, progress, work);
  return meter.take();
}

std::vector<AtlasEntry> ablation_atlas(const Model& model, const ModelRun& base,
                                       const AblationRequest& request, AblationProgress* progress,
                                       const Work& work) {
  std::vector<HeadSet> sets;
  std::vector<AtlasEntry> atlas;
  for (const HeadPlace& head : all_heads(model.spec)) {
    sets.push_back({head});
    atlas.push_back({head, {}});
  }
  const std::vector<AblationEffect> effects = ablation_effects(model, base, sets, request, progress, work);
  for (std::size_t i = 0; i < atlas.size(); ++i) atlas[i].effect = effects[i];
  return atlas;
}

std::vector<AtlasEntry> pruning_curve(const Model& model, const ModelRun& base,
                                      std::span<const AtlasEntry> atlas, const AblationRequest& request,
                                      AblationProgress* progress, const Work& work) {
  std::vector<AtlasEntry> curve(atlas.begin(), atlas.end());
  std::ranges::stable_sort(curve, {}, [&](const AtlasEntry& entry) {
    return request.all_positions ? entry.effect.mean_divergence : entry.effect.divergence;
  });
  std::vector<HeadSet> sets;
  for (const AtlasEntry& entry : curve) {
    HeadSet more = sets.empty() ? HeadSet() : sets.back();
    more.push_back(entry.head);
    sets.push_back(std::move(more));
  }
  const std::vector<AblationEffect> effects = ablation_effects(model, base, sets, request, progress, work);
  for (std::size_t i = 0; i < curve.size(); ++i) curve[i].effect = effects[i];
  return curve;
}

}  // namespace attnscope
