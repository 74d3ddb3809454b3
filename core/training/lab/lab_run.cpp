#include "core/training/lab/lab_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/error.hpp"

namespace attnscope::training {
namespace {

/// The last of those that are sorted by step.
template <class List, class StepOf>
typename List::value_type last_at(const List& list, std::int64_t step, StepOf step_of) {
  const auto behind =
      std::ranges::partition_point(list, [&](const auto& one) { return step_of(*one) <= step; });
  return behind == list.begin() ? nullptr : *std::prev(behind);
}

}  // namespace

const LabPoint* LabRun::point_at(std::int64_t at) const {
  return last_at(points, at, [](const LabPoint& point) { return point.metrics.step; }).get();
}

std::shared_ptr<const LabMoment> LabRun::moment_at(std::int64_t at) const {
  return last_at(moments, at, [](const LabMoment& moment) { return moment.step; });
}

const LabMoment* LabRun::kept_at(std::int64_t at) const {
  for (auto moment = moments.rbegin(); moment != moments.rend(); ++moment)
    if ((*moment)->step <= at && (*moment)->snapshot) return moment->get();
  return nullptr;
}

LabRun cut_at(const LabRun& run, std::int64_t step) {
  const LabMoment* const last = run.kept_at(step);
  if (last == nullptr) throw Error("No state of that step was kept.");
  LabRun cut = run;
  cut.step = last->step;
  cut.is_at_end = run.is_at_end && cut.step == run.step;
  std::erase_if(cut.points, [&](const auto& point) { return point->metrics.step > cut.step; });
  std::erase_if(cut.moments, [&](const auto& moment) { return moment->step > cut.step; });
  std::erase_if(cut.changes, [&](const LabChange& change) { return change.step > cut.step; });
  cut.knobs = cut.changes.empty() ? last->snapshot->knobs : cut.changes.back().knobs;
  if (cut.goal && *cut.goal > cut.step) cut.goal.reset();
  return cut;
}

void thin_out(LabRun& run, std::size_t bytes, std::size_t most_bytes) {
  const auto kept = static_cast<std::size_t>(
      std::ranges::count_if(run.moments, [](const auto& moment) { return moment->snapshot != nullptr; }));
  if (kept * bytes <= most_bytes || kept < 4) return;
  std::size_t number = 0;
  for (std::size_t i = 0; i + 1 < run.moments.size(); ++i) {
    if (!run.moments[i]->snapshot || number++ % 2 == 0) continue;
    LabMoment without{run.moments[i]->step, run.moments[i]->probe, nullptr};
    run.moments[i] = std::make_shared<const LabMoment>(std::move(without));
  }
}

bool is_cut(LabRun& run, const Operation& now) {
  if (run.parent < 0 || run.step != run.branch) return false;
  const std::size_t count = run.points.size();
  if (count > 1 && run.points[count - 2]->metrics.step == run.points.back()->metrics.step) {
    run.points.pop_back();
    run.moments.pop_back();
  }
  const LabMoment* const left = run.kept_at(run.branch);
  return left == nullptr || !(left->snapshot->knobs.operation == now);
}

std::vector<std::string> probe_tokens(const Trainer& trainer) {
  const std::vector<std::string> names = trainer.maker().tokens();
  const Rows rows = trainer.evaluation().batch().sequence(0);
  std::vector<std::string> tokens;
  if (rows.tokens == nullptr || names.empty()) return tokens;
  for (int i = 0; i < rows.length; ++i) tokens.push_back(names[static_cast<std::size_t>(rows.tokens[i])]);
  return tokens;
}

double largest_cost(const TaskRow& task, const LabPoint& point, std::size_t head) {
  double most = std::numeric_limits<double>::quiet_NaN();
  if (point.costs.empty()) return most;
  for (const Score& score : task.scores) most = std::fmax(most, point.costs[task.group_of(score)][head]);
  return most;
}

HeadJob job_of_head(const TaskRow& task, const LabPoint& point, std::size_t head) {
  const Metrics& metrics = point.metrics;
  const auto is_muted = [&](std::size_t of) { return of < point.muted.size() && point.muted[of] != 0; };
  HeadJob job;
  for (std::size_t s = 0; s < metrics.scores.size(); ++s) {
    const double value = metrics.scores[s][head], even = metrics.even_scores[s];
    if (value < least_score(even) || (job.score >= 0 && value <= job.value)) continue;
    job = {static_cast<int>(s), value, even, task.group_of(task.scores[s])};
  }
  if (!point.costs.empty()) {
    if (job.score < 0)
      for (const Score& score : task.scores)
        if (const std::size_t group = task.group_of(score);
            point.costs[group][head] > point.costs[job.group][head])
          job.group = group;
    job.cost = point.costs[job.group][head];
  }
  if (is_muted(head)) {
    job.need = Need::Muted;
  } else if (job.cost >= least_cost) {
    job.need = Need::Needed;
  } else if (job.score >= 0 && !point.costs.empty()) {
    const std::vector<double>& all = metrics.scores[static_cast<std::size_t>(job.score)];
    job.need = Need::Spare;
    for (std::size_t other = 0; other < all.size(); ++other)
      if (other != head && !is_muted(other) && all[other] >= least_score(job.even)) job.need = Need::Shared;
  }
  return job;
}

std::vector<std::vector<double>> muting_costs(Trainer& trainer, const Metrics& now, std::size_t most) {
  const NetworkSpec& spec = trainer.recipe().network;
  const auto heads = static_cast<std::size_t>(spec.layers) * static_cast<std::size_t>(spec.heads);
  if (heads > most) return {};
  std::vector<std::vector<double>> costs(now.groups.size(), std::vector<double>(heads));
  for (std::size_t head = 0; head < heads; ++head) {
    Operation muted = trainer.knobs().operation;
    muted.muted.resize(heads, 0);
    muted.muted[head] = 1;
    const Metrics without = trainer.measure_under(muted);
    for (std::size_t group = 0; group < costs.size(); ++group)
      costs[group][head] = now.groups[group].accuracy - without.groups[group].accuracy;
  }
  return costs;
}

LabPoint lab_point(Trainer& trainer, bool score_gradients, std::size_t most) {
  LabPoint point;
  point.metrics = trainer.measure(score_gradients);
  point.costs = muting_costs(trainer, point.metrics, most);
  point.muted = trainer.knobs().operation.muted;
  return point;
}

}  // namespace attnscope::training
