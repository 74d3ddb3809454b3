#include "core/base/quantised.hpp"

#include <cassert>

#include "core/base/stored_numbers.hpp"

namespace attnscope {

void dequantise(ElementType type, std::span<const std::byte> bytes, std::span<float> to) {
  [[maybe_unused]] const BlockSize block = block_of(type);
  assert(static_cast<std::int64_t>(to.size()) % block.elements == 0 &&
         static_cast<std::int64_t>(bytes.size()) * block.elements ==
             static_cast<std::int64_t>(to.size()) * block.bytes);
  write_floats(type, reinterpret_cast<const std::uint8_t*>(bytes.data()),
               static_cast<std::int64_t>(to.size()), to.data());
}

}  // namespace attnscope
