// core/base: a value that copies share until one of them is changed: copying and comparing
// unchanged values costs a pointer. What stands behind the pointer is changed only while a single copy holds
// it, so that copies may be read on other threads.
#pragma once

#include <memory>
#include <utility>

namespace attnscope {

template <class T>
class SharedValue {
 public:
  /// Reads as T{} and holds nothing.
  SharedValue() = default;
  explicit SharedValue(T value) : value_(std::make_shared<T>(std::move(value))) {}

  const T& read() const {
    static const T none{};
    return value_ ? *value_ : none;
  }
  /// The value to be changed: a copy of its own where others share it. The reference is good until the next
  /// copy of this object is taken: what is written through it later would be seen by that copy.
  T& change() {
    if (!value_ || value_.use_count() > 1) {
      value_ = std::make_shared<T>(read());
    } else {
      // use_count() does not synchronise; taking a share does, with the thread that gave the last one back.
      const std::shared_ptr<T> acquired = value_;
    }
    return *value_;
  }
  /// The same for copies that share their value, null when there is none.
  const void* identity() const { return value_.get(); }
  /// By value; in no time where it is shared.
  bool operator==(const SharedValue& other) const { return value_ == other.value_ || read() == other.read(); }

 private:
  std::shared_ptr<T> value_;
};

}  // namespace attnscope
