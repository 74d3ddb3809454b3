// core/base: the matrix products of all stages and their backward functions, compiled once for each type.
#pragma once

#include "core/base/tensor.hpp"

namespace attnscope {

/// Whole rows or some columns of a matrix: the stride between rows may exceed their length.
template <class T>
using RowsOf =
    Eigen::Ref<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, 0, Eigen::OuterStride<>>;
template <class T>
using ConstRowsOf = Eigen::Ref<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, 0,
                               Eigen::OuterStride<>>;

// The output must not overlap the inputs. Sums run in T, in an order that depends on the shapes alone.

/// out [rows][columns] = a [rows][depth] · b [depth][columns].
template <class T>
void multiply(const ConstRowsOf<T>& a, const ConstRowsOf<T>& b, RowsOf<T> out);
/// out [rows][columns] = a [rows][depth] · bᵀ, b [columns][depth].
template <class T>
void multiply_transposed(const ConstRowsOf<T>& a, const ConstRowsOf<T>& b, RowsOf<T> out);
/// out [rows][columns] += a [rows][depth] · bᵀ, b [columns][depth].
template <class T>
void add_multiply_transposed(const ConstRowsOf<T>& a, const ConstRowsOf<T>& b, RowsOf<T> out);
/// out [rows][columns] += aᵀ · b, a [depth][rows], b [depth][columns].
template <class T>
void add_transposed_multiply(const ConstRowsOf<T>& a, const ConstRowsOf<T>& b, RowsOf<T> out);

}  // namespace attnscope
