#include "core/base/product.hpp"

namespace attnscope {

template <class T>
void multiply(const ConstRowsOf<T>& a, const ConstRowsOf<T>& b, RowsOf<T> out) {
  out.noalias() = a * b;
}

template <class T>
void multiply_transposed(const ConstRowsOf<T>& a, const ConstRowsOf<T>& b, RowsOf<T> out) {
  out.noalias() = a * b.transpose();
}

template <class T>
void add_multiply_transposed(const ConstRowsOf<T>& a, const ConstRowsOf<T>& b, RowsOf<T> out) {
  out.noalias() += a * b.transpose();
}

template <class T>
void add_transposed_multiply(const ConstRowsOf<T>& a, const ConstRowsOf<T>& b, RowsOf<T> out) {
  out.noalias() += a.transpose() * b;
}

template void multiply<float>(const ConstRowsOf<float>&, const ConstRowsOf<float>&, RowsOf<float>);
template void multiply<double>(const ConstRowsOf<double>&, const ConstRowsOf<double>&, RowsOf<double>);
template void multiply_transposed<float>(const ConstRowsOf<float>&, const ConstRowsOf<float>&, RowsOf<float>);
template void multiply_transposed<double>(const ConstRowsOf<double>&, const ConstRowsOf<double>&,
                                          RowsOf<double>);
template void add_multiply_transposed<float>(const ConstRowsOf<float>&, const ConstRowsOf<float>&,
                                             RowsOf<float>);
template void add_multiply_transposed<double>(const ConstRowsOf<double>&, const ConstRowsOf<double>&,
                                              RowsOf<double>);
template void add_transposed_multiply<float>(const ConstRowsOf<float>&, const ConstRowsOf<float>&,
                                             RowsOf<float>);
template void add_transposed_multiply<double>(const ConstRowsOf<double>&, const ConstRowsOf<double>&,
                                              RowsOf<double>);

}  // namespace attnscope
