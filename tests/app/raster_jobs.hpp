// tests/app: pictures of small matrices in colours that can be told apart.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "app/kit/draw/raster.hpp"

namespace attnscope::test {

inline constexpr float endless = std::numeric_limits<float>::infinity();
inline constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
inline constexpr RasterColours colours{
    .ground = 1, .hatch_ground = 2, .hatch_line = 3, .no_key_line = 4, .underflow_dot = 5, .nan = 6};

/// The whole of a matrix of `columns` columns.
inline RasterJob whole(const std::vector<float>& values, int columns, int width, int height) {
  const auto rows = static_cast<Eigen::Index>(values.size()) / columns;
  return {.values = {values.data(), rows, columns},
          .map = &colormap(Map::Grey),
          .rows = static_cast<double>(rows),
          .columns = static_cast<double>(columns),
          .width = width,
          .height = height,
          .colours = colours};
}

/// The picture by plain loops, without marks and edges: each pixel is the largest of its cells. A yardstick
/// for speed.
inline Image plain_picture(const RasterJob& job) {
  Image image(job.width, job.height);
  const auto first = [](double cells, int pixels, int at) {
    return static_cast<Eigen::Index>(cells * at / pixels);
  };
  for (int y = 0; y < job.height; ++y) {
    const Eigen::Index top = first(job.rows, job.height, y), bottom = first(job.rows, job.height, y + 1);
    for (int x = 0; x < job.width; ++x) {
      const Eigen::Index left = first(job.columns, job.width, x),
                         right = first(job.columns, job.width, x + 1);
      float most = job.values(top, left);
      for (Eigen::Index i = top; i < bottom; ++i)
        for (Eigen::Index j = left; j < right; ++j) most = std::max(most, job.values(i, j));
      image.at(x, y) = (*job.map)[static_cast<std::size_t>(255 * std::clamp(most, 0.f, 1.f))];
    }
  }
  return image;
}

inline Rgba grey(int level) { return colormap(Map::Grey)[static_cast<std::size_t>(level)]; }

}  // namespace attnscope::test
