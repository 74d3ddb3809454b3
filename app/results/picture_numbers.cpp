#include "app/results/picture_numbers.hpp"

#include <algorithm>
#include <cmath>

namespace attnscope {
namespace {

ConstMatrixMap<float> picture_in(const LayerResult& result, const PictureOfHead& of) {
  const Sweep& known = result.surveys[static_cast<std::size_t>(of.b)]->known;
  return (of.mean ? known.mean : known.largest_cells()).matrix(of.h - known.first_head);
}

/// Calls `take` for every cell that has a weight in one of the two pictures.
template <class Take>
void each_of_picture(const LayerResult& now, const LayerResult* held, const PictureOfHead& of,
                     const Take& take) {
  const auto a = picture_in(now, of);
  if (!of.difference) {
    for (const float v : a.reshaped())
      if (v != 0) take(v);
  } else if (held != nullptr && held->is_long()) {
    const auto b = picture_in(*held, of);
    for (Eigen::Index i = 0; i < a.size() && a.size() == b.size(); ++i)
      if (a.data()[i] != 0 || b.data()[i] != 0) take(a.data()[i] - b.data()[i]);
  }
}

}  // namespace

float largest_of_picture(const LayerResult& now, const LayerResult* held, const PictureOfHead& of) {
  float most = 0;
  each_of_picture(now, held, of,
                  [&](float v) { most = std::isfinite(v) ? std::max(most, std::abs(v)) : most; });
  return most;
}

Histogram spread_of_picture(const LayerResult& now, const LayerResult* held, const PictureOfHead& of,
                            const HistogramRequest& request) {
  HistogramCount count(request.low, request.high, request.bins, request.log);
  each_of_picture(now, held, of, [&](float v) { count.add(v); });
  return std::move(count).finish();
}

}  // namespace attnscope
