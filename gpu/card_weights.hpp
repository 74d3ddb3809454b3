// gpu: the weights of a model on the card, in the form of its products. They are copied once and stay while
// their file is open.
#pragma once

#include <list>
#include <memory>

#include "core/blocks/weight_product.hpp"
#include "gpu/card_copies.hpp"

namespace attnscope::gpu {

/// A linear map on the card.
struct CardMap {
  NumberKind kind = NumberKind::Float;
  DeviceArray<unsigned char> weights;
  DeviceArray<float> bias;  // or empty
};

/// bfloat16 and half stay as they are if the card can multiply them; everything else becomes float32. Used
/// from one thread.
class CardMaps {
 public:
  CardMaps(Device& device, CardCopies& copies) : device_(device), copies_(copies) {}

  /// Null if the card has no room for it: part of its memory is reserved for computing. Valid until the next
  /// call. Throws Error when the stored numbers cannot be read.
  const CardMap* get(const LinearMap&);

 private:
  struct Entry {
    const std::byte* from;
    std::size_t bytes;
    std::weak_ptr<const MemoryOwner> owner;
    CardMap map;
  };
  using Entries = std::list<Entry>;
  Entries::const_iterator find(const LinearMap&) const;
  CardMap sent(const LinearMap&);

  Device& device_;
  CardCopies& copies_;
  Entries entries_;
};

/// Bytes that the weights and biases of a map take on a card of this capability.
std::size_t card_bytes(const LinearMap&, int capability);

}  // namespace attnscope::gpu
