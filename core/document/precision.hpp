// core/document: rounding of tensors to the storage precision.
#pragma once

#include "core/document/settings.hpp"

namespace attnscope {

/// The tensor with every value rounded to the nearest one of the storage type, ties to even: bfloat16 has 8
/// significant bits and float's range, float16 11 bits and becomes infinite beyond 65504. The same tensor for
/// Float32; null for null. Double tensors are the reference and are not rounded.
TensorPtrOf<float> stored(Precision, TensorPtrOf<float>);
TensorPtrOf<double> stored(Precision, TensorPtrOf<double>);

/// The largest finite number of the storage type: 3.4028e38, 3.3895e38, 65504.
double largest_finite(Precision);

/// Bytes of one number.
int bytes_of(Precision);

}  // namespace attnscope
