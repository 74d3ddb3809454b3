#include "gpu/card_weights.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace attnscope::gpu {

namespace {

/// Products of bfloat16 need compute capability 8.0; every card that kernels are built for has those of
/// halves.
NumberKind kind_of(const LinearMap& map, int capability) {
  if (map.weight.type() == ElementType::BFloat16 && capability >= 80) return NumberKind::Bfloat;
  return map.weight.type() == ElementType::Float16 ? NumberKind::Half : NumberKind::Float;
}

/// Part of the card is left for rows, heads and pictures.
std::size_t reserve_of(const Device& device) { return device.facts().memory / 16; }

}  // namespace

std::size_t card_bytes(const LinearMap& map, int capability) {
  const std::size_t each = kind_of(map, capability) == NumberKind::Float ? sizeof(float) : 2;
  return static_cast<std::size_t>(map.weight.shape().count()) * each + map.bias.size() * sizeof(float);
}

CardMaps::Entries::const_iterator CardMaps::find(const LinearMap& map) const {
  return std::ranges::find_if(entries_, [&](const Entry& entry) {
    const std::shared_ptr<const MemoryOwner>& owner = map.weight.owner();
    return entry.from == map.weight.bytes().data() && entry.bytes == map.weight.bytes().size() &&
           !entry.owner.expired() && !entry.owner.owner_before(owner) && !owner.owner_before(entry.owner);
  });
}

const CardMap* CardMaps::get(const LinearMap& map) {
  if (const auto found = find(map); found != entries_.end()) return &found->map;
  entries_.remove_if([](const Entry& entry) { return entry.owner.expired(); });
  if (card_bytes(map, device_.facts().capability) + reserve_of(device_) > device_.free_memory())
    return nullptr;
  map.weight.check();
  entries_.push_back({map.weight.bytes().data(), map.weight.bytes().size(), map.weight.owner(), sent(map)});
  return &entries_.back().map;
}

/// Widened weights are sent a few megabytes at a time.
CardMap CardMaps::sent(const LinearMap& map) {
  const std::span<const std::byte> bytes = map.weight.bytes();
  CardMap made;
  made.kind = kind_of(map, device_.facts().capability);
  const std::size_t count = static_cast<std::size_t>(map.weight.shape().count());
  const bool as_it_is = made.kind != NumberKind::Float || map.weight.type() == ElementType::Float32;
  made.weights =
      copies_.room<unsigned char>(static_cast<std::int64_t>(as_it_is ? bytes.size() : count * sizeof(float)));
  if (as_it_is) {
    device_.upload(made.weights.data(), bytes.data(), bytes.size(), 0, 1);
  } else {
    constexpr std::size_t at_once = std::size_t{1} << 21;
    std::vector<float> some(std::min(at_once, count));
    for (std::size_t first = 0; first < count; first += at_once) {
      const std::size_t size = std::min(at_once, count - first);
      map.weight.read(static_cast<std::int64_t>(first), std::span(some).first(size));
      device_.upload(made.weights.data() + first * sizeof(float), some.data(), size * sizeof(float), 0, 1);
    }
  }
  if (!map.bias.empty()) made.bias = copies_.uploaded(std::span<const float>(map.bias));
  return made;
}

}  // namespace attnscope::gpu
