#include "core/stages/projections.hpp"

#include "core/stages/blocks.hpp"

namespace attnscope {

template <class T>
TensorOf<T> project(const Work& work, const TensorOf<T>& x, const TensorOf<T>& w, const TensorOf<T>* bias,
                    std::int64_t heads) {
  const std::int64_t batch = x.shape()[0], tokens = x.shape()[1], d_in = x.shape()[2];
  const std::int64_t d = w.shape()[1] / heads;
  TensorOf<T> result(Shape{batch, heads, tokens, d});
  for_row_blocks(work, batch, heads, tokens, product_ns(1, d_in, d), [&](const RowBlock& at) {
    auto head = result.matrix(at.b, at.h);
    auto rows = head.middleRows(at.first, at.count);
    rows.noalias() = x.matrix(at.b).middleRows(at.first, at.count) * w.matrix().middleCols(at.h * d, d);
    if (bias != nullptr) rows.rowwise() += bias->matrix().row(0).segment(at.h * d, d);
  });
  return result;
}

template <class T>
TensorOf<T> concat(const Work& work, const TensorOf<T>& mixed) {
  const std::int64_t batch = mixed.shape()[0], heads = mixed.shape()[1];
  const std::int64_t queries = mixed.shape()[2], d_v = mixed.shape()[3];
  TensorOf<T> result(Shape{batch, queries, heads * d_v});
  for_row_blocks(work, batch, heads, queries, static_cast<double>(d_v) * 0.5, [&](const RowBlock& at) {
    auto sequence = result.matrix(at.b);
    sequence.block(at.first, at.h * d_v, at.count, d_v) =
        mixed.matrix(at.b, at.h).middleRows(at.first, at.count);
  });
  return result;
}

template <class T>
TensorOf<T> output(const Work& work, const TensorOf<T>& concatenated, const TensorOf<T>& w,
                   const TensorOf<T>* bias) {
  const std::int64_t batch = concatenated.shape()[0], queries = concatenated.shape()[1];
  const std::int64_t d_in = concatenated.shape()[2], d_model = w.shape()[1];
  TensorOf<T> result(Shape{batch, queries, d_model});
  for_row_blocks(work, batch, 1, queries, product_ns(1, d_in, d_model), [&](const RowBlock& at) {
    auto sequence = result.matrix(at.b);
    auto rows = sequence.middleRows(at.first, at.count);
    rows.noalias() = concatenated.matrix(at.b).middleRows(at.first, at.count) * w.matrix();
    if (bias != nullptr) rows.rowwise() += bias->matrix().row(0);
  });
  return result;
}

template TensorOf<float> project(const Work&, const TensorOf<float>&, const TensorOf<float>&,
                                 const TensorOf<float>*, std::int64_t);
template TensorOf<double> project(const Work&, const TensorOf<double>&, const TensorOf<double>&,
                                  const TensorOf<double>*, std::int64_t);
template TensorOf<float> concat(const Work&, const TensorOf<float>&);
template TensorOf<double> concat(const Work&, const TensorOf<double>&);
template TensorOf<float> output(const Work&, const TensorOf<float>&, const TensorOf<float>&,
                                const TensorOf<float>*);
template TensorOf<double> output(const Work&, const TensorOf<double>&, const TensorOf<double>&,
                                 const TensorOf<double>*);

}  // namespace attnscope
