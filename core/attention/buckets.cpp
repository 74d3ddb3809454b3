#include "core/attention/buckets.hpp"

#include "core/attention/blocks.hpp"
#include "core/base/random.hpp"

namespace attnscope {

namespace {

/// R of one round and key head, [d_k][buckets / 2].
template <class T>
TensorOf<T> rotation_of(const Sparsity& sparsity, std::int64_t round, std::int64_t kv_head,
                        std::int64_t d_k) {
  Tensor numbers(Shape{d_k, sparsity.lsh_buckets / 2});
  const std::uint64_t stream = stream_of("LSH rotation") + static_cast<std::uint64_t>((kv_head << 8) + round);
  fill_normal(numbers.values(), sparsity.seed, stream, 1);
  return {numbers.shape(), std::vector<T>(numbers.values().begin(), numbers.values().end())};
}

template <class Row>
std::int64_t bucket_of(const Row& turned) {
  Eigen::Index most = 0, least = 0;
  const auto high = turned.maxCoeff(&most), low = turned.minCoeff(&least);
  return -low > high ? turned.size() + least : most;
}

}  // namespace

template <class T>
TensorOf<T> buckets(const Work& work, const Sparsity& sparsity, const TensorOf<T>& query,
                    const TensorOf<T>& key, std::int64_t token_keys) {
  const std::int64_t batch = query.shape()[0], heads = query.shape()[1], queries = query.shape()[2];
  const std::int64_t d_k = query.shape()[3], group = heads / key.shape()[1];
  TensorOf<T> result(Shape{batch, heads, sparsity.lsh_rounds, queries + token_keys});
  const double head_ns = product_ns(queries + token_keys, d_k, sparsity.lsh_buckets / 2);
  work.for_each(batch * heads, head_ns * sparsity.lsh_rounds, [&](std::int64_t block) {
    const std::int64_t b = block / heads, h = block % heads, kv = h / group;
    auto found = result.matrix(b, h);
    for (std::int64_t round = 0; round < sparsity.lsh_rounds; ++round) {
      const TensorOf<T> rotation = rotation_of<T>(sparsity, round, kv, d_k);
      for (std::int64_t i = 0; i < queries; ++i)
        found(round, i) = static_cast<T>(bucket_of((query.matrix(b, h).row(i) * rotation.matrix()).eval()));
      for (std::int64_t j = 0; j < token_keys; ++j)
        found(round, queries + j) =
            static_cast<T>(bucket_of((key.matrix(b, kv).row(j) * rotation.matrix()).eval()));
    }
  });
  return result;
}

template TensorOf<float> buckets(const Work&, const Sparsity&, const TensorOf<float>&, const TensorOf<float>&,
                                 std::int64_t);
template TensorOf<double> buckets(const Work&, const Sparsity&, const TensorOf<double>&,
                                  const TensorOf<double>&, std::int64_t);

}  // namespace attnscope
