#include "app/views/model/go_to_head.hpp"

#include "app/state/model_look.hpp"
#include "app/state/window_state.hpp"
#include "app/views/model/parts.hpp"
#include "core/models/run_heads.hpp"

namespace attnscope {

void go_to_found(Scene& scene) {
  const std::optional<HeadMaps::Found> found = scene.head_maps.found();
  const bool is_looked_at = found && scene.next.head == found->head.head &&
                            scene.document.within.read().block == found->head.block &&
                            scene.document.within.read().of == found->head.of;
  if (!is_looked_at) return;  // another head was chosen meanwhile
  scene.next.cell = found->cell;
  scene.next.locked = true;
}

void go_to_head(Scene& scene, const ModelHead& head, std::int64_t row) {
  const std::shared_ptr<const ModelRun>& run = shown_run(scene);
  if (row < 0 || row >= rows_of(*run, head.of)) return;
  const ModelPtr& model = scene.model->within.model->model;
  look_at(scene, head);
  scene.head_maps.seek(
      {model, run, head, CellValue::Weight, keys_seen(model->spec, *run, head.of, head.block).keys}, row);
  go_to_found(scene);
}

void go_to_strongest_head(Scene& scene) {
  const ModelReading* const reading = scene.model;
  if (reading == nullptr || !reading->run) return scene.view.notices.say("No model is open.");
  if (!reading->within.model->model->spec.has_logits())
    return scene.view.notices.say("This model predicts nothing that a head could change.");
  const std::optional<ModelHead> head = strongest_head(*reading);
  if (!head)
    return scene.view.notices.say("The effects of all heads are not known yet; try again in a moment.");
  model_look_of(scene.view).locked = true;
  look_at(scene, *head);
  if (reading->prediction) go_to_head(scene, *head, reading->prediction->row);
}

}  // namespace attnscope
