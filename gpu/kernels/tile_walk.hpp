// gpu/kernels: how every walk over tiles ends a tile and itself, whatever units multiply, and how a block
// asks whether its work is still wanted.
#pragma once

#include "gpu/kernels/context.hpp"
#include "gpu/kernels/passes.hpp"

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

/// Asked some time before the answer is needed: the word is memory of the computer, microseconds away.
struct Asked {
  unsigned seen = 0;

  template <class Ctx>
  ATTNSCOPE_THREAD void ask(Ctx& cx, const StaleWord& stale) {
    if (stale.word != nullptr) seen = cx.look(stale.word);
  }
  /// The same answer for the whole block; a barrier where it is asked for.
  template <class Ctx>
  ATTNSCOPE_THREAD bool is_stale(Ctx& cx, const StaleWord& stale) const {
    return stale.word != nullptr && cx.stale(seen, stale.wanted);
  }
};

}  // namespace attnscope::gpu
