#include "app/pages/experiments/page.hpp"

#include <array>

#include "app/pages/experiments/acts.hpp"
#include "app/pages/experiments/parts.hpp"
#include "app/state/window_state.hpp"
#include "core/base/error.hpp"
#include "core/files/formats/atomic_write.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

/// An action of this page; it also works without scores, as long contexts have none.
constexpr Action experiment_action(std::string_view id, Action action) {
  action.only = Mode::Experiments;
  action.needs_scores = false;
  action.id = id;
  return action;
}

constexpr auto in_experiments = Action::Group::Experiments;
constexpr Action experiment_actions[] = {
    experiment_action("experiment_value_before",
                      {in_experiments, "Value before", ImGuiKey_LeftArrow, experiment_before, true}),
    experiment_action("experiment_value_after",
                      {in_experiments, "Value after", ImGuiKey_RightArrow, experiment_after, true}),
    experiment_action("experiment_above",
                      {in_experiments, "Experiment above", ImGuiKey_UpArrow, experiment_above, true}),
    experiment_action("experiment_below",
                      {in_experiments, "Experiment below", ImGuiKey_DownArrow, experiment_below, true}),
    experiment_action("experiment_copy_table",
                      {in_experiments, "Copy the experiment's table", ImGuiKey_C, copy_experiment}),
    experiment_action("experiment_save_table",
                      {in_experiments, "Save the experiment's table", ImGuiKey_S, save_experiment}),
    experiment_action("experiment_open_state", {in_experiments, "Open the experiment's state in Explore",
                                                ImGuiKey_Enter, open_experiment}),
};

constexpr PageFacts experiment_facts{
    .mode = Mode::Experiments,
    .name = "Experiments",
    .tip = {"Experiments",
            {},
            "One number is swept and what follows is measured: plots, a table, both states.",
            "F9"},
    .open = {Action::Group::Look,
             "Experiments",
             ImGuiKey_F9,
             [](Scene& scene) { scene.view.mode = Mode::Experiments; },
             false,
             {},
             false,
             {},
             "experiment_page"},
    .actions = experiment_actions,
    .leaves_letters_to_presenter = true,
    .picture = "Experiment",
    .picture_file = "experiment",
    .table = "every value of the experiment, as CSV",
    .table_name = experiment_file_name,
    .series = "the experiment's knob, through all its values",
    .add_to_palette = add_experiments_to_palette};

}  // namespace

const PageFacts& Experiments::facts() const { return experiment_facts; }

void Experiments::follow(const ViewState& view) {
  if (view.mode != Mode::Experiments) return runs_.follow(nullptr, 0);
  const ExperimentState& state = experiment_of(view);
  const experiments::Experiment* experiment = experiments::find(state.name);
  if (experiment == nullptr) experiment = &experiments::all().front();
  runs_.follow(experiment, experiment_point(state.value, *experiment));
}

void Experiments::wait() const {
  if (!runs_.is_settled()) runs_.wait();
}

bool Experiments::is_moving(const ViewState& view) const { return experiment_of(view).tile_due > 0; }

void Experiments::draw(Scene& scene, const Box& box) const {
  draw_experiments(scene, shown_experiment(), box);
}

void Experiments::save_table(const std::filesystem::path& to) const {
  if (lower_extension(to) != ".csv")
    throw Error("Cannot write " + in_quotes(to.native()) + ": an experiment's table is saved as .csv.");
  if (shown_experiment().experiment == nullptr) throw Error("There is no experiment on screen.");
  const std::string table = experiments::csv(*shown_experiment().experiment, shown_experiment().points);
  write_atomically(to, std::array{std::string_view(table)});
}

PageSeries Experiments::series(const ViewState& view) const {
  const ExperimentState& state = experiment_of(view);
  const experiments::Experiment* const experiment = shown_experiment().experiment;
  return {state.name, experiment != nullptr ? experiment->values : std::vector<double>(), state.value};
}

void Experiments::choose_in_series(ViewState& view, std::optional<double> value) const {
  experiment_of(view).value = value;
}

const ShownExperiment* shown_experiment(const Scene& scene) {
  const auto* const page = dynamic_cast<const Experiments*>(page_of_mode(scene.pages, Mode::Experiments));
  return page != nullptr && page->shown_experiment().experiment != nullptr ? &page->shown_experiment()
                                                                           : nullptr;
}

PageRow experiments_page() {
  return {&experiment_facts, [] { return PageState("experiment", ExperimentState()); },
          [](const PageSupplies& supplies) -> std::unique_ptr<Page> {
            return std::make_unique<Experiments>(supplies);
          }};
}

}  // namespace attnscope
