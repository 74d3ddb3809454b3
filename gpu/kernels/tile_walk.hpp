// gpu/kernels: how every walk over tiles ends a tile and itself, whatever units multiply.
#pragma once

#include "gpu/kernels/context.hpp"

namespace attnscope::gpu {

struct TileWalk {
  /// The tile's room may be written again.
  template <class Ctx>
  ATTNSCOPE_THREAD void leave(Ctx& cx) const {
    cx.sync();
  }
  /// Nothing is under way any more.
  template <class Ctx>
  ATTNSCOPE_THREAD void close(Ctx& cx) const {
    cx.template wait<0>();
    cx.sync();
  }
};

}  // namespace attnscope::gpu
