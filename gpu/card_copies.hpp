// gpu: queries, keys and values that stay on the card from one sweep to the next, in the form of its
// products.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/tensor.hpp"
#include "core/streaming/problem.hpp"
#include "gpu/card_values.hpp"
#include "gpu/device.hpp"

namespace attnscope::gpu {

/// Heads [first_head, first_head + heads) of a problem's numbers, [heads][rows][d].
struct Wanted {
  HeadRows from;
  std::int64_t first_head = 0, heads = 1, rows = 1, d = 1;
};

/// Copies are kept for as long as their owner lives and the card has room, those without an owner until the
/// next begin(). Used from one thread.
class CardCopies {
 public:
  explicit CardCopies(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  /// The card must outlive all tensors that are made on it.
  explicit CardCopies(Device& device) : device_(std::shared_ptr<void>(), &device) {}

  /// Begins another problem: frees copies whose owner is gone.
  void begin();
  /// Frees copies and operands; tensors that were made here stay. No result of get() may be in use.
  void forget();
  /// [heads][rows][units.d], padded with zeros, as the units take them; with units.groups in tiles, see
  /// kernels/tiled.hpp, and each head's rows up to a whole tile. Valid until the next begin(). Throws
  /// Error when the card has no room.
  const void* get(const Wanted& wanted, Units units);
  /// The numbers of a tensor as they are.
  const float* get(const TensorPtr& tensor);
  /// Whether a tensor's numbers were made on this card and are there still.
  bool is_here(const Tensor& tensor) { return made_here(tensor) != nullptr; }
  /// An owner's numbers, as they are; the owner may be null.
  template <class T>
  const T* get(std::span<const T> numbers, const std::shared_ptr<const void>& owner) {
    return static_cast<const T*>(copy_of(numbers.data(), numbers.size_bytes(), owner));
  }
  /// Memory on the card; if the card is full, what was not used since begin() is freed. Throws Error.
  template <class T>
  DeviceArray<T> room(std::int64_t count) {
    const auto size = static_cast<std::size_t>(count);
    try {
      return {*device_, size};
    } catch (const Error&) {
      if (!drop_unused()) throw;
      return {*device_, size};
    }
  }
  /// Uploads numbers that are used only once.
  template <class T>
  DeviceArray<T> uploaded(std::span<const T> values) {
    DeviceArray<T> array = room<T>(std::ssize(values));
    device_->upload(array.data(), values.data(), values.size_bytes(), 0, 1);
    return array;
  }
  /// Numbers that were computed on the card, complete at its last wait(), as a tensor that the card reads
  /// without a copy.
  Tensor made(const Shape& shape, DeviceArray<float> numbers);

 private:
  struct Entry {
    Wanted wanted;  // without its owner
    Units units;
    std::weak_ptr<const void> owner;
    bool used = true;  // since begin()
    DeviceArray<unsigned char> numbers;
  };
  /// Bytes as they are on the host.
  struct Copy {
    const void* from;
    std::weak_ptr<const void> owner;
    bool used = true;
    DeviceArray<float> numbers;  // as many as the bytes fill
  };
  /// Of tensors that were made here.
  struct Made {
    std::weak_ptr<const CardValues> values;
    bool used = true;
  };
  /// What a pass reads, of another backend's card, too: both stay.
  struct Read {
    std::shared_ptr<const RemoteValues<float>> values;
    std::shared_ptr<const DeviceArray<float>> numbers;
  };
  /// Whether the entry has the wanted heads of the same numbers.
  static bool is_of(const Entry& entry, const Wanted& wanted, Units units);
  const void* copy_of(const void* from, std::size_t size, const std::shared_ptr<const void>& owner);
  /// The memory of a tensor that this card can read, until the next begin(); null for others.
  const float* made_here(const Tensor&);
  /// Whether anything was freed.
  bool drop_unused();
  void fill(const Wanted& wanted, Units units, unsigned char* to);
  /// The tensor that the rows are part of, on the card; null where there is no tensor, or no room for it.
  const float* whole_of(const HeadRows& rows);
  void fill_from_card(const float* whole, const Wanted& wanted, Units units, unsigned char* to);
  void fill_from_computer(const Wanted& wanted, Units units, unsigned char* to);

  std::shared_ptr<Device> device_;
  std::list<Entry> entries_;
  std::list<Copy> copies_;
  std::list<Made> made_;
  std::vector<Read> read_;  // since begin()
};

}  // namespace attnscope::gpu
