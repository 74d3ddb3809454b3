// app/state: a member on the heap with value semantics.
#pragma once

#include <memory>

namespace attnscope {

/// Copies are deep; a const Indirect gives a const T. A header with an Indirect member needs only T's
/// declaration, so that a change of T recompiles only the files that use T: the holder's constructors,
/// assignments and destructor must then be defined where T is complete.
template <class T>
class Indirect {
 public:
  Indirect() : value_(std::make_unique<T>()) {}
  Indirect(const Indirect& other) : value_(std::make_unique<T>(*other)) {}
  Indirect& operator=(const Indirect& other) {
    if (this != &other) value_ = std::make_unique<T>(*other);
    return *this;
  }
  /// A moved-from Indirect can only be assigned to or destroyed.
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
