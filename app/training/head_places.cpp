#include "app/training/head_places.hpp"

#include <algorithm>
#include <cmath>

#include "app/training/run_words.hpp"

namespace attnscope {

std::vector<HeadFact> head_facts_of(const TrainingPanels& panels, const training::LabPoint& point,
                                    std::int64_t number) {
  const auto head = static_cast<std::size_t>(number);
  std::vector<HeadFact> facts;
  if (panels.has_plot("entropy")) facts.push_back({"H", point.metrics.entropy[head]});
  for (std::size_t s = 0; s < panels.lab.task->scores.size(); ++s)
    if (const std::string_view score = panels.lab.task->scores[s].name; panels.has_plot(score))
      facts.push_back({score, point.metrics.scores[s][head]});
  if (!point.costs.empty() && panels.has_plot("cost"))
    facts.push_back({"muted", -training::job_of_head(*panels.lab.task, point, head).cost});
  return facts;
}

HeadTitle head_title_of(const TrainingPanels& panels, const training::LabPoint* point, std::int64_t head) {
  HeadTitle title;
  if (point == nullptr) return title;
  const training::HeadJob job =
      training::job_of_head(*panels.lab.task, *point, static_cast<std::size_t>(head));
  const auto& scores = panels.lab.task->scores;
  title.is_named = job.score >= 0;
  if (title.is_named) title.name = scores[static_cast<std::size_t>(job.score)].name;
  if (title.is_named ? !panels.has_plot(title.name) : std::ranges::any_of(scores, [&](const auto& one) {
        return !panels.has_plot(one.name);
      }))
    title = {{}, {}, false};
  if (!panels.covers_numbers && panels.has_plot("cost")) title.need = lab_need_word(job.need);
  return title;
}

HeadLines lines_of_titles(const TrainingPanels& panels, const training::LabPoint* point, const Box& box) {
  const Ui& ui = panels.ui();
  const float badge_wide = ui.text_width(own("L0H0"), type::tick, Ink::Medium) + ui.px(12);
  const std::vector<HeadFact> facts =
      point != nullptr ? head_facts_of(panels, *point, 0) : std::vector<HeadFact>();
  const float wide = box.w - (box.w > ui.px(176) ? width_of_facts(ui, facts) : 0);
  const float room = std::min(wide, box.h - ui.px(24)) - badge_wide,
              least = std::min(wide, box.h - ui.px(39)) - badge_wide;
  HeadLines lines;
  for (std::int64_t head = 0; head < panels.heads(); ++head) {
    const HeadTitle title = head_title_of(panels, point, head);
    const float name = ui.text_width(title.name, type::label, title.is_named ? Ink::Semibold : Ink::Regular);
    if (name + ui.px(8) > least) lines = {true, true};
    if (!title.need.empty() && name + ui.text_width(title.need, type::tick, Ink::Medium) + ui.px(16) > room)
      lines.two = true;
  }
  return lines;
}

HeadLayout layout_of_head(const TrainingPanels& panels, const ProbeText* text, std::int64_t rows,
                          const std::vector<HeadFact>& facts, float width, float height) {
  const Ui& ui = panels.ui();
  const auto fit = [&](float w, float h) { return fit_square(ui, text, rows, w, h); };
  if (facts.empty()) return {fit(width, height)};
  const LabelledSquare beside = fit(width - width_of_facts(ui, facts), height),
                       below = fit(width, height - ui.px(44)), line = fit(width, height - ui.px(20));
  // On a small page labels count more than all of the numbers.
  if (panels.enlarges && !beside.has_labels() && !below.has_labels() && line.has_labels())
    return {line, false, false, true};
  const bool is_below_better = below.side > ui.px(180) && below.side > beside.side;
  if (is_below_better || (below.has_labels() && !beside.has_labels())) return {below, false, true};
  if (width > ui.px(176)) return {beside, true};
  return {fit(width, height)};
}

HeadPlaces place_heads(const TrainingPanels& panels, const training::LabPoint* point, const ProbeText* text,
                       std::int64_t rows, const Box& inner, float gap) {
  const std::int64_t layers = panels.recipe().network.layers, per_layer = panels.recipe().network.heads;
  const bool alone = panels.large_head() >= 0;
  const std::int64_t count = alone ? 1 : layers * per_layer;
  HeadPlaces places;
  places.inner = inner;
  places.columns = alone ? 1 : per_layer;
  // As many columns as make the pictures largest.
  float best = 0;
  for (std::int64_t c = 1; c <= count; ++c) {
    if (layers > 1 && !alone && c != per_layer && c * 2 != per_layer) continue;
    const std::int64_t lines = (count + c - 1) / c;
    const float side = std::min(inner.w / static_cast<float>(c), inner.h / static_cast<float>(lines));
    if (side > best) best = side, places.columns = c;
  }
  const auto across = static_cast<float>(places.columns),
             down = static_cast<float>((count + places.columns - 1) / places.columns);
  places.wide = std::floor((inner.w - gap * (across - 1)) / across);
  places.high = std::floor((inner.h - gap * (down - 1)) / down);
  const std::vector<HeadFact> facts =
      point != nullptr && !panels.covers_numbers ? head_facts_of(panels, *point, 0) : std::vector<HeadFact>();
  const auto layout = [&](float title) {
    return layout_of_head(panels, text, rows, facts, places.wide, places.high - title);
  };
  // Where the numbers take one line, the word for what a head is needed for stands there, too.
  if (!facts.empty() && layout(panels.ui().px(24)).in_line)
    places.titles = {};
  else
    places.titles = lines_of_titles(panels, point, {inner.x, inner.y, places.wide, places.high});
  places.has_labels = layout(panels.ui().px(places.titles.two ? 39 : 24)).square.has_labels();
  return places;
}

}  // namespace attnscope
