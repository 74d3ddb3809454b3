#include "app/lessons/training_numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.hpp"

namespace attnscope::lessons {
namespace {

using training::LabPoint;
using training::LabRun;

/// One look-up of a run's number.
struct AskedRun {
  const training::ShownLab& lab;
  const LabRun& run;
  std::string_view word;           // in quotes; empty: none
  std::span<const double> places;  // as many as the name has
  const LabPoint* point;           // at the given step, else the newest

  const training::Recipe& recipe() const { return *lab.recipe; }
  std::int64_t heads() const { return std::int64_t{recipe().network.layers} * recipe().network.heads; }
};

template <class Named>
std::size_t place_named(const std::vector<Named>& all, std::string_view name, std::string_view what) {
  const auto found = std::ranges::find(all, name, &Named::name);
  if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
  std::vector<std::string_view> names;
  for (const Named& one : all) names.push_back(one.name);
  throw Error(fmt::format("\"{}\" is no {} of this task; there are {}.", name, what, fmt::join(names, ", ")));
}

/// The named group, else that of the task's goal.
std::size_t group_of(const AskedRun& asked) {
  if (asked.word.empty()) return static_cast<std::size_t>(asked.lab.task->goal_group);
  return place_named(asked.lab.task->groups, asked.word, "group");
}
const training::GroupResult& group_at(const AskedRun& asked) {
  return asked.point->metrics.groups[group_of(asked)];
}
const std::vector<double>& scores_in(const AskedRun& asked, const LabPoint& point) {
  return point.metrics.scores[place_named(asked.lab.task->scores, asked.word, "score")];
}
std::size_t head_at(const AskedRun& asked) {
  const double head = asked.places[0];
  if (!(head == std::floor(head)) || head < 0 || head >= static_cast<double>(asked.heads()))
    throw Error(fmt::format("There is no head {}; the model has {}, counted through all layers from 0.", head,
                            asked.heads()));
  return static_cast<std::size_t>(head);
}

/// The first measured step at which the condition holds.
template <class Holds>
double first_step(const AskedRun& asked, const Holds& holds) {
  for (const auto& point : asked.run.points)
    if (holds(*point)) return static_cast<double>(point->metrics.step);
  throw Error("The run has not come to that yet.");
}

double mean(const std::vector<double>& all) {
  return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
}

enum class Word : std::uint8_t { No, Group, Score };  // a group may be left out
struct RunName {
  std::string_view name, call, what;
  Word word;
  std::size_t places;  // numbers before the step
  bool of_step;        // a step may follow them
  double (*value)(const AskedRun&);
};

constexpr std::array run_names = std::to_array<RunName>({
    {"steps", "steps", "steps that were trained", Word::No, 0, false,
     [](const AskedRun& a) { return static_cast<double>(a.run.step); }},
    {"goal_step", "goal_step", "the first measured step that reached the task's goal", Word::No, 0, false,
     [](const AskedRun& a) {
       if (!a.run.goal) throw Error("The run has not reached its goal.");
       return static_cast<double>(*a.run.goal);
     }},
    {"seed", "seed", "of weights and data", Word::No, 0, false,
     [](const AskedRun& a) { return static_cast<double>(a.recipe().seed); }},
    {"layers", "layers", "layers of the model", Word::No, 0, false,
     [](const AskedRun& a) { return static_cast<double>(a.recipe().network.layers); }},
    {"heads", "heads", "heads of all its layers", Word::No, 0, false,
     [](const AskedRun& a) { return static_cast<double>(a.heads()); }},
    {"parameters", "parameters", "numbers that are trained", Word::No, 0, false,
     [](const AskedRun& a) { return static_cast<double>(a.lab.weights); }},
    {"tokens", "tokens", "rows of a sequence", Word::No, 0, false,
     [](const AskedRun& a) { return static_cast<double>(a.recipe().network.length); }},
    {"floor", "floor", "the loss that no honest model gets below", Word::No, 0, false,
     [](const AskedRun& a) {
       if (!a.lab.floor) throw Error("This task has no floor.");
       return *a.lab.floor;
     }},
    {"chance", "chance(\"GROUP\")", "the accuracy of a guess among all answers", Word::Group, 0, false,
     [](const AskedRun& a) {
       const auto read_out = static_cast<std::size_t>(a.lab.task->groups[group_of(a)].read_out);
       return 1.0 / a.recipe().network.read_outs[read_out].classes;
     }},
    {"loss", "loss(\"GROUP\", step)", "nats, on unseen sequences; without a group that of the goal",
     Word::Group, 0, true, [](const AskedRun& a) { return group_at(a).loss; }},
    {"accuracy", "accuracy(\"GROUP\", step)", "the share of right answers, of the same", Word::Group, 0, true,
     [](const AskedRun& a) { return group_at(a).accuracy; }},
    {"highest_accuracy", "highest_accuracy(\"GROUP\")", "of all measured steps", Word::Group, 0, false,
     [](const AskedRun& a) {
       double most = 0;
       for (const auto& point : a.run.points)
         most = std::max(most, point->metrics.groups[group_of(a)].accuracy);
       return most;
     }},
    {"highest_loss", "highest_loss(\"GROUP\")", "of all measured steps", Word::Group, 0, false,
     [](const AskedRun& a) {
       double most = 0;
       for (const auto& point : a.run.points) most = std::max(most, point->metrics.groups[group_of(a)].loss);
       return most;
     }},
    {"highest_loss_step", "highest_loss_step(\"GROUP\")", "the step that has it", Word::Group, 0, false,
     [](const AskedRun& a) {
       const std::size_t group = group_of(a);
       const auto most = std::ranges::max_element(
           a.run.points, {}, [&](const auto& point) { return point->metrics.groups[group].loss; });
       return static_cast<double>((*most)->metrics.step);
     }},
    {"step_of_loss", "step_of_loss(\"GROUP\", most)", "the first measured step with a loss below that",
     Word::Group, 1, false,
     [](const AskedRun& a) {
       const std::size_t group = group_of(a);
       return first_step(a, [&](const LabPoint& p) { return p.metrics.groups[group].loss < a.places[0]; });
     }},
    {"step_of_accuracy", "step_of_accuracy(\"GROUP\", least)",
     "the first measured step with at least that accuracy", Word::Group, 1, false,
     [](const AskedRun& a) {
       const std::size_t group = group_of(a);
       return first_step(a,
                         [&](const LabPoint& p) { return p.metrics.groups[group].accuracy >= a.places[0]; });
     }},
    {"entropy", "entropy(head, step)", "H(row) / ln(keys it sees), mean over the rows with a choice", Word::No,
     1, true, [](const AskedRun& a) { return a.point->metrics.entropy[head_at(a)]; }},
    {"mean_entropy", "mean_entropy(step)", "the same, mean over all heads", Word::No, 0, true,
     [](const AskedRun& a) { return mean(a.point->metrics.entropy); }},
    {"score", "score(\"SCORE\", head, step)", "the weight that a head puts on the keys of one of the task's jobs",
     Word::Score, 1, true, [](const AskedRun& a) { return scores_in(a, *a.point)[head_at(a)]; }},
    {"even_score", "even_score(\"SCORE\", step)", "what a head with even weights has", Word::Score, 0, true,
     [](const AskedRun& a) {
       return a.point->metrics.even_scores[place_named(a.lab.task->scores, a.word, "score")];
     }},
    {"best_score", "best_score(\"SCORE\", step)", "the largest of all heads", Word::Score, 0, true,
     [](const AskedRun& a) { return std::ranges::max(scores_in(a, *a.point)); }},
    {"best_head", "best_head(\"SCORE\", step)", "the head that has it, counted through all layers", Word::Score,
     0, true,
     [](const AskedRun& a) {
       const std::vector<double>& all = scores_in(a, *a.point);
       return static_cast<double>(std::ranges::max_element(all) - all.begin());
     }},
    {"step_of_score", "step_of_score(\"SCORE\", least)", "the first measured step at which some head has it",
     Word::Score, 1, false,
     [](const AskedRun& a) {
       return first_step(
           a, [&](const LabPoint& point) { return std::ranges::max(scores_in(a, point)) >= a.places[0]; });
     }},
    {"cost", "cost(\"GROUP\", head, step)", "accuracy that is lost when the head alone is muted; without a group that of the goal", Word::Group,
     1, true,
     [](const AskedRun& a) {
       if (a.point->costs.empty()) throw Error("Muting is not measured of so many heads.");
       return a.point->costs[group_of(a)][head_at(a)];
     }},
    {"score_gradient", "score_gradient(step)",
     "‖∂L/∂S‖ of a row of scaled scores, the median of the rows with a choice", Word::No, 0, true,
     [](const AskedRun& a) { return a.point->metrics.score_gradients.median; }},
    {"vanished", "vanished(step)", "the share of those rows where it is below 1e-6", Word::No, 0, true,
     [](const AskedRun& a) { return a.point->metrics.score_gradients.vanished; }},
    {"layer", "layer(head)", "the layer of a head, from 0", Word::No, 1, false,
     [](const AskedRun& a) {
       return static_cast<double>(static_cast<int>(head_at(a)) / a.recipe().network.heads);
     }},
    {"place", "place(head)", "its number in that layer, from 0", Word::No, 1, false,
     [](const AskedRun& a) {
       return static_cast<double>(static_cast<int>(head_at(a)) % a.recipe().network.heads);
     }},
    {"rate", "rate", "peak of the learning rate, with the knob as it is turned now", Word::No, 0, false,
     [](const AskedRun& a) { return a.run.knobs.rate_factor * a.recipe().optimiser.rate; }},
    {"divided", "divided", "1 while scores are divided by √dₖ", Word::No, 0, false,
     [](const AskedRun& a) { return a.run.knobs.operation.scaled ? 1.0 : 0.0; }},
    {"causal", "causal", "1 while no query sees a later key", Word::No, 0, false,
     [](const AskedRun& a) { return a.run.knobs.operation.causal ? 1.0 : 0.0; }},
    {"muted", "muted(head)", "1 while the head gives zeros", Word::No, 1, false,
     [](const AskedRun& a) {
       const auto& muted = a.run.knobs.operation.muted;
       const std::size_t head = head_at(a);
       return head < muted.size() && muted[head] != 0 ? 1.0 : 0.0;
     }},
});

constexpr std::string_view of_branch = "branch.";

const RunName* run_name(std::string_view name) {
  if (name.starts_with(of_branch)) name.remove_prefix(of_branch.size());
  const auto found = std::ranges::find(run_names, name_parts(name).name, &RunName::name);
  return found == run_names.end() ? nullptr : &*found;
}

/// The point of exactly that step: numbers between two measurements are not known.
const LabPoint& measured_at(const LabRun& run, double step) {
  const LabPoint* const point = run.point_at(static_cast<std::int64_t>(step));
  if (point == nullptr || static_cast<double>(point->metrics.step) != step ||
      step > static_cast<double>(run.step))
    throw Error(fmt::format("Step {} was not measured; the run has come to {}.", step, run.step));
  return *point;
}

double run_value(const training::ShownLab& lab, const LabRun& run, const RunName& name,
                 const NameParts& parts, std::span<const double> arguments) {
  const std::size_t words = parts.words.size(), least = name.word == Word::Score ? 1 : 0,
                    most = name.word == Word::No ? 0 : 1;
  const bool has_step = name.of_step && arguments.size() == name.places + 1;
  if (words < least || words > most || (arguments.size() != name.places && !has_step))
    throw Error(fmt::format("{} has {} words in quotes and {} numbers behind them; expected {}{} and {}{}.",
                            name.call, words, arguments.size(), least < most ? "at most " : "", most,
                            name.places, name.of_step ? ", and a step behind them" : ""));
  if (run.points.empty()) throw Error("Nothing was measured yet.");
  const LabPoint* const point = has_step ? &measured_at(run, arguments.back()) : run.points.back().get();
  return name.value(
      {lab, run, words > 0 ? parts.words.front() : std::string_view(), arguments.first(name.places), point});
}

}  // namespace

LookUp look_up_in_training(const training::ShownLab& lab) {
  return [&lab](std::string_view asked, std::span<const double> arguments) {
    const RunName* const name = run_name(asked);
    if (name == nullptr)
      throw Error(fmt::format("\"{}\" is no number of a run; \"attnscope lesson names\" lists what there is.",
                              name_parts(asked).name));
    const bool is_branch = asked.starts_with(of_branch);
    if (lab.runs.empty()) throw Error("Nothing is trained yet.");
    if (is_branch && lab.runs.size() < 2)
      throw Error(fmt::format("\"{}\" is asked for where there is no branch.", name_parts(asked).name));
    if (is_branch) asked.remove_prefix(of_branch.size());
    return run_value(lab, is_branch ? *lab.runs.back() : *lab.runs.front(), *name, name_parts(asked),
                     arguments);
  };
}

bool is_training_name(std::string_view name) { return run_name(name) != nullptr; }

std::vector<KnownName> known_training_names() {
  std::vector<KnownName> all;
  for (const RunName& name : run_names) all.push_back({name.call, name.what});
  return all;
}

}  // namespace attnscope::lessons
