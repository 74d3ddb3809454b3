#include "core/experiments/online.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"

namespace attnscope::experiments {

OnlineRow online_row(const Eigen::RowVectorXd& scores, const Eigen::MatrixXd& values, std::size_t tile) {
  const auto keys = static_cast<std::size_t>(scores.size());
  if (keys == 0 || tile == 0 || values.rows() != scores.size())
    throw Error("A row of scores needs as many values as keys, and tiles of at least one key.");
  const Eigen::RowVectorXd weights = (scores.array() - scores.maxCoeff()).exp().matrix();
  const Eigen::RowVectorXd whole = weights * values / weights.sum();

  OnlineRow row{{scores.begin(), scores.end()}, {}};
  double maximum = -std::numeric_limits<double>::infinity(), sum = 0;
  Eigen::RowVectorXd mixed = Eigen::RowVectorXd::Zero(values.cols());
  for (std::size_t first = 0; first < keys; first += tile) {
    const std::size_t last = std::min(first + tile, keys);
    const auto at = static_cast<Eigen::Index>(first), count = static_cast<Eigen::Index>(last - first);
    const double largest = scores.segment(at, count).maxCoeff();
    const double next = std::max(maximum, largest);
    const double factor = std::exp(maximum - next);
    const Eigen::RowVectorXd terms = (scores.segment(at, count).array() - next).exp().matrix();
    sum = sum * factor + terms.sum();
    mixed = mixed * factor + terms * values.middleRows(at, count);
    maximum = next;
    row.tiles.push_back(
        {first, last, largest, maximum, factor, sum, (mixed / sum - whole).norm() / whole.norm()});
  }
  return row;
}

}  // namespace attnscope::experiments
