#include "core/base/orthonormal.hpp"

#include <Eigen/QR>

namespace attnscope {

Eigen::MatrixXd orthonormal(const Eigen::MatrixXd& columns) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> decomposed(columns);
  Eigen::MatrixXd frame = Eigen::MatrixXd::Identity(columns.rows(), columns.cols());
  frame.applyOnTheLeft(decomposed.householderQ());
  for (Eigen::Index column = 0; column < columns.cols(); ++column)
    if (decomposed.matrixQR()(column, column) < 0) frame.col(column) = -frame.col(column);
  return frame;
}

}  // namespace attnscope
