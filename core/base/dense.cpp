#include "core/base/dense.hpp"

#include "core/base/product.hpp"
#include "core/base/row_blocks.hpp"

namespace attnscope {

template <class T>
TensorOf<T> dense(const Work& work, const TensorOf<T>& x, const TensorOf<T>& w, const TensorOf<T>* bias) {
  const std::int64_t batch = x.shape()[0], rows = x.shape()[1], d_in = x.shape()[2], d_out = w.shape()[1];
  TensorOf<T> y(Shape{batch, rows, d_out});
  for_row_blocks(work, batch, 1, rows, product_ns(1, d_in, d_out), [&](const RowBlock& at) {
    auto sequence = y.matrix(at.b);
    auto block = sequence.middleRows(at.first, at.count);
    multiply<T>(x.matrix(at.b).middleRows(at.first, at.count), w.matrix(), block);
    if (bias != nullptr) block.rowwise() += bias->matrix().row(0);
  });
  return y;
}

template <class T>
DenseGradients<T> dense_backward(const TensorOf<T>& x, const TensorOf<T>& w, const TensorOf<T>& d_y) {
  DenseGradients<T> d{TensorOf<T>(x.shape()), TensorOf<T>(w.shape()), TensorOf<T>(Shape{w.shape()[1]})};
  for (std::int64_t b = 0; b < d_y.shape()[0]; ++b) {
    multiply_transposed<T>(d_y.matrix(b), w.matrix(), d.x.matrix(b));
    add_transposed_multiply<T>(x.matrix(b), d_y.matrix(b), d.w.matrix());
    d.bias.matrix() += d_y.matrix(b).colwise().sum();
  }
  return d;
}

template TensorOf<float> dense(const Work&, const TensorOf<float>&, const TensorOf<float>&,
                               const TensorOf<float>*);
template TensorOf<double> dense(const Work&, const TensorOf<double>&, const TensorOf<double>&,
                                const TensorOf<double>*);
template DenseGradients<float> dense_backward(const TensorOf<float>&, const TensorOf<float>&,
                                              const TensorOf<float>&);
template DenseGradients<double> dense_backward(const TensorOf<double>&, const TensorOf<double>&,
                                               const TensorOf<double>&);

}  // namespace attnscope
