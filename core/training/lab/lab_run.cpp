#include "core/training/lab/lab_run.hpp"

#include <algorithm>
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

std::vector<std::string> probe_tokens(const Trainer& trainer) {
  const std::vector<std::string> names = trainer.maker().tokens();
  const Rows rows = trainer.evaluation().batch().sequence(0);
  std::vector<std::string> tokens;
  if (rows.tokens == nullptr || names.empty()) return tokens;
  for (int i = 0; i < rows.length; ++i) tokens.push_back(names[static_cast<std::size_t>(rows.tokens[i])]);
  return tokens;
}

int job_of_head(const LabPoint& point, std::size_t head) {
  if (head >= point.cost.size() || !(point.cost[head] >= least_cost)) return -1;
  int best = -1;
  double largest = least_score;
  for (std::size_t score = 0; score < point.metrics.scores.size(); ++score)
    if (point.metrics.scores[score][head] >= largest) {
      largest = point.metrics.scores[score][head];
      best = static_cast<int>(score);
    }
  return best;
}

std::vector<double> muting_costs(Trainer& trainer, const Metrics& now, std::size_t most) {
  const NetworkSpec& spec = trainer.recipe().network;
  const auto heads = static_cast<std::size_t>(spec.layers) * static_cast<std::size_t>(spec.heads);
  if (heads > most) return {};
  const auto goal = static_cast<std::size_t>(trainer.task().goal_group);
  std::vector<double> costs;
  for (std::size_t head = 0; head < heads; ++head) {
    Operation muted = trainer.knobs().operation;
    muted.muted.resize(heads, 0);
    muted.muted[head] = 1;
    costs.push_back(now.groups[goal].accuracy - trainer.measure_under(muted).groups[goal].accuracy);
  }
  return costs;
}

}  // namespace attnscope::training
