#include "core/readouts/ablations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/models/model_head.hpp"
#include "core/readouts/text/prediction.hpp"
#include "core/readouts/unembed.hpp"

namespace attnscope {
namespace {

constexpr double not_asked = std::numeric_limits<double>::quiet_NaN();
// The most rows of logits in memory at once.
constexpr std::int64_t logit_rows = 256;

bool is_of_every_row(const Model& model) { return model.spec.head.input == HeadInput::EveryRow; }

/// The ids that the stack with the output reads.
const std::vector<std::int64_t>& output_ids(const Model& model, const ModelInput& input) {
  return model.spec.reads_two_texts() ? input.decoder_ids : input.ids;
}

void check_ablations(const Model& model, const ModelRun& base, std::span<const HeadSet> sets) {
  if (!model.spec.has_logits()) check_has_logits(model);
  if (model.spec.head.kind == HeadKind::AnswerSpan)
    throw Error(
        "Effects of ablation are measured on predictions of tokens and classes; this model says where an "
        "answer "
        "begins and ends.");
  if (!base.changes.empty() || !base.input.mask.empty())
    throw Error("Effects of ablation are measured on a run without other changes and without a mask.");
  const std::vector<LayerSpec>& blocks = model.spec.output_stack().blocks;
  for (const HeadSet& set : sets) {
    if (set.empty()) throw Error("A set of heads to be ablated is empty.");
    for (const HeadPlace& place : set)
      if (place.block < 0 || place.block >= std::ssize(blocks) || place.head < 0 ||
          place.head >= blocks[static_cast<std::size_t>(place.block)].heads)
        throw Error(fmt::format("There is no head {}.{}; the model has layers 0 to {} with heads 0 to {}.",
                                place.block, place.head, blocks.size() - 1, blocks[0].heads - 1));
  }
}

/// The row whose predictions are compared.
std::int64_t compared_row(const Model& model, const ModelRun& base, const AblationRequest& request) {
  if (!is_of_every_row(model)) return head_row(model.spec.head, base.input.ids);
  const std::int64_t rows = base.last(model).normed.rows();
  if (!request.row && !model.spec.decoder)
    throw Error(fmt::format("Every row of {} has a prediction; say which one effects are measured on.",
                            model.spec.family));
  const std::int64_t row = request.row.value_or(rows - 1);
  if (row < 0 || row >= rows)
    throw Error(fmt::format("There is no row {}; the run has 0 to {}.", row, rows - 1));
  return row;
}

/// The prediction of one row without ablation.
struct BaseRow {
  std::vector<double> shares;  // p
  double information = 0;      // Σ p ln p
  double next_log = 0;         // ln p of the next token in the text
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

/// The prediction of one row with ablation, compared with BaseRow. KL = Σ p ln p − Σ p x + ln Σ e^x.
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
  const double divergence = base.information - mean + log_sum;
  return {std::isnan(divergence) || std::isnan(base.shares[0]) ? NAN : std::max(0.0, divergence),
          most + log_sum};
}

class EffectMeter {
 public:
  EffectMeter(const Model& model, const ModelRun& base, const AblationRequest& request, std::size_t sets,
              const Work& work)
      : model_(model),
        ids_(output_ids(model, base.input)),
        all_rows_(request.all_positions && is_of_every_row(model)),
        row_(compared_row(model, base, request)),
        work_(work),
        effects_(sets) {
    const KeptRows& stream = base.last(model).hidden.back();
    const std::int64_t n = stream.rows(), first = all_rows_ ? 0 : row_, count = all_rows_ ? n : 1;
    const bool next = all_rows_ && n > 1 && model.spec.head.kind == HeadKind::NextToken;
    for (std::int64_t begin = first; begin < first + count; begin += logit_rows) {
      const std::int64_t some = std::min(logit_rows, first + count - begin);
      const Tensor logits = stream_logits(model, stream.row(begin), some, work);
      for (std::int64_t i = 0; i < some; ++i)
        rows_.push_back(
            base_row(row_of(logits, i), next && begin + i + 1 < n
                                            ? std::optional(ids_[static_cast<std::size_t>(begin + i + 1)])
                                            : std::nullopt));
    }
    for (AblationEffect& effect : effects_) {
      effect.mean_divergence = all_rows_ ? 0 : not_asked;
      effect.likelihood_change = next ? 0 : not_asked;
    }
  }

  bool all_rows() const { return all_rows_; }
  std::int64_t row() const { return row_; }

  /// Adds the stream behind the last block of one set.
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

  static std::span<const float> row_of(const Tensor& logits, std::int64_t i) {
    return {logits.matrix().row(i).data(), static_cast<std::size_t>(logits.shape()[1])};
  }

  void measure() {
    if (places_.empty()) return;
    const Tensor logits = stream_logits(model_, waiting_.data(), std::ssize(places_), work_);
    std::vector<RowEffect> found(places_.size());
    work_.for_each(std::ssize(places_), static_cast<double>(logits.shape()[1]) * 6, [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      found[at] = row_effect(rows_[places_[at].row], row_of(logits, i));
    });
    for (std::size_t i = 0; i < places_.size(); ++i)
      count(places_[i], found[i], row_of(logits, static_cast<std::int64_t>(i)));
    waiting_.clear();
    places_.clear();
  }

  void count(const Place& place, const RowEffect& row, std::span<const float> logits) {
    AblationEffect& effect = effects_[place.set];
    const BaseRow& base = rows_[place.row];
    if (!all_rows_ || std::cmp_equal(place.row, row_)) {
      effect.divergence = row.divergence;
      effect.top_logit_change = static_cast<double>(logits[base.top]) - base.top_logit;
      effect.top_probability_change =
          std::exp(static_cast<double>(logits[base.top]) - row.log_sum) - base.shares[base.top];
      effect.top_token =
          std::isnan(row.log_sum) ? not_a_token : std::ranges::max_element(logits) - logits.begin();
    }
    if (!all_rows_) return;
    effect.mean_divergence += row.divergence / static_cast<double>(rows_.size());
    if (std::isnan(effect.likelihood_change) || place.row + 1 >= ids_.size()) return;
    const auto next = static_cast<std::size_t>(ids_[place.row + 1]);
    effect.likelihood_change += (base.next_log - (static_cast<double>(logits[next]) - row.log_sum)) /
                                static_cast<double>(ids_.size() - 1);
  }

  const Model& model_;
  const std::vector<std::int64_t>& ids_;
  bool all_rows_;
  std::int64_t row_;
  const Work& work_;
  std::vector<AblationEffect> effects_;
  std::vector<BaseRow> rows_;
  std::vector<float> waiting_;  // rows of streams, [places][d_model]
  std::vector<Place> places_;
};

}  // namespace

std::vector<HeadPlace> all_heads(const ModelSpec& spec) {
  const StackSpec& stack = spec.output_stack();
  std::vector<HeadPlace> heads;
  for (int block = 0; block < static_cast<int>(stack.blocks.size()); ++block)
    for (int head = 0; head < stack.blocks[static_cast<std::size_t>(block)].heads; ++head)
      heads.push_back({block, head});
  return heads;
}

std::vector<HeadPlace> shuffled(std::vector<HeadPlace> heads, std::uint64_t seed) {
  constexpr std::uint64_t stream = 1;
  std::vector<std::pair<std::uint64_t, HeadPlace>> keyed;
  for (std::size_t i = 0; i < heads.size(); ++i) keyed.emplace_back(random_bits(seed, stream, i), heads[i]);
  std::ranges::stable_sort(keyed, {}, [](const auto& entry) { return entry.first; });
  for (std::size_t i = 0; i < heads.size(); ++i) heads[i] = keyed[i].second;
  return heads;
}

std::vector<AblationEffect> ablation_effects(const Model& model, const ModelRun& base,
                                             std::span<const HeadSet> sets, const AblationRequest& request,
                                             AblationProgress* progress, const Work& work) {
  check_ablations(model, base, sets);
  EffectMeter meter(model, base, request, sets.size(), work);
  pass_ablations(
      {model, base, request.kind, meter.all_rows(), meter.row()}, sets,
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
    const double mean = entry.effect.mean_divergence;
    return std::isnan(mean) ? entry.effect.divergence : mean;
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
