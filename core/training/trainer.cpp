#include "core/training/trainer.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.hpp"
#include "core/training/kernels/kernels.hpp"

namespace attnscope::training {
namespace {

void recipe_number(std::string_view field, double found, double least, double most) {
  if (!(found >= least && found <= most))
    throw Error(fmt::format("{} is {}; a number from {} to {} was expected.", field, found, least, most));
}

const TaskRow& task_of(const Recipe& recipe) {
  if (const TaskRow* row = find_task(recipe.task)) return *row;
  std::vector<std::string_view> known;
  for (const TaskRow& row : tasks()) known.push_back(row.key);
  throw Error(
      fmt::format("task is \"{}\"; one of these was expected: {}.", recipe.task, fmt::join(known, ", ")));
}

void check_data(const Recipe& recipe, const TaskRow& task) {
  for (const auto& [name, value] : recipe.data) {
    const auto field = std::ranges::find(task.data, std::string_view(name), &DataField::name);
    if (field == task.data.end())
      throw Error(fmt::format("data.{} is no number of the task {}.", name, recipe.task));
    recipe_number("data." + name, value, field->least, field->most);
  }
  for (const DataField& field : task.data) data_of(recipe, std::string(field.name));
}

}  // namespace

void check(const Recipe& recipe) {
  const TaskRow& task = task_of(recipe);
  check(recipe.network);
  const OptimiserSettings& optimiser = recipe.optimiser;
  recipe_number("steps", recipe.steps, 1, 1e7);
  recipe_number("batch", recipe.batch, 1, 4096);
  recipe_number("measure_every", recipe.measure_every, 1, 1e7);
  recipe_number("measured_sequences", recipe.measured_sequences, 1, 4096);
  recipe_number("optimiser.rate", optimiser.rate, 1e-9, 10);
  recipe_number("optimiser.warm_up", optimiser.warm_up, 0, 1e7);
  recipe_number("optimiser.last_rate", optimiser.last_rate, 0, 1);
  recipe_number("optimiser.decay", optimiser.decay, 0, 100);
  recipe_number("optimiser.beta_mean", optimiser.beta_mean, 0, 0.999999);
  recipe_number("optimiser.beta_square", optimiser.beta_square, 0, 0.999999);
  recipe_number("optimiser.epsilon", optimiser.epsilon, 1e-30, 1);
  recipe_number("optimiser.clip", optimiser.clip, 0, 1e9);
  if (recipe.network.read_outs.size() != task.recipe.network.read_outs.size())
    throw Error(fmt::format("network.read_outs has {}; the task {} asks {}.", recipe.network.read_outs.size(),
                            recipe.task, task.recipe.network.read_outs.size()));
  check_data(recipe, task);
  if (task.fits != nullptr) task.fits(recipe);
}

Recipe prepared(Recipe recipe) {
  if (const TaskRow& task = task_of(recipe); task.prepare != nullptr) task.prepare(recipe);
  check(recipe);
  return recipe;
}

Knobs usual_knobs(const Recipe& recipe) {
  Knobs knobs;
  knobs.operation.scaled = recipe.network.scaled;
  knobs.operation.causal = recipe.network.causal;
  return knobs;
}

Trainer::Trainer(Recipe recipe, SharedPool pool, const Kernels<float>* chosen)
    : recipe_(prepared(std::move(recipe))), task_(&task_of(recipe_)) {
  maker_ = task_->maker(recipe_);
  learner_ = std::make_unique<Learner<float>>(recipe_, chosen == nullptr ? kernels<float>() : *chosen,
                                              std::move(pool));
  const int of_chunk = learner_->sequences_of_chunk();
  batch_ = std::make_unique<Batch>(recipe_.network, recipe_.batch, of_chunk);
  evaluation_ = std::make_unique<Evaluation>(recipe_, *task_, *maker_, of_chunk);
  probe_pass_ = std::make_unique<Pass<float>>(learner_->network(), learner_->kernels(), 1);
  knobs_ = usual_knobs(recipe_);
}

Trainer::~Trainer() = default;

void Trainer::check_muted(const Operation& operation) const {
  const auto heads = static_cast<std::size_t>(recipe_.network.layers * recipe_.network.heads);
  if (!operation.muted.empty() && operation.muted.size() != heads)
    throw Error(fmt::format("{} heads are named as muted or not; the network has {}.", operation.muted.size(),
                            heads));
}

void Trainer::set_knobs(const Knobs& knobs) {
  check_muted(knobs.operation);
  recipe_number("rate_factor", knobs.rate_factor, 1e-6, 1e6);
  knobs_ = knobs;
}

void Trainer::train(int count) {
  for (; count > 0 && !is_at_end(); --count) {
    for (int i = 0; i < batch_->sequences(); ++i)
      batch_->make(*maker_, recipe_.seed, DataStream::Training,
                   static_cast<std::uint64_t>(step_ * recipe_.batch + i), i);
    batch_->gather();
    last_ = learner_->step(*batch_, knobs_.operation,
                           knobs_.rate_factor * rate_at(recipe_.optimiser, recipe_.steps, step_));
    ++step_;
  }
}

Metrics Trainer::measure(bool score_gradients) {
  Metrics metrics = evaluation_->measure(*learner_, knobs_.operation, score_gradients);
  metrics.step = step_;
  metrics.rate = knobs_.rate_factor * rate_at(recipe_.optimiser, recipe_.steps, step_);
  metrics.batch_loss = last_.loss;
  metrics.gradient_norm = last_.gradient_norm;
  return metrics;
}

Metrics Trainer::measure_under(const Operation& operation) {
  check_muted(operation);
  const Knobs before = knobs_;
  knobs_.operation = operation;
  Metrics metrics = measure();
  knobs_ = before;
  return metrics;
}

bool Trainer::reaches_goal(const Metrics& metrics) const {
  return metrics.groups[static_cast<std::size_t>(task_->goal_group)].accuracy >= task_->goal;
}

std::optional<double> Trainer::floor() const {
  if (task_->floor == nullptr) return std::nullopt;
  return task_->floor(recipe_);
}

Snapshot Trainer::snapshot() const {
  const auto copy = [](const Buffer<float>& from) {
    return std::vector<float>(from.data(), from.data() + from.size());
  };
  Learner<float>& learner = *learner_;
  return {step_, knobs_, copy(learner.weights()), copy(learner.mean()), copy(learner.square())};
}

void Trainer::restore(const Snapshot& snapshot) {
  const std::int64_t size = network().layout.size;
  for (const std::vector<float>* numbers : {&snapshot.weights, &snapshot.mean, &snapshot.square})
    if (std::ssize(*numbers) != size)
      throw Error(fmt::format("The snapshot has {} numbers; this network has {}.", numbers->size(), size));
  set_knobs(snapshot.knobs);
  std::ranges::copy(snapshot.weights, learner_->weights().data());
  std::ranges::copy(snapshot.mean, learner_->mean().data());
  std::ranges::copy(snapshot.square, learner_->square().data());
  learner_->set_updates(snapshot.step);
  step_ = snapshot.step;
  last_ = {};
}

std::string_view Trainer::instruction_set() const { return learner_->kernels().name; }

std::span<const float> Trainer::weights() const {
  return {learner_->weights().data(), static_cast<std::size_t>(learner_->weights().size())};
}

Probe Trainer::probe(const Rows& rows, std::size_t read_out) {
  const NetworkSpec& spec = recipe_.network;
  Pass<float>& pass = *probe_pass_;
  learner_->refresh();
  pass.forward(learner_->weights_now(), rows, knobs_.operation);
  const std::int64_t n = rows.length;
  Probe probe{Tensor(Shape{spec.layers, spec.heads, n, n}),
              Tensor(Shape{n, spec.read_outs[read_out].classes})};
  for (int layer = 0; layer < spec.layers; ++layer) {
    for (int head = 0; head < spec.heads; ++head) {
      const float* const plane = pass.weights(layer, 0, head);
      for (std::int64_t i = 0; i < n; ++i)
        std::copy_n(plane + i * pass.stride(), n, probe.weights.matrix(layer, head).row(i).data());
    }
  }
  std::vector<std::int32_t> every(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < every.size(); ++i) every[i] = static_cast<std::int32_t>(i);
  pass.logits(read_out, learner_->weights_now(), every, probe.logits.data());
  return probe;
}

Probe Trainer::probe(std::span<const std::int32_t> tokens, std::size_t read_out) {
  const NetworkSpec& spec = recipe_.network;
  if (spec.reads_patches()) throw Error("This network reads patches; tokens were given.");
  if (tokens.empty() || std::ssize(tokens) > spec.length)
    throw Error(fmt::format("{} tokens were given; 1 to {} were expected.", tokens.size(), spec.length));
  for (const std::int32_t token : tokens)
    if (token < 0 || token >= spec.vocabulary)
      throw Error(fmt::format("Token {} was given; 0 to {} were expected.", token, spec.vocabulary - 1));
  return probe({tokens.data(), nullptr, 1, static_cast<int>(tokens.size())}, read_out);
}

Probe Trainer::probe_measured(int sequence) { return probe(evaluation_->batch().sequence(sequence), 0); }

}  // namespace attnscope::training
