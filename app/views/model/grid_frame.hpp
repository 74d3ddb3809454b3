// app/views/model: the grid of all heads in one frame: its data and its layout.
#pragma once

#include <vector>

#include "app/scene/scene.hpp"
#include "app/state/model_look.hpp"
#include "app/views/model/facts.hpp"
#include "app/views/model/grid_layout.hpp"

namespace attnscope {

/// Lives for one frame and refers to the scene.
struct GridFrame {
  /// Plans the grid; corrects a scroll offset beyond the end.
  GridFrame(Scene&, const Box& place);
  /// Without a place: the caller makes `plan`, to draw it elsewhere.
  explicit GridFrame(Scene&);
  /// The clip of its rows. The sign of a changed layer is to the left of its number, outside of the window.
  Box clip() const { return {region.x, plan.window.y, plan.window.right() - region.x, plan.window.h}; }

  Scene& scene;
  const Ui& ui;
  ModelLook& state;
  const ModelReading& reading;
  const ModelSpec& spec;
  const ModelRun& run;  // that is shown,
  const ModelFacts facts;
  const ModelChanges& changes;  // and what it was changed by
  Box region, title;
  ModelHead chosen;
  GridPlan plan;
};

/// The cell of a head; null if it has none.
const GridPlan::Cell* find_cell(const GridPlan&, const ModelHead&);
/// The attentions of the model in the order of the grid.
std::vector<GridPart> grid_parts(const GridFrame&);
/// Lists of heads if these are grouped or sorted; empty if they are in layers.
std::vector<GridList> grid_lists(const GridFrame&);

}  // namespace attnscope
