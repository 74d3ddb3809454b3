#include "gpu/residents.hpp"

#include <algorithm>
#include <utility>

#include "gpu/launching.hpp"

namespace attnscope::gpu {

bool Residents::is_of(const Entry& entry, const Wanted& wanted, Units units) {
  const Wanted& has = entry.wanted;
  const bool same_owner = entry.owned && !entry.owner.expired() && wanted.from.owner != nullptr &&
                          !entry.owner.owner_before(wanted.from.owner) &&
                          !wanted.from.owner.owner_before(entry.owner);
  return same_owner && has.from.data == wanted.from.data && has.from.head_stride == wanted.from.head_stride &&
         has.from.row_stride == wanted.from.row_stride && has.heads == wanted.heads &&
         has.rows == wanted.rows && has.d == wanted.d && entry.units.arithmetic == units.arithmetic &&
         entry.units.d == units.d;
}

void Residents::begin() {
  entries_.remove_if([](const Entry& entry) { return !entry.owned || entry.owner.expired(); });
  copies_.remove_if([](const Copy& copy) { return copy.owner.expired(); });
  for (Entry& entry : entries_) entry.used = false;
  for (Copy& copy : copies_) copy.used = false;
}

bool Residents::drop_unused() {
  const auto unused = [](const auto& one) { return !one.used; };
  return entries_.remove_if(unused) + copies_.remove_if(unused) > 0;
}

void Residents::keep(const TensorPtr& tensor, DeviceArray<float> numbers) {
  copies_.push_back({tensor, true, std::move(numbers)});
}

const float* Residents::get(const TensorPtr& tensor) {
  for (Copy& copy : copies_) {
    if (copy.owner.lock() != tensor) continue;
    copy.used = true;
    return copy.numbers.data();
  }
  DeviceArray<float> numbers = room<float>(tensor->size());
  device_.upload(numbers.data(), tensor->data(), numbers.size() * sizeof(float), 0, 1);
  keep(tensor, std::move(numbers));
  return copies_.back().numbers.data();
}

const void* Residents::get(const Wanted& wanted, Units units) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return is_of(entry, wanted, units); });
  if (found != entries_.end()) {
    found->used = true;
    // Another scale: the same room.
    if (found->wanted.factor != wanted.factor) fill(wanted, units, found->numbers.data());
    found->wanted.factor = wanted.factor;
    return found->numbers.data();
  }
  const std::int64_t size = units.arithmetic == Arithmetic::Bfloat ? 2 : 4;
  Entry entry;
  entry.wanted = wanted;
  entry.wanted.from.owner.reset();
  entry.units = units;
  entry.owner = wanted.from.owner;
  entry.owned = wanted.from.owner != nullptr;
  entry.numbers = room<unsigned char>(wanted.heads * wanted.rows * units.d * size);
  fill(wanted, units, entry.numbers.data());
  entries_.push_back(std::move(entry));
  return entries_.back().numbers.data();
}

/// A few rows at a time: the numbers as they come would take as much room again.
void Residents::fill(const Wanted& wanted, Units units, unsigned char* to) {
  constexpr std::int64_t most_floats = std::int64_t{1} << 23;
  const std::int64_t at_once = std::clamp<std::int64_t>(most_floats / wanted.d, 1, wanted.rows);
  const DeviceArray<float> raw = room<float>(at_once * wanted.d);
  const std::int64_t size = units.arithmetic == Arithmetic::Bfloat ? 2 : 4;
  for (std::int64_t h = 0; h < wanted.heads; ++h) {
    for (std::int64_t row = 0; row < wanted.rows; row += at_once) {
      const std::int64_t rows = std::min(at_once, wanted.rows - row);
      const auto row_bytes = static_cast<std::size_t>(wanted.d) * sizeof(float),
                 count = static_cast<std::size_t>(rows);
      const bool dense = wanted.from.row_stride == wanted.d;
      device_.upload(raw.data(), wanted.from.row(h, row), dense ? row_bytes * count : row_bytes,
                     static_cast<std::size_t>(wanted.from.row_stride) * sizeof(float), dense ? 1 : count);
      PreparePass pass{};
      pass.from = raw.data();
      pass.to = to + (h * wanted.rows + row) * units.d * size;
      pass.rows = rows;
      pass.d = static_cast<int>(wanted.d);
      pass.padded = units.d;
      pass.arithmetic = units.arithmetic;
      pass.factor = wanted.factor;
      launch_each(device_, pass);
    }
  }
}

}  // namespace attnscope::gpu
