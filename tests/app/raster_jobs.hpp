// tests/app: pictures of small matrices in colours that can be told apart.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "app/draw/raster.hpp"

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

inline Rgba grey(int level) { return colormap(Map::Grey)[static_cast<std::size_t>(level)]; }

}  // namespace attnscope::test
