// core/experiments: shared helpers: numbers drawn from a seed, rows of weights and their measures, in
// float64.
#pragma once

#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "core/base/tensor.hpp"
#include "core/document/document.hpp"
#include "core/experiments/experiment.hpp"

namespace attnscope::experiments {

using Matrix = Eigen::MatrixXd;

/// Standard normal numbers, the same for the same seed and `what`.
Matrix normals(std::uint64_t seed, std::string_view what, Eigen::Index rows, Eigen::Index columns);
/// The softmax of each row, the largest logit subtracted first; −∞ hides, and a row of −∞ only becomes zeros.
Matrix softmax_rows(const Matrix& logits);
/// Causal mask: hides later keys; as many queries as keys.
void hide_later(Matrix& logits);

/// −Σ w ln w.
double entropy_of(const Eigen::Ref<const Eigen::RowVectorXd>& weights);
/// Mean over rows of H / ln(keys).
double mean_entropy(const Matrix& weights);
double mean_largest(const Matrix& weights);
double deviation(const Matrix& numbers);
double median(std::vector<double> numbers);
/// ∂L/∂s of each row for the weights w = softmax(s) and g = ∂L/∂w = `upstream`: w ∘ (g − w·g).
Matrix softmax_gradient(const Matrix& weights, const Matrix& upstream);
std::vector<double> row_norms(const Matrix&);
/// ½ Σ |a − b|, mean over rows.
double mean_variation(const Matrix& a, const Matrix& b);

/// Collects the numbers of all seeds for every quantity.
class Seeds {
 public:
  explicit Seeds(std::size_t quantities) : numbers_(quantities) {}
  void add(std::size_t quantity, double number) { numbers_[quantity].push_back(number); }
  enum class Typical { Mean, Median };
  void take_median(std::size_t quantity) { medians_.push_back(quantity); }
  Measured bands() const;

 private:
  std::vector<std::vector<double>> numbers_;
  std::vector<std::size_t> medians_;
};

void stop_when_asked(const std::stop_token&);

/// [1][heads][rows][columns]
TensorPtr heads_tensor(std::span<const Matrix> heads);
/// A layer with these queries, keys and values and all options off.
Document given_document(std::span<const Matrix> queries, std::span<const Matrix> keys,
                        std::span<const Matrix> values);

}  // namespace attnscope::experiments
