#include "app/training/verdicts.hpp"

#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/training/run_words.hpp"

namespace attnscope {
namespace {

using training::LabPoint;
using training::LabRun;

/// The head with most of a score.
std::size_t most_of(const LabPoint& point, std::size_t score) {
  const std::vector<double>& heads = point.metrics.scores[score];
  return static_cast<std::size_t>(std::ranges::max_element(heads) - heads.begin());
}

std::string percent(double share) { return fixed(100 * share, 0); }

/// The loss of a small batch varies; a loss a tenth below the floor is no accident.
std::optional<LabVerdict> leak(const Ui& ui, const JudgedRuns& runs) {
  if (!runs.lab.floor || runs.lab.task->floor_group < 0) return std::nullopt;
  const auto group = static_cast<std::size_t>(runs.lab.task->floor_group);
  for (const LabRun* run : {runs.a, runs.b}) {
    const LabPoint* const point = run == nullptr ? nullptr : run->point_at(runs.step);
    if (point == nullptr || point->metrics.groups[group].loss > 0.9 * *runs.lab.floor) continue;
    const std::string name(1, static_cast<char>('A' + run->number));
    return LabVerdict{"Run " + own(name) + " leaks",
                      "Loss " + fixed(point->metrics.groups[group].loss, 3) + " at step " +
                          grouped(point->metrics.step) + ", below the floor of " + fixed(*runs.lab.floor, 3) +
                          ": the model reads the answer and predicts nothing.",
                      ui.theme.key};
  }
  return std::nullopt;
}

/// The first score by which a head got a name in these steps; −1: none did.
int formed_score(const LabPoint& before, const LabPoint& after) {
  for (std::size_t s = 0; s < after.metrics.scores.size(); ++s) {
    const std::size_t head = most_of(after, s);
    if (after.metrics.scores[s][head] >= training::least_score(after.metrics.even_scores[s]) &&
        before.metrics.scores[s][head] < training::least_score(before.metrics.even_scores[s]))
      return static_cast<int>(s);
  }
  return -1;
}

std::optional<LabVerdict> phase(const Ui& ui, const JudgedRuns& runs) {
  if (!runs.phase) return std::nullopt;
  const training::TaskRow& task = *runs.lab.task;
  const LabPoint *const before = runs.a->point_at(runs.phase->from), *const after =
                                                                         runs.a->point_at(runs.phase->to);
  if (before == nullptr || after == nullptr) return std::nullopt;
  const std::string steps = grouped(runs.phase->from) + " … " + grouped(runs.phase->to);
  std::string title = "Accuracy rose at once, " + steps, words;
  if (const int formed = formed_score(*before, *after); formed >= 0) {
    const auto score = static_cast<std::size_t>(formed);
    const std::size_t head = most_of(*after, score);
    const std::string name = plain(lab_title(ui, task.scores[score].name));
    title = own(runs.b != nullptr ? "A: " + name : name) + " formed, " + steps;
    words = own(lab_head_name(*runs.lab.recipe, static_cast<std::int64_t>(head))) + " from " +
            fixed(before->metrics.scores[score][head], 2) + " to " +
            fixed(after->metrics.scores[score][head], 2) + ", even weights " +
            fixed(after->metrics.even_scores[score], 2) + ". ";
  }
  words += "Accuracy from " + percent(runs.phase->before) + " to " + percent(runs.phase->after) + " %.";
  if (task.floor_group >= 0 && task.floor_group != task.goal_group) {
    const auto group = static_cast<std::size_t>(task.floor_group);
    words += " Loss of “" + inner(std::string(task.groups[group].name)) +
             "”: " + fixed(before->metrics.groups[group].loss, 2) + ", then " +
             fixed(after->metrics.groups[group].loss, 2) + ".";
  }
  return LabVerdict{title, words, ui.theme.query};
}

/// What the head with most of a score does with it.
LabVerdict of_score(const Ui& ui, const JudgedRuns& runs, const LabPoint& point, std::size_t score) {
  const training::TaskRow& task = *runs.lab.task;
  const std::size_t head = most_of(point, score);
  const std::string name = lab_head_name(*runs.lab.recipe, static_cast<std::int64_t>(head)),
                    title = ui.translated(task.scores[score].name);
  const double value = point.metrics.scores[score][head], even = point.metrics.even_scores[score];
  if (value < training::least_score(even))
    return {"No head for “" + own(title) + "” yet",
            "Most has " + own(name) + ", " + fixed(value, 2) + " of its weight; even weights give " +
                fixed(even, 2) + ". The name takes " + fixed(training::least_score(even), 2) + ".",
            ui.theme.border};
  const training::HeadJob job = training::job_of_head(task, point, head);
  std::string words = fixed(value, 2) + " of its weight; even weights give " + fixed(even, 2) + ".";
  // The cost is that of the score by which the head has its name, which may be another one.
  if (const std::string_view need = lab_need_word(job.need);
      !need.empty() && job.score == static_cast<int>(score))
    words +=
        " Muting it alone costs " + fixed(job.cost, 2) + " of accuracy: " + inner(std::string(need)) + ".";
  return {own(name + ": " + title), words, ui.theme.head(static_cast<std::int64_t>(head))};
}

}  // namespace

std::vector<LabVerdict> verdicts(const Ui& ui, const JudgedRuns& runs) {
  std::vector<LabVerdict> all;
  if (const auto leaks = leak(ui, runs)) all.push_back(*leaks);
  if (const auto formed = phase(ui, runs)) all.push_back(*formed);
  const LabPoint* const point = runs.shown->point_at(runs.step);
  if (point == nullptr) return all;
  for (std::size_t s = 0; s < point->metrics.scores.size(); ++s) all.push_back(of_score(ui, runs, *point, s));
  return all;
}

float verdict_height(const Ui& ui, const LabVerdict& verdict, float width) {
  const float inner = width - ui.px(24);
  return ui.px(7) + ui.paragraph_height(inner, verdict.title, type::label, Ink::Semibold) + ui.px(2) +
         ui.paragraph_height(inner, verdict.words, type::tick) + ui.px(7);
}

void draw_verdict(const Ui& ui, const LabVerdict& verdict, const Box& box) {
  ui.fill(box, ui.theme.raised, ui.px(4));
  ui.fill({box.x, box.y, ui.px(3), box.h}, verdict.colour);
  const float x = box.x + ui.px(14), wide = box.w - ui.px(24);
  const float title =
      ui.paragraph(x, box.y + ui.px(7), wide, verdict.title, {type::label, ui.theme.text1, Ink::Semibold});
  ui.paragraph(x, box.y + ui.px(9) + title, wide, verdict.words, {type::tick, ui.theme.text2});
}

void draw_verdicts(const Ui& ui, const std::vector<LabVerdict>& all, const Box& box) {
  const float gap = ui.px(12);
  for (std::size_t count = std::min<std::size_t>(all.size(), 3); count > 0; --count) {
    const auto several = static_cast<float>(count);
    const float wide = std::floor(std::min(ui.px(560), (box.w - gap * (several - 1)) / several));
    const bool fits =
        wide >= ui.px(240) &&
        std::all_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count),
                    [&](const LabVerdict& one) { return verdict_height(ui, one, wide) <= box.h + ui.px(2); });
    if (!fits) continue;
    for (std::size_t i = 0; i < count; ++i)
      draw_verdict(ui, all[i], {box.x + (wide + gap) * static_cast<float>(i), box.y, wide, box.h});
    return;
  }
}

std::optional<BestHead> best_head(const training::TaskRow& task, const LabPoint& point) {
  std::optional<BestHead> best;
  double most = 0;
  for (const bool of_goal : {true, false}) {
    for (std::size_t s = 0; s < point.metrics.scores.size(); ++s) {
      if ((task.group_of(task.scores[s]) == static_cast<std::size_t>(task.goal_group)) != of_goal) continue;
      const std::size_t head = most_of(point, s);
      const double value = point.metrics.scores[s][head], even = point.metrics.even_scores[s];
      if (value < training::least_score(even) || value <= most) continue;
      most = value;
      best = BestHead{static_cast<std::int64_t>(head), static_cast<int>(s)};
    }
    if (best) return best;
  }
  return std::nullopt;
}

}  // namespace attnscope
