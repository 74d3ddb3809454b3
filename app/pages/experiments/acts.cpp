#include "app/pages/experiments/acts.hpp"

#include <algorithm>
#include <utility>

#include "app/pages/experiments/page.hpp"
#include "app/pages/experiments/parts.hpp"
#include "app/state/files_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/files/files.hpp"

namespace attnscope {
namespace {

void step_value(Scene& scene, int way) {
  const ShownExperiment* const shown = shown_experiment(scene);
  if (shown == nullptr) return;
  const auto last = static_cast<std::int64_t>(shown->points.size()) - 1;
  const auto now =
      static_cast<std::int64_t>(experiment_point(experiment_of(scene.view).value, *shown->experiment));
  experiment_of(scene.view).value =
      shown->experiment->values[static_cast<std::size_t>(std::clamp<std::int64_t>(now + way, 0, last))];
}

void step_experiment(Scene& scene, int way) {
  const auto rows = experiment_words();
  const auto now =
      std::ranges::find(rows, experiment_of(scene.view).name, &ExperimentWords::name) - rows.begin();
  const std::int64_t next =
      std::clamp<std::int64_t>((now == std::ssize(rows) ? 0 : now) + way, 0, std::ssize(rows) - 1);
  choose_experiment(scene, rows[static_cast<std::size_t>(next)]);
}

}  // namespace

void experiment_before(Scene& scene) { step_value(scene, -1); }
void experiment_after(Scene& scene) { step_value(scene, 1); }
void experiment_above(Scene& scene) { step_experiment(scene, -1); }
void experiment_below(Scene& scene) { step_experiment(scene, 1); }

void copy_experiment(Scene& scene) {
  const ShownExperiment* const shown = shown_experiment(scene);
  if (shown == nullptr) return;
  std::string table = experiments::csv(*shown->experiment, shown->points);
  std::erase(table, '\r');
  std::ranges::replace(table, ',', '\t');  // no field contains a comma or a tab
  scene.requests.copy = table;
  scene.view.notices.tell("Copied the experiment's table as tab-separated text.");
}

void save_experiment(Scene& scene) { open_export_dialog(scene, NumberFormat::Csv); }

void film_experiment(Scene& scene) {
  if (shown_experiment(scene) == nullptr) return;
  scene.view.files->kind = PictureKind::Series;
  open_picture_card(scene, PictureRegion::Focus);
}

void open_experiment(Scene& scene) {
  const ShownExperiment* const shown = shown_experiment(scene);
  if (shown == nullptr) return;
  // Until the chosen value is computed, the look is of the value before.
  if (!shown->look ||
      shown->look_point != experiment_point(experiment_of(scene.view).value, *shown->experiment))
    return scene.view.notices.say("This state is still being computed; try again in a moment.");
  Document opened = shown->look->states.a;
  opened.title = words_of(*shown->experiment).title;
  scene.requests.made = MadeDocument{std::move(opened), shown->look->states.b};
}

}  // namespace attnscope
