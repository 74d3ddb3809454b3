// app/pages/model: the effect of zeroing every head alone, as a map and as a list.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/model/atlas/parts.hpp"
#include "app/views/atlas/effect_words.hpp"
#include "app/views/atlas/head_numbers.hpp"
#include "app/views/atlas/tables.hpp"

namespace attnscope {
namespace {

/// The known numbers of all heads.
struct EffectColumns {
  explicit EffectColumns(const EffectsReading& reading) {
    for (const AblationEffect& effect : reading.effects) {
      columns[0].push_back(effect.top_logit_change);
      columns[1].push_back(effect.divergence);
      columns[2].push_back(effect.top_probability_change);
    }
  }
  std::array<std::vector<double>, 3> columns;  // in the order of EffectMeasure
};

std::string likeliest_without(const ModelReading& reading) {
  const ModelPrediction* const prediction = reading.prediction.get();
  if (prediction == nullptr || prediction->top_before.empty()) return {};
  return predicted_name(reading, prediction->top_before.front().id);
}

/// Why there are no effects.
std::string_view why_no_effects(const ModelReading& reading) {
  const ModelSpec& spec = reading.within.model->model->spec;
  if (!spec.has_logits())
    return "Nothing is predicted by this model, so what a head does to the prediction cannot be measured.";
  if (spec.head.kind == HeadKind::AnswerSpan)
    return "This model says where an answer begins and ends; effects are measured on tokens and classes.";
  if (spec.head.kind == HeadKind::MaskedToken)
    return "No word is masked: put the model's mask, such as [MASK], in the place of a word.";
  return "Computing.";
}

HeadTip effect_tip(const ModelReading& reading, std::size_t index) {
  const ModelSpec& spec = reading.within.model->model->spec;
  const EffectsReading& effects = *reading.effects;
  const AblationEffect& effect = effects.effects[index];
  HeadTip tip{.title = "head " + head_name(spec, model_head(spec, effects.heads[index])),
              .numbers = reading.not_finite.empty() ? "not known yet" : "NaN",
              .why = "Zeroed alone, in the model without changes."};
  if (std::isnan(effect.divergence)) return tip;
  tip.numbers = "Δ logit " + with_sign(effect.top_logit_change) + "   KL " + in_nats(effect.divergence) +
                "   Δ p " + percent_with_sign(effect.top_probability_change) + " %   then " +
                predicted_name(reading, effect.top_token);
  return tip;
}

}  // namespace

void draw_effects(Scene& scene, const Box& region) {
  const Ui& ui = scene.ui;
  AtlasState& state = model_state_of(scene.view).atlas;
  const ModelReading& reading = *scene.model;
  const EffectsReading* const effects = reading.effects.get();
  if (effects == nullptr || effects->heads.empty() || !reading.prediction || reading.prediction->row < 0) {
    const Box area = begin_screen_region(scene, region, "Atlas", {}, nullptr, nullptr);
    ui.paragraph(area.x, area.y + ui.px(8), area.w, why_no_effects(reading), {type::label, ui.theme.text2});
    return;
  }
  const EffectColumns numbers(*effects);
  const auto shown = static_cast<std::size_t>(state.measure);
  const EffectWords& words = effect_words(state.measure);
  ColourScale scale = centred_scale(ui, numbers.columns[shown]);
  if (state.measure == EffectMeasure::Divergence)
    scale = {.map = ui.theme.weights, .low = 0, .high = scale.high};
  const std::string token = likeliest_without(reading);
  std::string note = "what zeroing a head does to ";
  note += state.measure == EffectMeasure::Divergence ? "the prediction, KL"
          : state.measure == EffectMeasure::Logit    ? "the logit of “" + own(token) + "”"
                                                     : "the probability of “" + own(token) + "”";
  note += "  ·  rows are layers";
  const Box area = begin_screen_region(scene, region, "Atlas", note, &scale, words.written);
  const Box list = list_part(scene, area);
  const float gap = list.w > 0 ? ui.px(scene.compact ? 16 : 28) : 0;
  draw_head_map_of(scene, {area.x, area.y, list.x - area.x - gap, area.h},
                   {.label = "Atlas of heads",
                    .heads = effects->heads,
                    .values = numbers.columns[shown],
                    .scale = scale,
                    .written = words.in_map,
                    .tip = [&](std::size_t i) { return effect_tip(reading, i); }});
  if (list.w <= 0) return;
  const std::int64_t all = std::ssize(effects->heads);
  const float below = effects->known < all ? ui.px(36) : 0;
  draw_head_list(scene, {list.x, list.y, list.w, list.h - below},
                 {.label = "effect of",
                  .heads = effects->heads,
                  .table = effects_table(reading),
                  .colour =
                      [&](std::size_t i) {
                        const double value = numbers.columns[shown][i];
                        return std::isnan(value) ? ui.theme.hatch_ground
                                                 : colour_of(scale, static_cast<float>(value));
                      }},
                 state.order);
  if (below == 0) return;
  const bool runs = !scene.model_task.what.empty() && !reading.is_stopped;
  switch (draw_progress_row(ui, {list.x, list.bottom() - ui.px(28), list.w, ui.px(28)},
                            {"effects", effects->known, all, runs})) {
    case ProgressPress::Cancel: scene.requests.cancel_model = true; break;
    case ProgressPress::GoOn: scene.requests.resume_model = true; break;
    case ProgressPress::None: break;
  }
}

void effects_section(Column& c) {
  AtlasState& state = model_state_of(c.scene.view).atlas;
  const ModelReading& reading = *c.scene.model;
  if (c.begin({.which = Section::Effects,
               .label = "Effect of zeroing",
               .note = c.scene.compact ? "" : "each head alone",
               .opens = Opens::Always})) {
    constexpr std::array<std::string_view, 3> names{"Δ logit", "KL", "Δ p"};
    const std::array<Tip, 3> tips{effect_words(EffectMeasure::Logit).tip,
                                  effect_words(EffectMeasure::Divergence).tip,
                                  effect_words(EffectMeasure::Probability).tip};
    if (const auto picked =
            segments(c.ui(), "Effect", c.row(28), names, static_cast<int>(state.measure), tips))
      state.measure = static_cast<EffectMeasure>(*picked);
    if (const std::string token = likeliest_without(reading); !token.empty()) {
      const PredictedToken& top = reading.prediction->top_before.front();
      const std::string logit = "logit " + fixed(top.logit, 2);
      c.fact("Likeliest token", "likeliest token", token + "  " + fixed(100 * top.probability(), 1) + " %",
             {"Likeliest token",
              logit,
              "What the model predicts here without changes: its logit and its probability are compared.",
              {}});
    }
    if (!reading.within.changes.empty())
      c.remark("Effects are those of the model without what is changed inside it.");
  }
  c.end();
}

}  // namespace attnscope
