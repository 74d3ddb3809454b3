#include "core/base/scratch_pool.hpp"

#include <new>

namespace attnscope {

ScratchPool::Memory ScratchPool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      Memory memory = std::move(free_.back());
      free_.pop_back();
      return memory;
    }
  }
  constexpr std::size_t line = 64;
  const std::size_t bytes = (static_cast<std::size_t>(floats_) * sizeof(float) + line - 1) / line * line;
  Memory memory(static_cast<float*>(std::aligned_alloc(line, bytes)));
  if (!memory) throw std::bad_alloc();
  return memory;
}

void ScratchPool::give_back(Memory memory) {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(memory));
}

}  // namespace attnscope
