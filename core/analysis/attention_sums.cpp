#include "core/analysis/attention_sums.hpp"

#include <cmath>
#include <limits>
#include <span>

#include <Eigen/Core>

#include "core/attention/row_math.hpp"

namespace attnscope {

template <class T>
AttentionSums<T> attention_sums(const TensorOf<T>& masked, const TensorOf<T>& weights) {
  const Shape& shape = masked.shape();
  AttentionSums<T> sums{TensorOf<T>(Shape{shape[0], shape[1], shape[2]}),
                        TensorOf<T>(Shape{shape[0], shape[1], shape[2]}),
                        TensorOf<T>(Shape{shape[0], shape[1], shape[3]})};
  for (std::int64_t row = 0; row < shape[0] * shape[1] * shape[2]; ++row) {
    const std::span<const T> x =
        masked.values().subspan(static_cast<std::size_t>(row * shape[3]), static_cast<std::size_t>(shape[3]));
    const double largest = static_cast<double>(
        Eigen::Map<const Eigen::ArrayX<T>>(x.data(), shape[3]).template maxCoeff<Eigen::PropagateNaN>());
    const auto at = static_cast<std::size_t>(row);
    if (largest == -std::numeric_limits<double>::infinity()) {
      sums.log_sum_exp.values()[at] = -std::numeric_limits<T>::infinity();
      continue;
    }
    const auto shifted = [&](std::size_t key) { return static_cast<double>(x[key]) - largest; };
    const double sum = sum_of(x.size(), [&](std::size_t key) { return std::exp(shifted(key)); });
    const double centred = sum_of(x.size(), [&](std::size_t key) {
      const double e = std::exp(shifted(key));
      return e == 0 ? 0 : shifted(key) * e;
    });
    sums.log_sum_exp.values()[at] = static_cast<T>(largest + std::log(sum));
    const double entropy = std::log(sum) - centred / sum;
    sums.entropy.values()[at] = static_cast<T>(entropy < 0 ? 0 : entropy);
  }
  for (std::int64_t b = 0; b < shape[0]; ++b)
    for (std::int64_t h = 0; h < shape[1]; ++h)
      sums.received.matrix(b).row(h) =
          weights.matrix(b, h).template cast<double>().colwise().sum().template cast<T>();
  return sums;
}

std::vector<float> column_means(const ConstMatrixMap<float>& values) {
  if (values.rows() == 0) return {};
  // Row after row: in memory the numbers of a column are a row apart.
  std::vector<float> means(static_cast<std::size_t>(values.cols()), 0.f);
  Eigen::Map<Eigen::RowVectorXf> sums(means.data(), values.cols());
  sums = values.row(0);
  for (Eigen::Index i = 1; i < values.rows(); ++i) sums += values.row(i);
  sums /= static_cast<float>(values.rows());
  return means;
}

template AttentionSums<float> attention_sums(const TensorOf<float>&, const TensorOf<float>&);
template AttentionSums<double> attention_sums(const TensorOf<double>&, const TensorOf<double>&);

}  // namespace attnscope
