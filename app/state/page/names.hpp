// app/state/page: the names of an enumeration's values in sessions: a list of names, in order.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace attnscope {

template <class E>
struct Names;

/// Names the values of E, from 0 on. Use it in namespace attnscope.
#define ATTNSCOPE_NAMES(E, ...)                                                \
  template <>                                                                  \
  struct Names<E> {                                                            \
    static constexpr auto list = std::to_array<std::string_view>(__VA_ARGS__); \
  }

/// An enumeration's value as an index into its names, for a visitor that does not know the type.
struct NamedChoice {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::size_t at = none;
  std::span<const std::string_view> names;
  bool can_be_none = false;
  bool operator==(const NamedChoice& other) const { return at == other.at; }
};

/// A subset of a list of names as a text: "scaling, mask"; empty: all of them. A session stores only the
/// text.
struct ListOfNames {
  std::string names;
  std::span<const std::string_view> known;
  bool has(std::string_view name) const;
  bool are_known() const;
};

}  // namespace attnscope
