#include "core/attention/linear.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/attention/row_math.hpp"
#include "core/base/product.hpp"

namespace attnscope {

template <class T>
TensorOf<T> linear_features(const Work& work, const TensorOf<T>& x, const Rotation<T>* rotation) {
  TensorOf<T> features(x.shape());
  std::transform(x.values().begin(), x.values().end(), features.values().begin(), linear_feature<T>);
  return rotation == nullptr ? features : rotate(work, features, *rotation);
}

template <class T>
TensorOf<T> linear_weights(const Work& work, const LinearOperands<T>& of, const TensorPtrOf<T>& additive,
                           const MaskRule& rule) {
  const Shape &qs = of.query.shape(), &ks = of.key.shape();
  const std::int64_t heads = qs[1], group = heads / ks[1], d_k = qs[3], keys = ks[2];
  const TensorOf<T> queries = linear_features<T>(work, of.query, nullptr);
  const TensorOf<T> key_features = linear_features<T>(work, of.key, nullptr);
  const bool turns = of.query_rotation != nullptr;
  TensorOf<T> turned_queries, turned_keys;  // for the numerator
  if (turns) {
    turned_queries = rotate(work, queries, *of.query_rotation);
    turned_keys = rotate(work, key_features, *of.key_rotation);
  }
  TensorOf<T> result(Shape{qs[0], heads, qs[2], keys});
  for_row_blocks(work, qs[0], heads, qs[2], product_ns(turns ? 2 : 1, d_k, keys), [&](const RowBlock& at) {
    using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    auto rows = result.matrix(at.b, at.h).middleRows(at.first, at.count);
    multiply_transposed<T>(std::as_const(queries).matrix(at.b, at.h).middleRows(at.first, at.count),
                           std::as_const(key_features).matrix(at.b, at.h / group), rows);
    Rows turned(turns ? at.count : 0, keys);
    if (turns)
      multiply_transposed<T>(std::as_const(turned_queries).matrix(at.b, at.h).middleRows(at.first, at.count),
                             std::as_const(turned_keys).matrix(at.b, at.h / group), turned);
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(keys));
    for (std::int64_t i = 0; i < at.count; ++i) {
      const std::int64_t query = at.first + i;
      rule.see<T>(at.b, at.h, query, MaskRule::additive_row<T>(additive, at.b, at.h, query), seen);
      const std::span<T> row(rows.row(i).data(), seen.size());
      for (std::size_t j = 0; j < seen.size(); ++j) row[j] = seen[j] != 0 ? row[j] : T{0};
      const double sum = sum_in_double<T>(row);
      if (sum == 0) continue;  // no key: zeros
      const T* above = turns ? turned.row(i).data() : row.data();
      for (std::size_t j = 0; j < seen.size(); ++j)
        row[j] = seen[j] != 0 ? static_cast<T>(static_cast<double>(above[j]) / sum) : T{0};
    }
  });
  return result;
}

namespace {

/// φ of queries or keys: plain for the denominator, rotated for the numerator, with the gradients of both.
template <class T>
struct Features {
  Features(const Work& work, const TensorOf<T>& x, const Rotation<T>* rotation)
      : plain(linear_features<T>(work, x, nullptr)),
        turned(rotation != nullptr ? rotate(work, plain, *rotation) : plain),
        d_plain(x.shape()),
        d_turned(x.shape()) {}

  /// The gradient of x.
  TensorOf<T> through(const Work& work, const TensorOf<T>& x, const Rotation<T>* rotation) && {
    const TensorOf<T> back =
        rotation != nullptr ? rotate_backward(work, d_turned, *rotation) : std::move(d_turned);
    const auto from = x.values(), b = back.values();
    const auto to = d_plain.values();
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = (to[i] + b[i]) * (from[i] > 0 ? T{1} : std::exp(from[i]));
    return std::move(d_plain);
  }

  TensorOf<T> plain, turned, d_plain, d_turned;
};

/// Turns a head's dL (`above`) into dn, and its φ(Q)·φ(K)ᵀ (`below`) into dz for each cell, in place.
template <class T, class Matrix>
void divide_backward(const LinearRun<T>& run, std::int64_t b, std::int64_t h, Matrix& above, Matrix& below) {
  const auto weights = run.weights.matrix(b, h);
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(above.cols()));
  for (std::int64_t i = 0; i < above.rows(); ++i) {
    run.rule.template see<T>(b, h, i, MaskRule::additive_row<T>(run.additive, b, h, i), seen);
    auto row = above.row(i);
    auto shares = below.row(i);
    for (std::size_t key = 0; key < seen.size(); ++key) {
      if (seen[key] != 0) continue;
      shares(static_cast<Eigen::Index>(key)) = T{0};
      row(static_cast<Eigen::Index>(key)) = T{0};
    }
    const T sum = shares.sum(), mean = row.dot(weights.row(i));
    if (sum == 0) {
      row.setZero();
      continue;
    }
    row /= sum;
    for (std::size_t key = 0; key < seen.size(); ++key)
      shares(static_cast<Eigen::Index>(key)) = seen[key] != 0 ? -mean / sum : T{0};
  }
}

template <class T>
LinearGradients<T> gradients_of(const Work& work, const LinearRun<T>& run, const TensorOf<T>& d_weights,
                                OpenHeads open) {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Shape &qs = run.of.query.shape(), &ks = run.of.key.shape();
  Features<T> query(work, run.of.query, run.of.query_rotation), key(work, run.of.key, run.of.key_rotation);
  const double head_ns = product_ns(qs[2] * ks[2], 1, 5 * qs[3]);
  for_open_groups(work, open, qs, ks[1], head_ns, [&](std::int64_t b, std::int64_t h, std::int64_t kv) {
    Matrix above = d_weights.matrix(b, h);
    Matrix below(above.rows(), above.cols());
    multiply_transposed<T>(query.plain.matrix(b, h), key.plain.matrix(b, kv), below);
    divide_backward(run, b, h, above, below);
    multiply<T>(above, key.turned.matrix(b, kv), query.d_turned.matrix(b, h));
    add_transposed_multiply<T>(above, query.turned.matrix(b, h), key.d_turned.matrix(b, kv));
    multiply<T>(below, key.plain.matrix(b, kv), query.d_plain.matrix(b, h));
    add_transposed_multiply<T>(below, query.plain.matrix(b, h), key.d_plain.matrix(b, kv));
  });
  return {std::move(query).through(work, run.of.query, run.of.query_rotation),
          std::move(key).through(work, run.of.key, run.of.key_rotation)};
}

}  // namespace

template <class T>
LinearGradients<T> linear_backward(const Work& work, const LinearRun<T>& run, const TensorOf<T>& d_weights,
                                   OpenHeads open) {
  return gradients_of(work, run, d_weights, open);
}

template TensorOf<float> linear_features(const Work&, const TensorOf<float>&, const Rotation<float>*);
template TensorOf<double> linear_features(const Work&, const TensorOf<double>&, const Rotation<double>*);
template TensorOf<float> linear_weights(const Work&, const LinearOperands<float>&, const TensorPtr&,
                                        const MaskRule&);
template TensorOf<double> linear_weights(const Work&, const LinearOperands<double>&,
                                         const TensorPtrOf<double>&, const MaskRule&);

template LinearGradients<float> linear_backward(const Work&, const LinearRun<float>&, const TensorOf<float>&,
                                                OpenHeads);
template LinearGradients<double> linear_backward(const Work&, const LinearRun<double>&,
                                                 const TensorOf<double>&, OpenHeads);

}  // namespace attnscope
