// app/views/model: the weights of one head of a model, which a worker computes when it is looked at.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "app/results/head_maps.hpp"
#include "app/scene/scene.hpp"
#include "app/state/model_head.hpp"
#include "core/models/run_model.hpp"

namespace attnscope {

/// The most cells of a map; a head with more has only its picture in the grid.
inline constexpr std::int64_t most_map_cells = 600 * 600;

/// The number of cells of a head in a run.
std::int64_t map_cells(const Model&, const ModelRun&, const ModelHead&);
/// The map of the run on screen. Null if it has too many cells, and until a worker has made the first map of
/// its shape.
HeadMapPtr head_map(Scene&, const ModelHead&, CellValue);
/// The same of any run.
HeadMapPtr head_map_of(Scene&, HeadMaps::Place, const ModelPtr&, const std::shared_ptr<const ModelRun>&,
                       const ModelHead&, CellValue);

/// The weights of a head, or the largest of several cells each.
struct RunMap {
  const ModelSpec& spec;
  const std::shared_ptr<const ModelRun>& run;
  ModelHead head;
  ConstMatrixMap<float> values;  // follow from the run, the head and the three below
  PooledCells cells = {};
  CellValue value = CellValue::Weight;
  std::uint64_t content = 0;  // mixed into the picture's hash
};
struct Part;
struct ColourScale;
/// Draws a part of the map into the box, with hatches for masked cells. `place` distinguishes it from others
/// in a frame.
void draw_run_map(const Ui&, const char* place, const RunMap&, const Box&, const Part&, const ColourScale&);

/// The same of a map of the run on screen.
void draw_head_map(Scene&, const HeadMap&, const Box&, const Part&, const ColourScale&);
/// The picture of the grid, enlarged: the largest weight of several cells each. `place` distinguishes it from
/// others in a frame.
void draw_pooled_map(Scene&, const ModelHead&, const Box&, const ColourScale&,
                     const char* place = "model head map");

}  // namespace attnscope
