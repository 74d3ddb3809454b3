#include "gpu/card_copies.hpp"

#include <algorithm>
#include <utility>

#include "gpu/launching.hpp"

namespace attnscope::gpu {

namespace {

/// Whether both share an owner that is alive.
bool is_same(const std::weak_ptr<const void>& kept, const std::shared_ptr<const void>& wanted) {
  return wanted != nullptr && !kept.expired() && !kept.owner_before(wanted) && !wanted.owner_before(kept);
}

std::int64_t size_of(Units units) { return units.arithmetic == Arithmetic::Bfloat ? 2 : 4; }

/// Bytes of a head.
std::int64_t head_size(const Wanted& wanted, Units units) {
  return (units.groups ? tiled_rows(wanted.rows) : wanted.rows) * units.d * size_of(units);
}

/// Whether the units take the numbers as they are.
bool is_ready(const Wanted& wanted, Units units) {
  return units.arithmetic == Arithmetic::Float && wanted.d == units.d && wanted.from.row_stride == wanted.d &&
         wanted.from.head_stride == wanted.rows * wanted.d;
}

const CardValues* values_on_card(const Tensor& tensor) {
  return dynamic_cast<const CardValues*>(tensor.remote().get());
}

}  // namespace

bool CardCopies::is_of(const Entry& entry, const Wanted& wanted, Units units) {
  const Wanted& has = entry.wanted;
  return is_same(entry.owner, wanted.from.owner) && has.from.data == wanted.from.data &&
         has.from.first == wanted.from.first && has.from.head_stride == wanted.from.head_stride &&
         has.from.row_stride == wanted.from.row_stride && has.first_head <= wanted.first_head &&
         has.first_head + has.heads >= wanted.first_head + wanted.heads && has.rows == wanted.rows &&
         has.d == wanted.d && entry.units.arithmetic == units.arithmetic && entry.units.d == units.d &&
         entry.units.groups == units.groups;
}

void CardCopies::begin() {
  // An entry without an owner counts as expired.
  const auto is_expired = [](const auto& one) { return one.owner.expired(); };
  entries_.remove_if(is_expired);
  copies_.remove_if(is_expired);
  made_.remove_if([](const Made& one) { return one.values.expired(); });
  read_.clear();
  for (Entry& entry : entries_) entry.used = false;
  for (Copy& copy : copies_) copy.used = false;
  for (Made& made : made_) made.used = false;
}

void CardCopies::forget() {
  begin();
  entries_.clear();
  copies_.clear();
}

bool CardCopies::drop_unused() {
  const auto unused = [](const auto& one) { return !one.used; };
  bool any = entries_.remove_if(unused) + copies_.remove_if(unused) > 0;
  for (const Made& made : made_) {
    if (made.used) continue;
    const std::shared_ptr<const CardValues> values = made.values.lock();
    if (values == nullptr) continue;
    device_->wait();
    values->make_room();
    any = true;
  }
  made_.remove_if(unused);
  return any;
}

Tensor CardCopies::made(const Shape& shape, DeviceArray<float> numbers) {
  const int rank = shape.rank();
  const std::int64_t plane = rank < 3 ? shape.count() : shape[rank - 2] * shape[rank - 1];
  const auto values = std::make_shared<const CardValues>(device_, std::move(numbers), plane);
  made_.push_back({values});
  return Tensor::of(shape, values);
}

const float* CardCopies::made_here(const Tensor& tensor) {
  const CardValues* const values = values_on_card(tensor);
  if (values == nullptr || !device_->can_read(values->device())) return nullptr;
  const std::shared_ptr<const DeviceArray<float>> numbers = values->on_card();
  if (numbers == nullptr) return nullptr;
  for (Made& made : made_)
    if (made.values.lock().get() == values) made.used = true;
  read_.push_back({tensor.remote(), numbers});
  return numbers->data();
}

const float* CardCopies::get(const TensorPtr& tensor) {
  if (const float* const here = made_here(*tensor)) return here;
  return get<float>(tensor->values(), tensor);
}

const void* CardCopies::copy_of(const void* from, std::size_t size,
                                const std::shared_ptr<const void>& owner) {
  for (Copy& copy : copies_) {
    if (copy.from != from || !is_same(copy.owner, owner)) continue;
    copy.used = true;
    return copy.numbers.data();
  }
  DeviceArray<float> numbers = room<float>(static_cast<std::int64_t>((size + 3) / sizeof(float)));
  device_->upload(numbers.data(), from, size, 0, 1);
  copies_.push_back({from, owner, true, std::move(numbers)});
  return copies_.back().numbers.data();
}

const void* CardCopies::get(const Wanted& wanted, Units units) {
  if (is_ready(wanted, units))
    if (const float* const whole = whole_of(wanted.from))
      return whole + wanted.first_head * wanted.from.head_stride;
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return is_of(entry, wanted, units); });
  const std::int64_t head = head_size(wanted, units);
  if (found != entries_.end()) {
    found->used = true;
    return found->numbers.data() + (wanted.first_head - found->wanted.first_head) * head;
  }
  Entry entry;
  entry.wanted = wanted;
  entry.wanted.from.owner.reset();
  entry.wanted.from.whole.reset();
  entry.units = units;
  entry.owner = wanted.from.owner;
  entry.numbers = room<unsigned char>(wanted.heads * head);
  fill(wanted, units, entry.numbers.data());
  entries_.push_back(std::move(entry));
  return entries_.back().numbers.data();
}

const float* CardCopies::whole_of(const HeadRows& rows) {
  if (!rows.whole) return nullptr;
  try {
    return get(rows.whole) + rows.first;
  } catch (const Error&) {
    return nullptr;  // there may be room for the wanted heads
  }
}

void CardCopies::fill(const Wanted& wanted, Units units, unsigned char* to) {
  if (const float* const whole = whole_of(wanted.from))
    fill_from_card(whole, wanted, units, to);
  else
    fill_from_computer(wanted, units, to);
}

/// The tensor is copied once, in one piece, and serves every arithmetic and every head.
void CardCopies::fill_from_card(const float* whole, const Wanted& wanted, Units units, unsigned char* to) {
  PreparePass pass{};
  pass.from = whole + wanted.first_head * wanted.from.head_stride;
  pass.from_row = wanted.from.row_stride;
  pass.from_head = wanted.from.head_stride;
  pass.to = to;
  pass.heads = static_cast<int>(wanted.heads);
  pass.rows = wanted.rows;
  pass.d = static_cast<int>(wanted.d);
  pass.padded = units.d;
  pass.arithmetic = units.arithmetic;
  pass.tiles = units.groups;
  launch_each(*device_, pass);
  // Once prepared, the copy is the first to be freed when the card is full.
  for (Copy& copy : copies_)
    if (copy.numbers.data() + wanted.from.first == whole) copy.used = false;
}

/// A few rows at a time: all numbers in their own type would take as much memory again.
void CardCopies::fill_from_computer(const Wanted& wanted, Units units, unsigned char* to) {
  constexpr std::int64_t most_floats = std::int64_t{1} << 23;
  // Whole tiles, so that later rows begin at the same place as in one piece.
  const std::int64_t at_once = std::clamp<std::int64_t>(
      most_floats / wanted.d / tile * tile, std::min<std::int64_t>(tile, wanted.rows), wanted.rows);
  const DeviceArray<float> raw = room<float>(at_once * wanted.d);
  for (std::int64_t h = 0; h < wanted.heads; ++h) {
    for (std::int64_t row = 0; row < wanted.rows; row += at_once) {
      const std::int64_t rows = std::min(at_once, wanted.rows - row);
      const auto row_bytes = static_cast<std::size_t>(wanted.d) * sizeof(float),
                 count = static_cast<std::size_t>(rows);
      const bool dense = wanted.from.row_stride == wanted.d;
      device_->upload(raw.data(), wanted.from.row(wanted.first_head + h, row),
                      dense ? row_bytes * count : row_bytes,
                      static_cast<std::size_t>(wanted.from.row_stride) * sizeof(float), dense ? 1 : count);
      PreparePass pass{};
      pass.from = raw.data();
      pass.from_row = wanted.d;
      pass.to = to + h * head_size(wanted, units) + row * units.d * size_of(units);
      pass.rows = rows;
      pass.d = static_cast<int>(wanted.d);
      pass.padded = units.d;
      pass.arithmetic = units.arithmetic;
      pass.tiles = units.groups;
      launch_each(*device_, pass);
    }
  }
}

}  // namespace attnscope::gpu
