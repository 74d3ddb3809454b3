// core/training/tasks: random choices for one sequence of data: the same on every machine and whatever was
// asked for before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/base/random.hpp"

namespace attnscope::training {

class Dice {
 public:
  /// Sequence number `index` of a stream.
  Dice(std::uint64_t seed, std::uint64_t stream, std::uint64_t index)
      : key_(random_bits(seed, stream, index)) {}

  std::uint64_t bits() { return random_bits(key_, 0, at_++); }
  /// 0 … count − 1, each as likely to within count / 2³².
  int below(int count) {
    return static_cast<int>(((bits() >> 32) * static_cast<std::uint64_t>(count)) >> 32);
  }
  /// least … most.
  int between(int least, int most) { return least + below(most - least + 1); }
  /// In [0, 1).
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  bool coin(double probability) { return uniform() < probability; }
  double normal() { return random_normal(key_, 1, at_++); }
  /// Puts items in an order, all as likely (Fisher and Yates).
  template <class Items>
  void shuffle(Items& items) {
    for (int i = static_cast<int>(items.size()) - 1; i > 0; --i)
      std::swap(items[static_cast<std::size_t>(i)], items[static_cast<std::size_t>(below(i + 1))]);
  }

 private:
  std::uint64_t key_, at_ = 0;
};

}  // namespace attnscope::training
