// app/views/model: the grid of all heads in one frame: what it is drawn of and where everything stands.
#pragma once

#include <vector>

#include "app/scene/scene.hpp"
#include "app/state/model_look.hpp"
#include "app/views/model/facts.hpp"
#include "app/views/model/grid_layout.hpp"

namespace attnscope {

/// Lives for one frame: what it refers to belongs to the scene.
struct GridFrame {
  /// Plans the grid; a scroll that leaves nothing in sight is taken back.
  GridFrame(Scene&, const Box& place);
  /// Without a place: the caller makes `plan` and draws it elsewhere.
  explicit GridFrame(Scene&);
  /// Where its rows are drawn. The sign of a changed layer stands to the left of its number, before the
  /// window.
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

/// Where a head stands; null where it does not.
const GridPlan::Cell* find_cell(const GridPlan&, const ModelHead&);
/// The attentions of the model as the grid stands them beside each other.
std::vector<GridPart> grid_parts(const GridFrame&);
/// Heads in lists where they are grouped or sorted; none where they stand in their layers.
std::vector<GridList> grid_lists(const GridFrame&);

}  // namespace attnscope
