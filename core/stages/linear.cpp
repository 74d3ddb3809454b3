#include "core/stages/linear.hpp"

#include <algorithm>
#include <vector>

#include "core/stages/blocks.hpp"
#include "core/stages/row_math.hpp"

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
  TensorOf<T> turned_queries, turned_keys;  // of the numerator
  if (turns) {
    turned_queries = rotate(work, queries, *of.query_rotation);
    turned_keys = rotate(work, key_features, *of.key_rotation);
  }
  TensorOf<T> result(Shape{qs[0], heads, qs[2], keys});
  for_row_blocks(work, qs[0], heads, qs[2], product_ns(turns ? 2 : 1, d_k, keys), [&](const RowBlock& at) {
    using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    auto rows = result.matrix(at.b, at.h).middleRows(at.first, at.count);
    rows.noalias() = queries.matrix(at.b, at.h).middleRows(at.first, at.count) *
                     key_features.matrix(at.b, at.h / group).transpose();
    Rows turned;
    if (turns)
      turned.noalias() = turned_queries.matrix(at.b, at.h).middleRows(at.first, at.count) *
                         turned_keys.matrix(at.b, at.h / group).transpose();
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

template TensorOf<float> linear_features(const Work&, const TensorOf<float>&, const Rotation<float>*);
template TensorOf<double> linear_features(const Work&, const TensorOf<double>&, const Rotation<double>*);
template TensorOf<float> linear_weights(const Work&, const LinearOperands<float>&, const TensorPtr&,
                                        const MaskRule&);
template TensorOf<double> linear_weights(const Work&, const LinearOperands<double>&,
                                         const TensorPtrOf<double>&, const MaskRule&);

}  // namespace attnscope
