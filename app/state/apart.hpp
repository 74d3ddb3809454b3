// app/state: a member that stands apart on the heap, with the value semantics of a member.
#pragma once

#include <memory>

namespace attnscope {

/// Copies are deep, a const one gives a const T. A header that holds one needs only T's declaration, so that
/// a change of T recompiles the files that look into it and no others: the holder's constructors, assignments
/// and destructor are then defined where T is complete.
template <class T>
class Apart {
 public:
  Apart() : value_(std::make_unique<T>()) {}
  Apart(const Apart& other) : value_(std::make_unique<T>(*other)) {}
  Apart& operator=(const Apart& other) {
    if (this != &other) value_ = std::make_unique<T>(*other);
    return *this;
  }
  /// What was moved from can only be assigned to or destroyed.
  Apart(Apart&&) noexcept = default;
  Apart& operator=(Apart&&) noexcept = default;
  ~Apart() = default;

  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace attnscope
