#include "core/engine/overview.hpp"

#include <algorithm>
#include <cmath>

namespace attnscope {

std::int64_t overview_cell(const Shape& planes) {
  const std::int64_t longest = std::max<std::int64_t>({planes[2], planes[3], 1});
  return (longest + overview_side - 1) / overview_side;
}

Shape overview_shape(const Shape& planes) {
  const std::int64_t cell = overview_cell(planes);
  return {planes[0], planes[1], (planes[2] + cell - 1) / cell, (planes[3] + cell - 1) / cell};
}

Tensor overview_of(const Tensor& planes) {
  const std::int64_t cell = overview_cell(planes.shape());
  Tensor made(overview_shape(planes.shape()));
  for (std::int64_t b = 0; b < planes.shape()[0]; ++b)
    for (std::int64_t h = 0; h < planes.shape()[1]; ++h) {
      const auto from = planes.matrix(b, h);
      auto to = made.matrix(b, h);
      for (Eigen::Index i = 0; i < from.rows(); ++i)
        for (Eigen::Index j = 0; j < from.cols(); ++j) {
          float& most = to(i / cell, j / cell);
          const float x = from(i, j);
          if (std::isnan(x) || std::abs(x) > std::abs(most) || (std::abs(x) == std::abs(most) && x > most))
            most = x;  // a NaN in the cell stays
        }
    }
  return made;
}

}  // namespace attnscope
