#include "core/experiments/experiment.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/attention/run_stage.hpp"
#include "core/engine/pipeline.hpp"
#include "core/experiments/rows.hpp"
#include "core/text/csv.hpp"

namespace attnscope::experiments {
namespace {

/// The first head's weights, computed by the engine as in the window.
Tensor weights_of(const Document& document, const std::stop_token& stop) {
  Pipeline pipeline(make_cpu_backend(1));
  const ResultPtr result = pipeline.run(document, stop);
  const auto weights = result->layer().trace[weights_stage(document)]->matrix(0, 0);
  Tensor out({weights.rows(), weights.cols()});
  out.matrix() = weights;
  return out;
}

}  // namespace

std::span<const Experiment> all() {
  static const std::vector<Experiment> rows{
      scaling_experiment(),   masks_experiment(),        cost_experiment(),     sparse_experiment(),
      precision_experiment(), positions_experiment(),    path_experiment(),     cache_experiment(),
      same_experiment(),      contribution_experiment(), dilution_experiment(), sinks_experiment(),
      grouped_experiment(),   temperature_experiment(),  phasors_experiment()};
  return rows;
}

const Experiment* find(std::string_view name) {
  const auto found = std::ranges::find(all(), name, &Experiment::name);
  return found == all().end() ? nullptr : &*found;
}

std::size_t nearest(const Experiment& experiment, double value) {
  std::size_t best = experiment.rest;
  for (std::size_t i = 0; i < experiment.values.size(); ++i)
    if (std::abs(experiment.values[i] - value) < std::abs(experiment.values[best] - value)) best = i;
  return best;
}

Look look(const Experiment& experiment, double value, const std::stop_token& stop) {
  Look out;
  out.value = std::min(value, experiment.most_shown);
  out.states = experiment.states(out.value);
  if (experiment.online != nullptr) out.online = experiment.online(out.value);
  if (experiment.pictures != nullptr) {
    out.pictures = experiment.pictures(out.value, stop);
    return out;
  }
  out.pictures.a = weights_of(out.states.a, stop);
  if (out.states.b) out.pictures.b = weights_of(*out.states.b, stop);
  return out;
}

std::string csv(const Experiment& experiment, std::span<const std::optional<Measured>> points) {
  std::vector<std::string> names{"value"};
  for (const std::string_view quantity : experiment.quantities) {
    names.emplace_back(quantity);
    if (experiment.seeds < 2) continue;
    names.push_back(std::string(quantity) + "_least");
    names.push_back(std::string(quantity) + "_greatest");
  }
  CsvTable table(names);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i]) continue;
    table.number(experiment.values[i]);
    for (const Band& band : *points[i]) {
      table.number(band.typical);
      if (experiment.seeds > 1) table.number(band.least).number(band.greatest);
    }
    table.end_row();
  }
  return table.str();
}

}  // namespace attnscope::experiments
