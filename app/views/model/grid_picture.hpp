// app/views/model: the pictures of all heads as one picture, so that a thousand heads need one texture and
// not a thousand.
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
  Rgba ground = 0, hidden = 0, nan = 0;  // between the pictures; masked; NaN
  float high = 1;                        // the value of the last colour
  const ValueNorms* norms = nullptr;     // the factors of weights, for every key; null: none
  float low = 0;                         // the value of the first colour above zero, logarithmic; 0: linear
  bool by_maximum = false;               // the largest of several cells, else their mean

  /// The picture of plan.window. A pixel with several cells has the colour of the mean, or of the largest, of
  /// those that the mask allows.
  Image paint() const;
};

/// The largest weight that any query with a choice gives to a key, 0 … 1: exact if a cell of the pictures is
/// one weight, else the largest of its cell. 1 if the run has no pictures.
float most_given(const ModelSpec&, const ModelRun&, const ModelHead&, std::int64_t key);
/// The largest weight that a query gives to any key; rows without a choice do not count.
float most_given_by(const ModelSpec&, const ModelRun&, const ModelHead&, std::int64_t query);

}  // namespace attnscope
