#include "app/views/model/facts.hpp"

#include <algorithm>

#include "app/scene/scene.hpp"
#include "app/state/model_look.hpp"
#include "core/models/changes.hpp"

namespace attnscope {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Whether it is the self-attention of the stack that gives the output: only its heads are scored and
/// ablated.
bool is_measured(const ModelReading& reading, AttentionOf of) {
  return of == output_attention(reading.within.model->model->spec);
}

MeasuredHead scored(const std::shared_ptr<const std::vector<std::vector<HeadScores>>>& all, HeadScore score,
                    const ModelHead& head) {
  const auto block = static_cast<std::size_t>(head.block), h = static_cast<std::size_t>(head.head);
  if (!all || block >= all->size() || h >= (*all)[block].size()) return {};
  const PatternScore& found = (*all)[block][h][static_cast<std::size_t>(score)];
  return {found.score, found.uniform};
}

double effect_of(const ModelReading& reading, const ModelHead& head) {
  if (!reading.effects) return unknown;
  const ModelSpec& spec = reading.within.model->model->spec;
  std::size_t at = static_cast<std::size_t>(head.head);
  for (int block = 0; block < head.block; ++block)
    at += static_cast<std::size_t>(heads_in(spec, head.of, block));
  return at < reading.effects->effects.size() ? reading.effects->effects[at].top_logit_change : unknown;
}

}  // namespace

std::vector<AttentionOf> attentions_of(const ModelSpec& spec) {
  std::vector<AttentionOf> all;
  if (spec.encoder) all.push_back(AttentionOf::Encoder);
  if (spec.decoder) all.push_back(AttentionOf::Decoder);
  if (spec.decoder && spec.decoder->cross) all.push_back(AttentionOf::Cross);
  return all;
}

std::vector<ModelHead> all_model_heads(const ModelSpec& spec) {
  std::vector<ModelHead> all;
  for (const AttentionOf of : attentions_of(spec))
    for (int block = 0; block < blocks_in(spec, of); ++block)
      for (int head = 0; head < heads_in(spec, of, block); ++head) all.push_back({of, block, head});
  return all;
}

const std::shared_ptr<const ModelRun>& shown_run(const Scene& scene) {
  const bool clean = model_look_of(scene.view).without_changes && scene.model->clean;
  return clean ? scene.model->clean : scene.model->run;
}

ModelFacts changed_facts(const ModelReading& reading) { return {reading.run, reading.numbers}; }

ModelFacts model_facts_of(const Scene& scene) {
  const ModelReading& reading = *scene.model;
  const bool is_clean = shown_run(scene) != reading.run;
  return {shown_run(scene), is_clean ? reading.clean_numbers : reading.numbers};
}

double entropy_of(const ModelFacts& facts, const ModelHead& head) {
  return facts.numbers ? facts.numbers->entropy_of(head.of, head.block, head.head) : unknown;
}

MeasuredHead measure(const ModelReading& reading, const ModelFacts& facts, HeadMeasure what,
                     const ModelHead& head) {
  if (what == HeadMeasure::Entropy)
    return {entropy_of(facts, head), facts.numbers ? facts.numbers->median_entropy : unknown};
  const bool is_scored = facts.run == reading.run;  // false: the run without the changes, which is not scored
  const auto on_text = [&](HeadScore score) {
    return is_scored && head.of == reading.scores_of ? scored(reading.scores, score, head) : MeasuredHead{};
  };
  if (what == HeadMeasure::Previous) return on_text(HeadScore::Previous);
  if (what == HeadMeasure::First) return on_text(HeadScore::First);
  if (!is_measured(reading, head.of)) return {};
  switch (what) {
    case HeadMeasure::Induction: return scored(reading.battery, HeadScore::Induction, head);
    case HeadMeasure::Duplicate: return scored(reading.battery, HeadScore::Duplicate, head);
    case HeadMeasure::Effect: return {effect_of(reading, head), 0};
    default: break;
  }
  return {};
}

Rank rank_of(const ModelReading& reading, const ModelFacts& facts, HeadMeasure what, const ModelHead& head) {
  // A rank among only some of the heads would change with the next effects.
  if (what == HeadMeasure::Effect && reading.effects &&
      reading.effects->known < std::ssize(reading.effects->heads))
    return {};
  const auto size = [&](const ModelHead& of) {
    const double value =
        what == HeadMeasure::Entropy ? entropy_of(facts, of) : measure(reading, facts, what, of).value;
    return what == HeadMeasure::Effect ? std::abs(value) : value;
  };
  const double own = size(head);
  if (std::isnan(own)) return {};
  Rank rank{1, 0};
  for (const ModelHead& other : all_model_heads(reading.within.model->model->spec)) {
    const double value = size(other);
    if (std::isnan(value)) continue;
    ++rank.of;
    if (value > own) ++rank.place;
  }
  return rank;
}

std::optional<ModelHead> strongest_head(const ModelReading& reading) {
  const EffectsReading* const effects = reading.effects.get();
  if (effects == nullptr || effects->known < std::ssize(effects->heads)) return std::nullopt;
  std::optional<ModelHead> strongest;
  double most = 0;
  for (std::size_t i = 0; i < effects->heads.size(); ++i) {
    const double size = std::abs(effects->effects[i].top_logit_change);
    if (!(size > most)) continue;
    most = size;
    strongest = ModelHead{output_attention(reading.within.model->model->spec), effects->heads[i].block,
                          effects->heads[i].head};
  }
  return strongest;
}

std::vector<BlockEffect> block_effects(const ModelReading& reading) {
  std::vector<BlockEffect> blocks;
  if (!reading.effects) return blocks;
  for (std::size_t i = 0; i < reading.effects->heads.size(); ++i) {
    const auto block = static_cast<std::size_t>(reading.effects->heads[i].block);
    if (block >= blocks.size()) blocks.resize(block + 1);
    ++blocks[block].heads;
    const double change = reading.effects->effects[i].top_logit_change;
    if (std::isnan(change)) continue;
    blocks[block].sum += std::abs(change);
    ++blocks[block].known;
  }
  return blocks;
}

HeadGroup group_of(const ModelReading& reading, const ModelHead& head) {
  const auto lift = [&](const auto& scores, HeadScore score, bool counted) {
    if (!counted) return -1.0;
    const MeasuredHead found = scored(scores, score, head);
    return found.is_known() ? (found.value - found.chance) / (1 - found.chance) : -1.0;
  };
  struct Candidate {
    HeadGroup group;
    double lift;
  };
  const bool on_text = head.of == reading.scores_of, on_battery = is_measured(reading, head.of);
  // A head's behaviour on random tokens holds on any text; on a text without repetitions such a head looks
  // elsewhere.
  const double induction = lift(reading.battery, HeadScore::Induction, on_battery),
               duplicate = lift(reading.battery, HeadScore::Duplicate, on_battery);
  if (induction >= least_lift && induction >= duplicate) return HeadGroup::Induction;
  HeadGroup best = HeadGroup::Rest;
  double most = least_lift;
  for (const Candidate& candidate :
       {Candidate{HeadGroup::Previous, lift(reading.scores, HeadScore::Previous, on_text)},
        {HeadGroup::First, lift(reading.scores, HeadScore::First, on_text)},
        {HeadGroup::Duplicate, duplicate}}) {
    if (!(candidate.lift >= most)) continue;
    most = candidate.lift;
    best = candidate.group;
  }
  return best;
}

std::string_view group_name(HeadGroup group) {
  switch (group) {
    case HeadGroup::Previous: return "previous token";
    case HeadGroup::Induction: return "induction";
    case HeadGroup::First: return "first token";
    case HeadGroup::Duplicate: return "duplicate token";
    case HeadGroup::Rest: break;
  }
  return {};
}

const HeadChange* change_of_head(const ModelChanges& changes, const ModelHead& head) {
  for (auto change = changes.heads.rbegin(); change != changes.heads.rend(); ++change)
    if (change->of == head.of && change->block == head.block && change->head == head.head) return &*change;
  return nullptr;
}

const BlockChange* change_of_block(const ModelChanges& changes, AttentionOf of, int block) {
  for (auto change = changes.blocks.rbegin(); change != changes.blocks.rend(); ++change)
    if (change->of == of && change->block == block) return &*change;
  return nullptr;
}

const ModelChanges& shown_changes(const Scene& scene) { return shown_run(scene)->changes; }

std::string layer_name(const ModelSpec& spec, AttentionOf of, int block) {
  const std::string number = std::to_string(block);
  if (attentions_of(spec).size() == 1) return "Layer " + number;
  switch (of) {
    case AttentionOf::Encoder: return "Encoder " + number;
    case AttentionOf::Cross: return "Cross " + number;
    case AttentionOf::Decoder: break;
  }
  return "Decoder " + number;
}

std::string head_name(const ModelSpec& spec, const ModelHead& head) {
  const std::string number = own(std::to_string(head.block) + "." + std::to_string(head.head));
  if (attentions_of(spec).size() == 1) return number;
  switch (head.of) {
    case AttentionOf::Encoder: return inner("encoder " + number);
    case AttentionOf::Cross: return inner("cross " + number);
    case AttentionOf::Decoder: break;
  }
  return inner("decoder " + number);
}

ModelHead chosen_head(const Scene& scene) {
  const ModelContext& within = scene.document.within.read();
  const ModelSpec& spec = scene.model->within.model->model->spec;
  const std::vector<AttentionOf> there = attentions_of(spec);
  const bool has = std::find(there.begin(), there.end(), within.of) != there.end();
  const AttentionOf of = has ? within.of : output_attention(spec);
  const int block = std::clamp(within.block, 0, blocks_in(spec, of) - 1);
  return {of, block, std::clamp<std::int64_t>(scene.selection.head, 0, heads_in(spec, of, block) - 1)};
}

ModelHead shown_head(const Scene& scene) {
  const ModelLook& state = model_look_of(scene.view);
  const ModelHead chosen = chosen_head(scene);
  if (!state.hovered || state.locked) return chosen;
  const ModelSpec& spec = scene.model->within.model->model->spec;
  const std::vector<AttentionOf> there = attentions_of(spec);
  const ModelHead& head = *state.hovered;
  if (std::find(there.begin(), there.end(), head.of) == there.end()) return chosen;
  const bool is_there = head.block >= 0 && head.block < blocks_in(spec, head.of) && head.head >= 0 &&
                        head.head < heads_in(spec, head.of, head.block);
  return is_there ? head : chosen;
}

std::string row_name(const ModelReading& reading, std::int64_t row) {
  const Sequence& rows = reading.tokens->queries_of(output_attention(reading.within.model->model->spec));
  if (row < 0 || row >= std::ssize(rows.tokens)) return std::to_string(row);
  const std::string& label = rows.tokens[static_cast<std::size_t>(row)].text;
  return own(label.substr(std::min(label.find_first_not_of(' '), label.size())));
}

}  // namespace attnscope
