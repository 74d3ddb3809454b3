#include "core/document/input.hpp"

namespace attnscope {

namespace {

template <class T>
const T& held(const std::variant<FromText, Given, Vectors>& numbers) {
  static const T empty;
  const T* const found = std::get_if<T>(&numbers);
  return found != nullptr ? *found : empty;
}

}  // namespace

const FromText& Input::from_text() const { return held<FromText>(numbers); }

const Given& Input::given() const { return held<Given>(numbers); }

const Vectors& Input::vectors() const { return held<Vectors>(numbers); }

}  // namespace attnscope
