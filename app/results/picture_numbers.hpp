// app/results: what is counted over the picture of one head that a long result has.
#pragma once

#include <cstdint>

#include "core/analysis/histogram.hpp"
#include "core/engine/result.hpp"

namespace attnscope {

/// Of means or of largest weights, or of its difference to that of the held result. Cells without any weight,
/// hidden ones above all, are left out.
struct PictureOfHead {
  std::int64_t b = 0, h = 0;
  bool mean = false, difference = false;
  auto operator<=>(const PictureOfHead&) const = default;
};

/// The largest magnitude of a cell; 0 where the two pictures have cells of other sizes. `held`: null when
/// there is none.
float largest_of_picture(const LayerResult& now, const LayerResult* held, const PictureOfHead&);
Histogram spread_of_picture(const LayerResult& now, const LayerResult* held, const PictureOfHead&,
                            const HistogramRequest&);

}  // namespace attnscope
