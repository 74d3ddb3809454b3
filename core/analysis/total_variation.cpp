#include "core/analysis/total_variation.hpp"

#include <cmath>

namespace attnscope {

double total_variation(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j)
    sum += std::abs(static_cast<double>(a[j]) - static_cast<double>(b[j]));
  return sum / 2;
}

TotalVariation total_variation(const ConstMatrixMap<float>& a, const ConstMatrixMap<float>& b,
                               const std::function<bool(std::int64_t)>& counts) {
  TotalVariation of;
  const auto keys = static_cast<std::size_t>(a.cols());
  double sum = 0, rows = 0;
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    of.rows.push_back(total_variation({a.row(i).data(), keys}, {b.row(i).data(), keys}));
    if (!counts(i)) continue;
    sum += of.rows.back();
    ++rows;
  }
  of.mean = rows > 0 ? sum / rows : 0;
  return of;
}

}  // namespace attnscope
