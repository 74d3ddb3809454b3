// app/results: statistics over the picture of one head of a long result.
#pragma once

#include <cstdint>

#include "core/analysis/histogram.hpp"
#include "core/engine/result.hpp"

namespace attnscope {

/// Its cells are means or largest weights, or differences to the held result. Cells without any weight, such
/// as hidden ones, are left out.
struct PictureOfHead {
  std::int64_t b = 0, h = 0;
  bool mean = false, difference = false;
  auto operator<=>(const PictureOfHead&) const = default;
};

/// The largest magnitude of a cell; 0 if the two pictures have cells of different sizes. `held`: null if
/// nothing is held.
float largest_of_picture(const LayerResult& now, const LayerResult* held, const PictureOfHead&);
Histogram spread_of_picture(const LayerResult& now, const LayerResult* held, const PictureOfHead&,
                            const HistogramRequest&);

}  // namespace attnscope
