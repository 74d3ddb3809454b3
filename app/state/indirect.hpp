// app/state: a member that stands on the heap, with the value semantics of a member.
#pragma once

#include <memory>

namespace attnscope {

/// Copies are deep, a const one gives a const T. A header that holds one needs only T's declaration, so that
/// a change of T recompiles the files that look into it and no others: the holder's constructors, assignments
/// and destructor are then defined where T is complete.
template <class T>
class Indirect {
 public:
  Indirect() : value_(std::make_unique<T>()) {}
  Indirect(const Indirect& other) : value_(std::make_unique<T>(*other)) {}
  Indirect& operator=(const Indirect& other) {
    if (this != &other) value_ = std::make_unique<T>(*other);
    return *this;
  }
  /// What was moved from can only be assigned to or destroyed.
  Indirect(Indirect&&) noexcept = default;
  Indirect& operator=(Indirect&&) noexcept = default;
  ~Indirect() = default;

  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace attnscope
