// core/training/network: an array of numbers that begins with a cache line and with zeros.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace attnscope::training {

template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::int64_t count) : count_(count) {
    const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
    numbers_.reset(
        static_cast<T*>(::operator new (std::max<std::size_t>(bytes, line), std::align_val_t{line})));
    std::memset(numbers_.get(), 0, bytes);
  }

  T* data() { return numbers_.get(); }
  const T* data() const { return numbers_.get(); }
  std::int64_t size() const { return count_; }
  T& operator[](std::int64_t i) { return numbers_.get()[i]; }
  const T& operator[](std::int64_t i) const { return numbers_.get()[i]; }

 private:
  static constexpr std::size_t line = 64;
  struct Free {
    void operator()(T* numbers) const { ::operator delete (numbers, std::align_val_t{line}); }
  };
  std::unique_ptr<T, Free> numbers_;
  std::int64_t count_ = 0;
};

}  // namespace attnscope::training
