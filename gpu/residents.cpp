#include "gpu/residents.hpp"

#include <algorithm>
#include <utility>

#include "gpu/launching.hpp"

namespace attnscope::gpu {

namespace {

/// Whether they share what they own, and it is alive.
bool is_same(const std::weak_ptr<const void>& kept, const std::shared_ptr<const void>& wanted) {
  return wanted != nullptr && !kept.expired() && !kept.owner_before(wanted) && !wanted.owner_before(kept);
}

}  // namespace

bool Residents::is_of(const Entry& entry, const Wanted& wanted, Units units) {
  const Wanted& has = entry.wanted;
  return is_same(entry.owner, wanted.from.owner) && has.from.data == wanted.from.data &&
         has.from.head_stride == wanted.from.head_stride && has.from.row_stride == wanted.from.row_stride &&
         has.heads == wanted.heads && has.rows == wanted.rows && has.d == wanted.d &&
         entry.units.arithmetic == units.arithmetic && entry.units.d == units.d;
}

void Residents::begin() {
  // One without an owner has expired from the first.
  const auto is_expired = [](const auto& one) { return one.owner.expired(); };
  entries_.remove_if(is_expired);
  copies_.remove_if(is_expired);
  for (Entry& entry : entries_) entry.used = false;
  for (Copy& copy : copies_) copy.used = false;
}

bool Residents::drop_unused() {
  const auto unused = [](const auto& one) { return !one.used; };
  return entries_.remove_if(unused) + copies_.remove_if(unused) > 0;
}

void Residents::keep(const TensorPtr& tensor, DeviceArray<float> numbers) {
  copies_.push_back({tensor->data(), tensor, true, std::move(numbers)});
}

const void* Residents::copy_of(const void* from, std::size_t size, const std::shared_ptr<const void>& owner) {
  for (Copy& copy : copies_) {
    if (copy.from != from || !is_same(copy.owner, owner)) continue;
    copy.used = true;
    return copy.numbers.data();
  }
  DeviceArray<float> numbers = room<float>(static_cast<std::int64_t>((size + 3) / sizeof(float)));
  device_.upload(numbers.data(), from, size, 0, 1);
  copies_.push_back({from, owner, true, std::move(numbers)});
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
