#include "core/transformer/positions/disentangled.hpp"

#include <algorithm>

#include "core/base/product.hpp"
#include "core/base/random.hpp"
#include "core/base/row_blocks.hpp"

namespace attnscope {

std::int64_t relative_row(std::int64_t distance, std::int64_t span) {
  return std::clamp<std::int64_t>(distance + span, 0, 2 * span - 1);
}

template <class T>
TensorOf<T> relative_vectors(std::int64_t span, std::int64_t d_model, const TensorOf<T>* table,
                             std::uint64_t seed) {
  const std::int64_t rows = 2 * span;
  TensorOf<T> vectors(Shape{1, rows, d_model});
  if (table != nullptr) {
    std::ranges::copy(table->values(), vectors.values().begin());
    return vectors;
  }
  constexpr double sigma = 0.5;  // as for learned positions
  const std::uint64_t stream = stream_of("relative position vectors");
  for (std::int64_t row = 0; row < rows; ++row) {
    // The stream depends on the distance, so that a vector stays the same when the span changes.
    const auto from = static_cast<std::uint64_t>(row - rows / 2 + max_relative_span) << 24;
    for (std::int64_t column = 0; column < d_model; ++column)
      vectors.matrix(0)(row, column) = static_cast<T>(
          static_cast<float>(sigma * random_normal(seed, stream, from + static_cast<std::uint64_t>(column))));
  }
  return vectors;
}

template <class T>
TensorOf<T> disentangled_bias(const Work& work, const DisentangledRun<T>& run) {
  const Shape &q = run.query.shape(), &k = run.key.shape();
  const std::int64_t batch = q[0], heads = q[1], queries = q[2], keys = k[2], group = heads / k[1];
  const std::int64_t rows = 2 * run.span;
  TensorOf<T> bias(Shape{batch, heads, queries, keys});
  TensorOf<T> to_query(run.relative_query != nullptr ? Shape{batch, heads, keys, rows} : Shape{0});  // K·Q_rᵀ
  if (run.relative_query != nullptr) {
    for_row_blocks(work, batch, heads, keys, static_cast<double>(rows * q[3]) / 12, [&](const RowBlock& at) {
      multiply_transposed<T>(run.key.matrix(at.b, at.h / group).middleRows(at.first, at.count),
                             run.relative_query->matrix(0, at.h),
                             to_query.matrix(at.b, at.h).middleRows(at.first, at.count));
    });
  }
  for_row_blocks(work, batch, heads, queries, static_cast<double>(rows * q[3]) / 12, [&](const RowBlock& at) {
    TensorOf<T> to_key(Shape{at.count, rows});  // Q·K_rᵀ
    if (run.relative_key != nullptr)
      multiply_transposed<T>(run.query.matrix(at.b, at.h).middleRows(at.first, at.count),
                             run.relative_key->matrix(0, at.h / group), to_key.matrix());
    auto head = bias.matrix(at.b, at.h);
    for (std::int64_t i = at.first; i < at.first + at.count; ++i) {
      const std::int64_t position = run.first[static_cast<std::size_t>(at.b)] + i;
      for (std::int64_t j = 0; j < run.token_keys; ++j) {
        const std::int64_t row = relative_row(position - j, run.span);
        T sum = to_key.matrix()(i - at.first, row);
        if (run.relative_query != nullptr) sum += to_query.matrix(at.b, at.h)(j, row);
        head(i, j) = run.scale * sum;
      }
    }
  });
  return bias;
}

namespace {

/// s·dB of one head, summed by row of the relative vectors: for each query, and for each key.
template <class T>
struct GatheredRows {
  TensorOf<T> of_queries, of_keys;  // [queries][2k], [keys][2k]
  GatheredRows(const DisentangledRun<T>& run, const TensorOf<T>& d_bias, std::int64_t b, std::int64_t h)
      : of_queries(Shape{d_bias.shape()[2], 2 * run.span}), of_keys(Shape{d_bias.shape()[3], 2 * run.span}) {
    const auto d = d_bias.matrix(b, h);
    for (std::int64_t i = 0; i < d_bias.shape()[2]; ++i) {
      const std::int64_t position = run.first[static_cast<std::size_t>(b)] + i;
      for (std::int64_t j = 0; j < run.token_keys; ++j) {
        const std::int64_t row = relative_row(position - j, run.span);
        of_queries.matrix()(i, row) += run.scale * d(i, j);
        of_keys.matrix()(j, row) += run.scale * d(i, j);
      }
    }
  }
};

}  // namespace

template <class T>
DisentangledGradients<T> disentangled_backward(const Work& work, const DisentangledRun<T>& run,
                                               const TensorOf<T>& d_bias,
                                               std::span<const std::uint8_t> open) {
  const Shape &q = run.query.shape(), &k = run.key.shape();
  const std::int64_t batch = q[0], heads = q[1], kv_heads = k[1], group = heads / kv_heads;
  const auto shape_or_none = [](const TensorOf<T>* x) { return x != nullptr ? x->shape() : Shape{0}; };
  DisentangledGradients<T> d{TensorOf<T>(q), TensorOf<T>(k), TensorOf<T>(shape_or_none(run.relative_query)),
                             TensorOf<T>(shape_or_none(run.relative_key))};
  // All query heads of a group add to the same keys, and all sequences to the same vectors.
  const double group_ns = static_cast<double>(batch * group * q[2] * k[2]);
  work.for_each(kv_heads, group_ns, [&](std::int64_t kv) {
    for (std::int64_t b = 0; b < batch; ++b) {
      for (std::int64_t h = kv * group; h < (kv + 1) * group; ++h) {
        if (!open.empty() && open[static_cast<std::size_t>(h)] == 0) continue;
        const GatheredRows<T> rows(run, d_bias, b, h);
        if (run.relative_key != nullptr) {
          multiply<T>(rows.of_queries.matrix(), run.relative_key->matrix(0, kv), d.query.matrix(b, h));
          add_transposed_multiply<T>(rows.of_queries.matrix(), run.query.matrix(b, h),
                                     d.relative_key.matrix(0, kv));
        }
        if (run.relative_query != nullptr) {
          TensorOf<T> of_key(Shape{k[2], k[3]});
          multiply<T>(rows.of_keys.matrix(), run.relative_query->matrix(0, h), of_key.matrix());
          d.key.matrix(b, kv) += of_key.matrix();
          add_transposed_multiply<T>(rows.of_keys.matrix(), run.key.matrix(b, kv),
                                     d.relative_query.matrix(0, h));
        }
      }
    }
  });
  return d;
}

template TensorOf<float> relative_vectors(std::int64_t, std::int64_t, const TensorOf<float>*, std::uint64_t);
template TensorOf<double> relative_vectors(std::int64_t, std::int64_t, const TensorOf<double>*,
                                           std::uint64_t);
template TensorOf<float> disentangled_bias(const Work&, const DisentangledRun<float>&);
template TensorOf<double> disentangled_bias(const Work&, const DisentangledRun<double>&);
template DisentangledGradients<float> disentangled_backward(const Work&, const DisentangledRun<float>&,
                                                            const TensorOf<float>&,
                                                            std::span<const std::uint8_t>);
template DisentangledGradients<double> disentangled_backward(const Work&, const DisentangledRun<double>&,
                                                             const TensorOf<double>&,
                                                             std::span<const std::uint8_t>);

}  // namespace attnscope
