// app/training: every head's weights on the probe at the shown step, with the name of the score that it
// passes.
#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/widgets.hpp"
#include "app/scene/picture.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/training/panels.hpp"
#include "app/training/run_words.hpp"

namespace attnscope {
namespace {

using training::LabMoment;
using training::LabPoint;

struct HeadPicture {
  std::shared_ptr<const LabMoment> moment;
  std::shared_ptr<const LabMoment> minus;  // the subtracted moment; null: none
  std::int64_t head;
};

void draw_lab_matrix(const TrainingPanels& panels, const HeadPicture& of, const char* place, const Box& box) {
  const Ui& ui = panels.ui();
  const std::int64_t per_layer = panels.recipe().network.heads;
  std::uint64_t content = mix_hash(ui.textures.serial(of.moment), ui.textures.serial(of.minus));
  for (const auto part : {static_cast<std::uint64_t>(of.head), static_cast<std::uint64_t>(box.w),
                          static_cast<std::uint64_t>(box.h), static_cast<std::uint64_t>(ui.theme.name)})
    content = mix_hash(content, part);
  ui.matrix(place, content, box, [&](const Ui::UseJob& use) {
    const auto weights = of.moment->probe.weights.matrix(of.head / per_layer, of.head % per_layer);
    Tensor numbers({weights.rows(), weights.cols()});
    numbers.matrix() = weights;
    if (of.minus != nullptr)
      numbers.matrix() -= of.minus->probe.weights.matrix(of.head / per_layer, of.head % per_layer);
    const Map map =
        of.minus != nullptr ? ui.theme.scores : weights_map(ui.theme, focus_of(panels.scene.view).colours);
    const Tensor& whole = numbers;
    RasterJob job = whole_matrix(ui, whole.matrix(), colormap(map), box);
    job.low = of.minus != nullptr ? -1.f : 0.f;
    job.high = 1;
    use(job);
  });
}

struct HeadFact {
  std::string_view label;
  double value;
};
std::vector<HeadFact> facts_of(const TrainingPanels& panels, const LabPoint& point, std::int64_t number) {
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

/// Width of the numbers beside a head's picture, gap included: enough for the longest label.
float width_of_facts(const Ui& ui, const std::vector<HeadFact>& facts) {
  float wide = ui.px(48);
  for (const HeadFact& one : facts)
    wide = std::max(wide, std::ceil(ui.text_width(one.label, type::tick, Ink::Regular)));
  return wide + ui.px(10);
}

/// Two numbers a line. A label longer than half the line takes what the other column does not need.
void draw_facts_below(const TrainingPanels& panels, const std::vector<HeadFact>& facts, const Box& box) {
  const Ui& ui = panels.ui();
  const float gap = ui.px(12), line = std::floor(box.h / 2);
  const auto wanted = [&](std::size_t column) {
    float wide = 0;
    for (std::size_t i = column; i < facts.size() && i < 4; i += 2)
      wide = std::max(wide, ui.text_width(facts[i].label, type::tick, Ink::Regular) + ui.px(8) +
                                ui.text_width(fixed(facts[i].value, 2), type::tick, Ink::Semibold));
    return std::ceil(wide);
  };
  const float first = wanted(0), left_to_first = std::max(first, std::floor(box.w - gap - wanted(1))),
              split = std::clamp(std::floor((box.w - gap) / 2), first, left_to_first);
  for (std::size_t i = 0; i < facts.size() && i < 4; ++i) {
    const float x = box.x + (split + gap) * static_cast<float>(i % 2),
                y = box.y + line * (static_cast<float>(i / 2) + 0.5f),
                wide = i % 2 == 0 ? split : box.w - gap - split;
    const float number = ui.text(x + wide, y, fixed(facts[i].value, 2),
                                 {type::tick, ui.theme.text1, Ink::Semibold, Align::Right});
    ui.text(x, y, facts[i].label,
            {type::tick, ui.theme.text2, Ink::Regular, Align::Left, wide - number - ui.px(4)});
  }
}

/// "induction", and the word for what ablating the head costs: "shared". Scores that the page does not show
/// are not named.
struct HeadTitle {
  std::string name = "no name yet";
  std::string_view need;
  bool is_named = false;
};
HeadTitle title_of(const TrainingPanels& panels, const LabPoint* point, std::int64_t head) {
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

/// The same for all heads: whether the word has a line of its own, and whether the badge is on it, too.
struct HeadLines {
  bool two = false, badge_below = false;
};
HeadLines lines_of_titles(const TrainingPanels& panels, const LabPoint* point, const Box& box) {
  const Ui& ui = panels.ui();
  const float badge_wide = ui.text_width(own("L0H0"), type::tick, Ink::Medium) + ui.px(12);
  const std::vector<HeadFact> facts =
      point != nullptr ? facts_of(panels, *point, 0) : std::vector<HeadFact>();
  const float wide = box.w - (box.w > ui.px(176) ? width_of_facts(ui, facts) : 0);
  const float room = std::min(wide, box.h - ui.px(24)) - badge_wide,
              least = std::min(wide, box.h - ui.px(39)) - badge_wide;
  HeadLines lines;
  for (std::int64_t head = 0; head < panels.heads(); ++head) {
    const HeadTitle title = title_of(panels, point, head);
    const float name = ui.text_width(title.name, type::label, title.is_named ? Ink::Semibold : Ink::Regular);
    if (name + ui.px(8) > least) lines = {true, true};
    if (!title.need.empty() && name + ui.text_width(title.need, type::tick, Ink::Medium) + ui.px(16) > room)
      lines.two = true;
  }
  return lines;
}

/// `below`: the word has a line of its own, of width `room_of_need`.
void draw_head_title(const Ui& ui, const HeadTitle& title, ImVec2 at, float room, float room_of_need,
                     bool below) {
  const float line = ui.px(18);
  const float name = ui.text(at.x, at.y + line / 2, title.name,
                             {type::label, title.is_named ? ui.theme.text1 : ui.theme.text2,
                              title.is_named ? Ink::Semibold : Ink::Regular, Align::Left, room});
  if (title.need.empty()) return;
  const float x = below ? 0 : name + ui.px(8);
  ui.text(at.x + x, at.y + line * (below ? 1.4f : 0.5f), title.need,
          {type::tick, ui.theme.text2, Ink::Medium, Align::Left, std::max(1.f, room_of_need - x)});
}

/// The head's picture, name, badge and numbers.
void draw_lab_head(const TrainingPanels& panels, const LabPoint* point, const HeadPicture& of, const Box& box,
                   const HeadLines& lines) {
  const Ui& ui = panels.ui();
  const std::string badge_text = lab_head_name(panels.recipe(), of.head);
  const float badge_wide = ui.text_width(own(badge_text), type::tick, Ink::Medium) + ui.px(12),
              line = ui.px(lines.two ? 33 : 18);
  const Rgba hue = ui.theme.head(of.head);
  // Numbers are beside the picture or below it, whichever leaves the picture larger.
  const std::vector<HeadFact> facts = point != nullptr && !panels.covers_numbers
                                          ? facts_of(panels, *point, of.head)
                                          : std::vector<HeadFact>();
  const bool numbers = !facts.empty();
  const float under = ui.px(44), room = box.h - line - ui.px(6), facts_wide = width_of_facts(ui, facts);
  const bool below = numbers && std::min(box.w, room - under) > ui.px(180) &&
                     std::min(box.w, room - under) > std::min(box.w - facts_wide, room);
  const bool beside = numbers && !below && box.w > ui.px(176);
  const float column = beside ? facts_wide : 0;
  const float side = std::floor(std::min(box.w - column, below ? room - under : room));
  const float beside_badge = std::max(1.f, side - badge_wide - ui.px(8));
  draw_head_title(ui, title_of(panels, point, of.head), {box.x, box.y},
                  lines.badge_below ? std::max(1.f, side) : beside_badge, beside_badge, lines.two);
  badge(ui, {box.x + side - badge_wide, box.y + (lines.badge_below ? ui.px(17) : 0), badge_wide, ui.px(16)},
        own(badge_text), fade(hue, 0.3f), hue);
  const Box picture{box.x, box.y + line + ui.px(2), side, side};
  ui.frame(picture.grown(1), ui.theme.border);
  draw_lab_matrix(panels, of, ("lab head " + badge_text).c_str(), picture);
  if (below) return draw_facts_below(panels, facts, {picture.x, picture.bottom() + ui.px(4), side, under});
  if (!beside) return;
  float y = picture.y + ui.px(8);
  const auto fact = [&](std::string_view label, double value) {
    if (y + ui.px(26) > picture.bottom()) return;
    ui.text(picture.right() + ui.px(10), y, label,
            {type::tick, ui.theme.text2, Ink::Regular, Align::Left, column - ui.px(10)});
    ui.text(picture.right() + ui.px(10), y + ui.px(15), fixed(value, 2),
            {type::tick, ui.theme.text1, Ink::Semibold});
    y += ui.px(36);
  };
  for (const HeadFact& one : facts) fact(one.label, one.value);
}

void draw_lab_sides(const TrainingPanels& panels, const Box& box) {
  constexpr std::array<std::string_view, 3> names{"A", "B", "A − B"};
  if (panels.b == nullptr) return;
  if (const auto picked =
          segments(panels.ui(), "Heads of", box, names, static_cast<int>(panels.state().side)))
    panels.state().side = static_cast<LabSide>(*picked);
}

}  // namespace

void draw_lab_heads(const TrainingPanels& panels, const Box& box) {
  const Ui& ui = panels.ui();
  const float pad = ui.px(panels.narrow ? 12 : 20);
  float top = box.y + ui.px(panels.narrow ? 16 : 24);
  const training::LabRun* const run = panels.shown();
  const std::shared_ptr<const LabMoment> moment = run->moment_at(panels.step);
  const LabPoint* const point = run->point_at(panels.step);
  Box sides{box.right() - pad - ui.px(150), top - ui.px(14), ui.px(150), ui.px(28)};
  const float title =
      ui.text(box.x + pad, top, "Heads on the probe", {type::body, ui.theme.text1, Ink::Semibold});
  // The switch of sides gets a line of its own if it does not fit beside the title.
  const bool has_line = panels.b != nullptr && sides.x < box.x + pad + title + ui.px(60);
  if (has_line) sides.y += ui.px(28);
  draw_lab_sides(panels, sides);
  if (moment == nullptr) return;
  const std::int64_t rows = moment->probe.weights.shape()[2];
  ui.text(
      box.x + pad + title + ui.px(12), top,
      "step " + grouped(moment->step) + "   ·   " + std::to_string(rows) +
          (panels.recipe().network.reads_patches() ? " patches" : " tokens"),
      {type::tick, ui.theme.text2, Ink::Regular, Align::Left,
       (panels.b != nullptr && !has_line ? sides.x : box.right() - pad) - box.x - pad - title - ui.px(20)});
  if (has_line) top += ui.px(32);
  const bool is_difference = panels.state().side == LabSide::Difference && panels.b != nullptr;
  const std::shared_ptr<const LabMoment> minus = is_difference ? panels.b->moment_at(panels.step) : nullptr;
  const std::int64_t layers = panels.recipe().network.layers, per_layer = panels.recipe().network.heads;
  constexpr std::string_view rule =
      "Name: a score at least halfway from even weights to 1. Needed: muting it alone costs at least 0.05 of "
      "accuracy. Where it costs less: shared if another head has the score, spare if none has.";
  const float rule_high = panels.has_rule ? ui.paragraph_height(box.w - 2 * pad, rule, type::tick) : 0;
  const float foot = rule_high + ui.px(8), gap = ui.px(panels.narrow ? 8 : 14);
  const Box inner{box.x + pad, top + ui.px(24), box.w - 2 * pad, box.bottom() - top - ui.px(24) - foot};
  // As many columns as make the pictures largest.
  std::int64_t columns = per_layer;
  float best = 0;
  for (std::int64_t c = 1; c <= layers * per_layer; ++c) {
    if (layers > 1 && c != per_layer && c * 2 != per_layer) continue;
    const std::int64_t lines = (layers * per_layer + c - 1) / c;
    const float side = std::min(inner.w / static_cast<float>(c), inner.h / static_cast<float>(lines));
    if (side > best) best = side, columns = c;
  }
  const std::int64_t lines = (layers * per_layer + columns - 1) / columns;
  const float wide =
      std::floor((inner.w - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns));
  const float high = std::floor((inner.h - gap * static_cast<float>(lines - 1)) / static_cast<float>(lines));
  const HeadLines titles = lines_of_titles(panels, point, {inner.x, inner.y, wide, high});
  for (std::int64_t head = 0; head < layers * per_layer; ++head)
    draw_lab_head(panels, point, {moment, minus, head},
                  {inner.x + (wide + gap) * static_cast<float>(head % columns),
                   inner.y + (high + gap) * static_cast<float>(head / columns), wide, high},
                  titles);
  if (panels.has_rule)
    ui.paragraph(box.x + pad, box.bottom() - rule_high - ui.px(4), inner.w, rule,
                 {type::tick, ui.theme.text3});
}

void draw_lab_heads_small(const TrainingPanels& panels, const std::shared_ptr<const LabMoment>& moment,
                          const char* place, const Box& box) {
  const std::int64_t layers = panels.recipe().network.layers, per_layer = panels.recipe().network.heads;
  const float gap = std::max(1.f, panels.ui().px(1));
  const float wide =
      std::floor((box.w - gap * static_cast<float>(per_layer - 1)) / static_cast<float>(per_layer));
  const float high = std::floor((box.h - gap * static_cast<float>(layers - 1)) / static_cast<float>(layers));
  if (wide < 2 || high < 2) return;
  for (std::int64_t head = 0; head < layers * per_layer; ++head) {
    const Box at{box.x + (wide + gap) * static_cast<float>(head % per_layer),
                 box.y + (high + gap) * static_cast<float>(head / per_layer), wide, high};
    draw_lab_matrix(panels, {moment, nullptr, head},
                    (std::string(place) + " " + std::to_string(head)).c_str(), at);
  }
}

}  // namespace attnscope
