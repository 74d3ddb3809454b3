#include "core/experiments/draws.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/random.hpp"

namespace attnscope::experiments {

Matrix normals(std::uint64_t seed, std::string_view what, Eigen::Index rows, Eigen::Index columns) {
  const std::uint64_t stream = stream_of(what);
  Matrix out(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < columns; ++j)
      out(i, j) = random_normal(seed, stream, static_cast<std::uint64_t>(i * columns + j));
  return out;
}

Matrix softmax_rows(const Matrix& logits) {
  Matrix out(logits.rows(), logits.cols());
  for (Eigen::Index i = 0; i < logits.rows(); ++i) {
    const double largest = logits.row(i).maxCoeff();
    if (!std::isfinite(largest)) {
      out.row(i).setZero();
      continue;
    }
    out.row(i) = (logits.row(i).array() - largest).exp();
    out.row(i) /= out.row(i).sum();
  }
  return out;
}

void hide_later(Matrix& logits) {
  for (Eigen::Index i = 0; i < logits.rows(); ++i)
    for (Eigen::Index j = i + 1; j < logits.cols(); ++j) logits(i, j) = -INFINITY;
}

double entropy_of(const Eigen::Ref<const Eigen::RowVectorXd>& weights) {
  double sum = 0;
  for (Eigen::Index j = 0; j < weights.size(); ++j)
    if (weights(j) > 0) sum -= weights(j) * std::log(weights(j));
  return sum;
}

double mean_entropy(const Matrix& weights) {
  double sum = 0;
  for (Eigen::Index i = 0; i < weights.rows(); ++i) sum += entropy_of(weights.row(i));
  return sum / static_cast<double>(weights.rows()) / std::log(static_cast<double>(weights.cols()));
}

double mean_largest(const Matrix& weights) { return weights.rowwise().maxCoeff().mean(); }

double deviation(const Matrix& numbers) {
  return std::sqrt((numbers.array() - numbers.mean()).square().mean());
}

double median(std::vector<double> numbers) {
  if (numbers.empty()) return NAN;
  std::ranges::sort(numbers);
  const std::size_t middle = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[middle] : (numbers[middle - 1] + numbers[middle]) / 2;
}

Matrix softmax_gradient(const Matrix& weights, const Matrix& upstream) {
  const Eigen::VectorXd along = weights.cwiseProduct(upstream).rowwise().sum();
  return weights.cwiseProduct(upstream.colwise() - along);
}

std::vector<double> row_norms(const Matrix& numbers) {
  std::vector<double> norms;
  for (Eigen::Index i = 0; i < numbers.rows(); ++i) norms.push_back(numbers.row(i).norm());
  return norms;
}

double mean_variation(const Matrix& a, const Matrix& b) {
  return (a - b).cwiseAbs().rowwise().sum().mean() / 2;
}

Measured Seeds::bands() const {
  Measured out(numbers_.size());
  for (std::size_t q = 0; q < numbers_.size(); ++q) {
    const std::vector<double>& all = numbers_[q];
    if (all.empty()) continue;
    double sum = 0;
    for (const double number : all) sum += number;
    const bool by_median = std::ranges::find(medians_, q) != medians_.end();
    out[q] = {by_median ? median(all) : sum / static_cast<double>(all.size()), std::ranges::min(all),
              std::ranges::max(all)};
  }
  return out;
}

void stop_when_asked(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Cancelled();
}

TensorPtr heads_tensor(std::span<const Matrix> heads) {
  const Eigen::Index rows = heads.front().rows(), columns = heads.front().cols();
  Tensor out({1, std::ssize(heads), rows, columns});
  for (std::size_t h = 0; h < heads.size(); ++h)
    out.matrix(0, static_cast<std::int64_t>(h)) = heads[h].cast<float>();
  return std::make_shared<const Tensor>(std::move(out));
}

Document given_document(std::span<const Matrix> queries, std::span<const Matrix> keys,
                        std::span<const Matrix> values) {
  Document document;
  Given given;
  given.query = heads_tensor(queries);
  given.key = heads_tensor(keys);
  given.value = heads_tensor(values);
  document.input.numbers = std::move(given);
  LayerSpec& layer = document.layer();
  layer.heads = static_cast<int>(queries.size());
  layer.kv_heads = keys.size() == queries.size() ? 0 : static_cast<int>(keys.size());
  layer.d_model = static_cast<int>(std::ssize(queries) * values.front().cols());
  layer.positions = Positions::None;
  return document;
}

}  // namespace attnscope::experiments
