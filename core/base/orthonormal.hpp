// core/base: the orthogonal factor of a QR decomposition, compiled once.
#pragma once

#include <Eigen/Core>

namespace attnscope {

/// Q of `columns` = Q R by Householder's reflections: orthonormal columns that span those of `columns` (rows
/// ≥ columns). The signs are chosen so that no entry of R's diagonal is negative, which makes Q unique if the
/// columns are independent (Mezzadri 2007, "How to generate random matrices from the classical compact
/// groups").
Eigen::MatrixXd orthonormal(const Eigen::MatrixXd& columns);

}  // namespace attnscope
