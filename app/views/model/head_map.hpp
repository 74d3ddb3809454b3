// app/views/model: the weights of one head of a model, which a worker makes when it is looked at.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "app/results/head_maps.hpp"
#include "app/scene/scene.hpp"
#include "app/state/model_head.hpp"
#include "core/models/run_model.hpp"

namespace attnscope {

/// A head with more cells has no map: its picture in the grid is all there is.
inline constexpr std::int64_t most_map_cells = 600 * 600;

/// Cells of a head in a run.
std::int64_t map_cells(const Model&, const ModelRun&, const ModelHead&);
/// Of the run on screen. Null where it has too many cells, and until a worker has made the first of its
/// shape.
HeadMapPtr head_map(Scene&, const ModelHead&, CellValue);
/// The same of any run.
HeadMapPtr head_map_of(Scene&, HeadMaps::Place, const ModelPtr&, const std::shared_ptr<const ModelRun>&,
                       const ModelHead&, CellValue);

/// Weights of a head, or the largest of so many cells.
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
/// Draws it into the box with hatches for what the mask hides; the part of it that the map shows. `place`
/// names where it stands, of several in a frame.
void draw_run_map(const Ui&, const char* place, const RunMap&, const Box&, const Part&, const ColourScale&);

/// The same of a map of the run on screen.
void draw_head_map(Scene&, const HeadMap&, const Box&, const Part&, const ColourScale&);
/// The picture of the grid, large: the largest weight of so many cells.
/// `place` names where it stands, of several in a frame.
void draw_pooled_map(Scene&, const ModelHead&, const Box&, const ColourScale&,
                     const char* place = "model head map");

}  // namespace attnscope
