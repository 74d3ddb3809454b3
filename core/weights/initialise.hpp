// core/weights: draws one block of weights.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/document/document.hpp"

namespace attnscope {

/// A block [fan_in][fan_out] of the Initialiser, with the same bits for the same seed, shape and stream.
/// Orthogonal: the Q of the QR decomposition of Gaussian numbers, each column times the sign of R's diagonal,
/// so that all orthonormal frames are equally likely (Mezzadri 2007); no side above max_orthogonal_size.
Tensor initialised(Initialiser, const Shape&, std::uint64_t seed, std::string_view stream);

/// The bias of a layer with `fan_in` inputs as in PyTorch's nn.Linear: uniform in ±1/√fan_in.
Tensor linear_bias(std::int64_t width, std::int64_t fan_in, std::uint64_t seed, std::string_view stream);

/// The name of the random stream of a block, "block W_Q" and so on.
std::string_view stream_name(Projection);

}  // namespace attnscope
