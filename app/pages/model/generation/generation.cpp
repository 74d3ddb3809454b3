#include "app/pages/model/generation/generation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/model/generation/parts.hpp"
#include "app/state/window_state.hpp"
#include "core/engine/model/model_generation.hpp"

namespace attnscope {
namespace {

bool is_shown(const Scene& scene) {
  return scene.view.mode == Mode::Model && model_state_of(scene.view).screen == ModelScreen::Generation &&
         scene.model != nullptr && scene.model->run;
}

const ModelSpec& spec_of(const Scene& scene) { return scene.model->within.model->model->spec; }

/// Asks for that many more tokens at the end of the text.
void want(Scene& scene, std::int64_t tokens) {
  model_state_of(scene.view).to_append = tokens;
  model_state_of(scene.view).predicted_row.reset();
}

/// When the shown row changes, marks it as the query and scrolls the list to it.
void follow_row(Scene& scene) {
  GenerationState& state = model_state_of(scene.view).generation;
  const auto place = generation_place(scene);
  if (!place || place->row == state.shown_row || place->row >= scene.result.dimensions.queries) return;
  state.shown_row = place->row;
  Cell cell = scene.selection.cell;
  cell.query = place->row;
  cell.key = std::min(cell.key, place->row);
  scene.next.cell = cell;
}

}  // namespace

std::optional<GenerationPlace> generation_place(const Scene& scene) {
  if (scene.model == nullptr || !scene.model->generation) return std::nullopt;
  const GenerationReading& reading = *scene.model->generation;
  return GenerationPlace{reading.rows, reading.first, reading.row};
}

void go_to_step(Scene& scene, const GenerationPlace& place, std::int64_t step) {
  ModelState& state = model_state_of(scene.view);
  state.to_append = 0;
  step = std::clamp<std::int64_t>(step, 0, place.steps());
  const std::int64_t row = place.first + step - 1;
  state.predicted_row = step == place.steps() ? std::nullopt : std::optional(std::max<std::int64_t>(0, row));
}

SamplingSettings sampling_of(const GenerationState& state) {
  if (!state.sampled) return {};
  // Rounded as on screen, so that the command line generates the same text with these numbers.
  const auto written = [](float x) { return std::round(static_cast<double>(x) * 1000) / 1000; };
  return {written(state.temperature), state.top_k, written(state.top_p),
          static_cast<std::uint64_t>(state.seed)};
}

void go_on_generating(Scene& scene) {
  ModelState& state = model_state_of(scene.view);
  if (state.to_append == 0) return;
  const ModelReading& reading = *scene.model;
  const ModelContext& within = scene.document.within.read();
  if (within.input != reading.within.input || within.changes != reading.within.changes) return;
  const auto place = generation_place(scene);
  if (!place || !reading.prediction || reading.prediction->row != place->rows - 1) return;
  const ModelSpec& spec = spec_of(scene);
  if (spec.max_positions > 0 && place->rows >= spec.max_positions) {
    state.to_append = 0;
    return scene.view.notices.say(
        "The text is as long as the model can read: " + grouped(spec.max_positions) + " tokens.");
  }
  // Drawn with the prediction by the engine: sorting a large vocabulary takes longer than a frame.
  const NextToken* const next = reading.next.get();
  if (next == nullptr || next->row != place->rows - 1 || next->settings != sampling_of(state.generation))
    return;
  const std::int64_t id = next->id;
  if (id == not_a_token) {  // all of its logits are NaN
    state.to_append = 0;
    return scene.view.notices.say("The model gives no number for the next token, so none is drawn.");
  }
  change_within(scene, [&](ModelContext with) { return edit::appended(std::move(with), id); });
  --state.to_append;
  if (std::ranges::find(spec.end_ids, id) != spec.end_ids.end() && state.to_append > 0) {
    state.to_append = 0;
    scene.view.notices.tell("The model ended its text.");
  }
}

bool draw_generation(Scene& scene, const Box& whole) {
  ModelState& state = model_state_of(scene.view);
  if (!is_shown(scene) || !scene.document.within.read()) {
    state.to_append = 0;
    return false;
  }
  go_on_generating(scene);
  follow_row(scene);
  const ModelRegions regions = model_regions(scene.ui, whole, scene.compact, scene.view);
  if (has_room(regions.controls)) {
    constexpr std::array<DrawSection, 5> sections{model_section, changes_section, generation_section,
                                                  cache_section, layer_section};
    scene.ui.fill(regions.controls, scene.ui.theme.panel);
    draw_column(scene, regions.controls, sections, state.controls_scroll);
  }
  state.hovered.reset();
  draw_generation_steps(scene, regions.grid);
  if (has_room(regions.stream)) draw_generation_cache(scene, regions.stream);
  if (has_room(regions.head)) draw_model_head(scene, regions.head);
  if (has_room(regions.prediction)) draw_model_prediction(scene, regions.prediction);
  return true;
}

bool generation_forward(Scene& scene) {
  if (!is_shown(scene)) return false;
  const auto place = generation_place(scene);
  if (!place) return true;
  if (place->step() < place->steps())
    go_to_step(scene, *place, place->step() + 1);
  else
    want(scene, 1);
  return true;
}

void generation_back(Scene& scene) {
  const auto place = generation_place(scene);
  if (scene.model == nullptr) return scene.view.notices.say("No model is open.");
  if (is_shown(scene) && place) go_to_step(scene, *place, place->step() - 1);
}
void generation_to_start(Scene& scene) {
  const auto place = generation_place(scene);
  if (scene.model == nullptr) return scene.view.notices.say("No model is open.");
  if (is_shown(scene) && place) go_to_step(scene, *place, 0);
}
void generation_to_end(Scene& scene) {
  const auto place = generation_place(scene);
  if (scene.model == nullptr) return scene.view.notices.say("No model is open.");
  if (is_shown(scene) && place) go_to_step(scene, *place, place->steps());
}

void generation_play(Scene& scene) {
  if (scene.model == nullptr) return scene.view.notices.say("No model is open.");
  if (!is_shown(scene) || !generation_place(scene)) return;
  ModelState& state = model_state_of(scene.view);
  state.to_append > 0 ? (state.to_append = 0, void()) : want(scene, state.generation.count);
}

}  // namespace attnscope
