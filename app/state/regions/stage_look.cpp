#include "app/state/regions/stage_look.hpp"

#include "app/state/regions/editing_state.hpp"
#include "app/state/regions/inspector_state.hpp"
#include "app/state/stage_names.hpp"

namespace attnscope {

ATTNSCOPE_NAMES(Plane::Kind, {"value", "gradient", "error", "difference", "magnitude", "ratio"});
ATTNSCOPE_NAMES(RangeMode, {"head", "mean", "all", "lock"});

static void fields(PageFields& visit, Plane& plane) {
  visit("stage", plane.stage);
  visit("kind", plane.kind);
}

void fields(PageFields& visit, StageLook& look) {
  visit("stage", look.stage);
  visit("vectors", look.vectors);
  visit("range", look.range);
  visit("locked_range", look.locked_range);
}

void show_stage(ViewState& view, Plane next) {
  inspector_of(view).expanded = false;
  editing_of(view).weights.reset();
  StageLook& look = stage_look_of(view);
  look.vectors.reset();
  look.stage = next;
  // The locked ends are those of another stage.
  if (look.range == RangeMode::Lock) look.range = RangeMode::All;
}

void show_vectors(ViewState& view, Stage next) {
  inspector_of(view).expanded = false;
  editing_of(view).weights.reset();
  stage_look_of(view).vectors = next;
}

void show_weights(ViewState& view, Editable next) {
  inspector_of(view).expanded = false;
  stage_look_of(view).vectors.reset();
  editing_of(view).weights = next;
}

}  // namespace attnscope
