#include "core/base/norm.hpp"

#include <cmath>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/row_blocks.hpp"

namespace attnscope {

bool is_centred(NormKind kind) {
  switch (kind) {
    case NormKind::LayerNorm: return true;
    case NormKind::RmsNorm:
    case NormKind::RmsNormOnePlus: return false;
    case NormKind::None: break;
  }
  throw Error("norm: no rows are normed where the norm is none");
}

template <class T>
RowStatistics row_statistics(const NormSettings& settings, std::span<const T> x) {
  RowStatistics row;
  const auto count = static_cast<double>(x.size());
  if (is_centred(settings.kind)) {
    double sum = 0;
    for (const T number : x) sum += static_cast<double>(number);
    row.mean = sum / count;
  }
  double squares = 0;
  for (const T number : x) {
    const double shifted = static_cast<double>(number) - row.mean;
    squares += shifted * shifted;
  }
  row.inverse = 1 / std::sqrt(squares / count + settings.epsilon);
  return row;
}

/// A named namespace: lambdas in functions with external linkage call it.
namespace norm {

template <class T>
double weight_at(const NormSettings& settings, const NormParameters<T>& parameters, std::int64_t i) {
  if (parameters.weight.empty()) return 1;
  const auto w = static_cast<double>(parameters.weight[static_cast<std::size_t>(i)]);
  return adds_one(settings.kind) ? 1 + w : w;
}

}  // namespace norm

using norm::weight_at;

template <class T>
void normalise(const Work& work, const NormSettings& settings, const NormParameters<T>& parameters,
               ConstMatrixMap<T> x, MatrixMap<T> y) {
  const std::int64_t d = x.cols();
  for_row_blocks(work, 1, 1, x.rows(), static_cast<double>(d) * 2, [&](const RowBlock& at) {
    for (std::int64_t row = at.first; row < at.first + at.count; ++row) {
      const T* from = x.data() + row * d;
      T* to = y.data() + row * d;
      const RowStatistics of_row = row_statistics(settings, std::span(from, static_cast<std::size_t>(d)));
      for (std::int64_t i = 0; i < d; ++i) {
        const double u = (static_cast<double>(from[i]) - of_row.mean) * of_row.inverse;
        const double b =
            parameters.bias.empty() ? 0 : static_cast<double>(parameters.bias[static_cast<std::size_t>(i)]);
        to[i] = static_cast<T>(u * weight_at(settings, parameters, i) + b);
      }
    }
  });
}

template <class T>
NormGradients<T> normalise_backward(const Work& work, const NormSettings& settings,
                                    const NormParameters<T>& parameters, ConstMatrixMap<T> x,
                                    ConstMatrixMap<T> d_y) {
  const std::int64_t rows = x.rows(), d = x.cols();
  NormGradients<T> gradients;
  gradients.x = TensorOf<T>(Shape{rows, d});
  std::vector<RowStatistics> statistics(static_cast<std::size_t>(rows));
  for_row_blocks(work, 1, 1, rows, static_cast<double>(d) * 4, [&](const RowBlock& at) {
    for (std::int64_t row = at.first; row < at.first + at.count; ++row) {
      const T *from = x.data() + row * d, *gradient = d_y.data() + row * d;
      const RowStatistics of_row = row_statistics(settings, std::span(from, static_cast<std::size_t>(d)));
      statistics[static_cast<std::size_t>(row)] = of_row;
      const auto u = [&](std::int64_t i) {
        return (static_cast<double>(from[i]) - of_row.mean) * of_row.inverse;
      };
      const auto g = [&](std::int64_t i) {
        return static_cast<double>(gradient[i]) * weight_at(settings, parameters, i);
      };
      double mean_g = 0, mean_gu = 0;
      for (std::int64_t i = 0; i < d; ++i) {
        mean_g += g(i);
        mean_gu += g(i) * u(i);
      }
      mean_g = is_centred(settings.kind) ? mean_g / static_cast<double>(d) : 0;
      mean_gu /= static_cast<double>(d);
      T* to = gradients.x.data() + row * d;
      for (std::int64_t i = 0; i < d; ++i)
        to[i] = static_cast<T>(of_row.inverse * (g(i) - mean_g - u(i) * mean_gu));
    }
  });
  const auto sum_rows = [&](auto&& term) {
    TensorOf<T> sums(Shape{d});
    for (std::int64_t i = 0; i < d; ++i) {
      double sum = 0;
      for (std::int64_t row = 0; row < rows; ++row) sum += term(row, i);
      sums.values()[static_cast<std::size_t>(i)] = static_cast<T>(sum);
    }
    return sums;
  };
  if (!parameters.weight.empty()) {
    gradients.weight = sum_rows([&](std::int64_t row, std::int64_t i) {
      const RowStatistics& of_row = statistics[static_cast<std::size_t>(row)];
      return static_cast<double>(d_y(row, i)) * (static_cast<double>(x(row, i)) - of_row.mean) *
             of_row.inverse;
    });
  }
  if (!parameters.bias.empty())
    gradients.bias =
        sum_rows([&](std::int64_t row, std::int64_t i) { return static_cast<double>(d_y(row, i)); });
  return gradients;
}

template RowStatistics row_statistics(const NormSettings&, std::span<const float>);
template RowStatistics row_statistics(const NormSettings&, std::span<const double>);
template void normalise(const Work&, const NormSettings&, const NormParameters<float>&, ConstMatrixMap<float>,
                        MatrixMap<float>);
template void normalise(const Work&, const NormSettings&, const NormParameters<double>&,
                        ConstMatrixMap<double>, MatrixMap<double>);
template NormGradients<float> normalise_backward(const Work&, const NormSettings&,
                                                 const NormParameters<float>&, ConstMatrixMap<float>,
                                                 ConstMatrixMap<float>);
template NormGradients<double> normalise_backward(const Work&, const NormSettings&,
                                                  const NormParameters<double>&, ConstMatrixMap<double>,
                                                  ConstMatrixMap<double>);

}  // namespace attnscope
