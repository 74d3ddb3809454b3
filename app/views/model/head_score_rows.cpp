#include "app/views/model/head_score_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "app/kit/ui/number_format.hpp"
#include "app/scene/picture.hpp"
#include "app/views/model/parts.hpp"
#include "core/engine/model/model_reading.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {

struct ScoreRow {
  HeadMeasure measure;
  std::string_view name, why;
  bool when_wide = false;  // only where there is room
};

namespace {

constexpr std::array<ScoreRow, 6> score_rows{
    {{HeadMeasure::Previous, "previous token",
      "The mean weight on the token before, over the rows of this text that have a choice."},
     {HeadMeasure::First, "first token",
      "The mean weight on the first token: where heads look that have nothing to do."},
     {HeadMeasure::Induction, "induction",
      "The mean weight on what followed the same token before, on random tokens that are repeated."},
     {HeadMeasure::Duplicate, "duplicate",
      "The mean weight on the same token elsewhere, on random tokens that are repeated.", true},
     {HeadMeasure::Entropy, "entropy ÷ ln n",
      "How evenly the weights are spread over the keys that a row may see: 1 is uniform.", true},
     {HeadMeasure::Effect, "effect on logit",
      "How the logit of the likeliest token changes when this head alone is zeroed, in the model without "
      "changes."}}};

/// The largest magnitude of any head's effect; 1 if none is known.
double largest_effect(const ModelReading& reading) {
  double most = 0;
  if (reading.effects)
    for (const AblationEffect& effect : reading.effects->effects)
      if (std::abs(effect.top_logit_change) > most) most = std::abs(effect.top_logit_change);
  return most > 0 ? most : 1;
}

}  // namespace

HeadScoreRows::HeadScoreRows(Scene& scene, const ModelHead& head)
    : scene_(scene),
      ui_(scene.ui),
      reading_(*scene.model),
      spec_(reading_.within.model->model->spec),
      head_(head) {
  for (const ScoreRow& score : score_rows)
    if (is_there(score)) rows_.push_back(&score);
}

float HeadScoreRows::height(float row) const {
  return ui_.px(26) + static_cast<float>(rows_.size()) * row + ui_.px(12);
}

bool HeadScoreRows::leave_one_out() {
  if (rows_.size() < 2) return false;
  for (const HeadMeasure least : {HeadMeasure::Duplicate, HeadMeasure::Entropy, HeadMeasure::First,
                                  HeadMeasure::Induction, HeadMeasure::Effect})
    if (std::erase_if(rows_, [&](const ScoreRow* score) { return score->measure == least; }) > 0) return true;
  return false;
}

/// Whether the measure exists for such a head, and has room.
bool HeadScoreRows::is_there(const ScoreRow& score) const {
  const bool both = spec_.reads_two_texts(), of_text = !spec_.image && head_.of != AttentionOf::Cross;
  if (of_text && !both && scene_.compact && score.when_wide) return false;
  switch (score.measure) {
    case HeadMeasure::Previous:
    case HeadMeasure::First: return of_text;
    case HeadMeasure::Induction:
    case HeadMeasure::Duplicate: return of_text && !both;
    case HeadMeasure::Effect: return head_.of == output_attention(spec_);
    case HeadMeasure::Entropy: break;
  }
  return true;
}

void HeadScoreRows::draw(const Box& area, float row) const {
  const ModelFacts facts = model_facts_of(scene_);
  ui_.horizontal(area.x, area.y, area.w, ui_.theme.hairline);
  const float y = area.y + ui_.px(14);
  std::int64_t all = 0;
  for (const ScoreRow& score : score_rows)
    all = std::max(all, attnscope::rank_of(reading_, facts, score.measure, head_).of);
  const std::string of_all = all > 0 ? "of " + std::to_string(all) : std::string();
  const float name_width = ui_.px(scene_.compact ? 92 : 100), value_width = ui_.px(52),
              rank_width = std::max(ui_.px(40), ui_.text_width(of_all, type::tick) + ui_.px(8));
  const Box bars{area.x + name_width, area.y, area.w - name_width - rank_width - value_width - ui_.px(8),
                 row};
  ui_.text(area.x, y, "score", {type::tick, ui_.theme.text3});
  ui_.text(bars.x, y, "tick: chance", {type::tick, ui_.theme.text3});
  ui_.text(area.right() - rank_width, y, "this", {type::tick, ui_.theme.text3, Ink::Regular, Align::Right});
  ui_.text(area.right(), y, of_all, {type::tick, ui_.theme.text3, Ink::Regular, Align::Right});
  float top = area.y + ui_.px(26);
  for (const ScoreRow* score : rows_) {
    draw_row(*score, {area.x, top, area.w, row}, {bars.x, top, bars.w, row}, rank_width);
    top += row;
  }
}

/// A rank among only some of the heads is not shown.
bool HeadScoreRows::are_effects_known() const {
  return !reading_.effects || reading_.effects->known == std::ssize(reading_.effects->heads);
}

void HeadScoreRows::draw_row(const ScoreRow& score, const Box& line, const Box& bar, float rank_width) const {
  const ModelFacts facts = model_facts_of(scene_);
  const MeasuredHead found = measure(reading_, facts, score.measure, head_);
  const Ui::Touch touch = ui_.touch(std::string("score ").append(score.name).c_str(), line, false);
  const float y = line.centre_y();
  ui_.text(line.x, y, score.name,
           {type::label, ui_.theme.text2, Ink::Regular, Align::Left, bar.x - line.x - ui_.px(4)});
  const Box track{bar.x, std::round(y - ui_.px(3)), bar.w, ui_.px(6)};
  ui_.fill(track, ui_.theme.bar_ground, ui_.px(2));
  const bool centred = score.measure == HeadMeasure::Effect;
  const double reach = centred ? largest_effect(reading_) : 1;
  const auto place = [&](double value) {
    const double share = centred ? 0.5 + 0.5 * value / reach : value;
    return track.x + track.w * static_cast<float>(std::clamp(share, 0.0, 1.0));
  };
  const double chance = centred ? 0 : found.chance;
  if (found.is_known()) {
    const float from = centred ? place(0) : track.x, to = place(found.value);
    ui_.fill({std::min(from, to), track.y, std::max(ui_.px(1), std::abs(to - from)), track.h}, ui_.theme.bar,
             ui_.px(2));
    if (!std::isnan(chance))
      ui_.fill(
          {std::round(place(chance)), track.y - ui_.px(3), std::max(1.f, ui_.px(1)), track.h + ui_.px(6)},
          ui_.theme.text2);
  }
  const float right = line.right() - rank_width;
  const std::string_view none =
      reading_.not_finite.empty() ? "–" : "NaN";  // see the prediction for the place of the first NaN
  ui_.text(right, y, found.is_known() ? fixed(found.value, 2) : std::string(none),
           {type::label, found.is_known() ? ui_.theme.text1 : ui_.theme.text3, Ink::Medium, Align::Right});
  const bool is_ranked = !centred || are_effects_known();
  const Rank rank = attnscope::rank_of(reading_, facts, score.measure, head_);
  if (rank.of > 0 || !is_ranked)
    ui_.text(line.right(), y, is_ranked ? grouped(rank.place) : "–",
             {type::label, ui_.theme.text3, Ink::Regular, Align::Right});
  const std::string chance_words =
      !is_ranked ? "known of " + counted(reading_.effects->known, "head so far", "heads so far")
      : centred || std::isnan(chance)         ? std::string()
      : score.measure == HeadMeasure::Entropy ? "median of all heads " + fixed(chance, 2)
                                              : "uniform attention " + fixed(chance, 2);
  tooltip(ui_, touch.hovered, line, {score.name, chance_words, score.why, {}});
}

}  // namespace attnscope
