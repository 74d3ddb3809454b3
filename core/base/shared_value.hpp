// core/base: a value that copies share until one of them is changed (copy on write): copying and comparing
// unchanged values costs a pointer. The shared value is modified only while a single copy holds it, so copies
// may be read on other threads.
#pragma once

#include <memory>
#include <utility>

namespace attnscope {

template <class T>
class SharedValue {
 public:
  /// Holds nothing and reads as T{}.
  SharedValue() = default;
  explicit SharedValue(T value) : value_(std::make_shared<T>(std::move(value))) {}

  const T& read() const {
    static const T none{};
    return value_ ? *value_ : none;
  }
  /// The value, to be changed; it is copied first if other objects share it. The reference is valid until
  /// this object is copied: later writes through it would change the copy, too.
  T& change() {
    if (!value_ || value_.use_count() > 1) {
      value_ = std::make_shared<T>(read());
    } else {
      // use_count() does not synchronise with the thread that released the last other share; copying the
      // pointer does.
      const std::shared_ptr<T> acquired = value_;
    }
    return *value_;
  }
  /// An address that is equal for copies that share their value; null without a value.
  const void* identity() const { return value_.get(); }
  /// Compares by value; immediate if the value is shared.
  bool operator==(const SharedValue& other) const { return value_ == other.value_ || read() == other.read(); }

 private:
  std::shared_ptr<T> value_;
};

}  // namespace attnscope
