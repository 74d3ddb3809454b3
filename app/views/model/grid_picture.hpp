// app/views/model: the pictures of all heads as one picture: painted at once, so that a thousand heads cost a
// texture and not a thousand.
#pragma once

#include <memory>

#include "app/kit/draw/colormap.hpp"
#include "app/kit/draw/image.hpp"
#include "app/views/model/grid_layout.hpp"
#include "core/engine/model/model_reading.hpp"
#include "core/models/run_model.hpp"

namespace attnscope {

struct GridPainter {
  const GridPlan& plan;
  const ModelSpec& spec;
  const ModelRun& run;
  const Colormap& map;
  Rgba ground = 0, hidden = 0, nan = 0;  // between the pictures; where the mask hides; of what is no number
  float high = 1;                        // that the last colour stands for
  const ValueNorms* norms = nullptr;     // what weights are multiplied with, of every key; null: nothing
  float low = 0;            // that the first colour above zero stands for, by logarithm; 0: linear
  bool by_maximum = false;  // of several cells the largest

  /// What plan.window shows. A pixel of several cells wears the mean, or the largest, of those that the mask
  /// leaves.
  Image paint() const;
};

/// The largest α·‖v·W_O‖ in the pictures that three of four heads stay below: few heads of the last layers
/// are so large that the others would be black beside them. 1 where there is none.
float usual_contribution(const ModelSpec&, const ModelRun&, const ValueNorms&);

/// The most that any query with a choice gives to a key, 0 … 1: exact where a cell of the pictures is one
/// weight, else the largest of its cell. 1 where the run has no pictures.
float most_given(const ModelSpec&, const ModelRun&, const ModelHead&, std::int64_t key);
/// The most that a query gives to any key but in a row without a choice.
float most_given_by(const ModelSpec&, const ModelRun&, const ModelHead&, std::int64_t query);

}  // namespace attnscope
