#include "app/state/viewing.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>
#include <type_traits>
#include <utility>

#include "app/state/session_fields.hpp"

namespace attnscope {
namespace {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t N>
inline constexpr bool is_array<std::array<T, N>> = true;

template <class T>
std::uint64_t bits_of(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<std::uint64_t>(static_cast<double>(value));
  else
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

template <class T>
T value_of(std::uint64_t bits) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(std::bit_cast<double>(bits));
  else
    return static_cast<T>(static_cast<std::int64_t>(bits));
}

/// Visits the fields and hands every number and text that undo restores to `Way`, which reads or writes it.
template <class Way>
class Walker {
 public:
  static constexpr bool of_undo = true;
  explicit Walker(Way& way) : way_(way) {}

  template <class T>
  void operator()(const char*, T& value, double = 0, double = 0) {
    visit(value);
  }

  /// Numbers that visit_it() visits belong to Viewing::place.
  void in_place(const auto& visit_it) {
    const bool before = std::exchange(in_place_, true);
    visit_it();
    in_place_ = before;
  }

 private:
  template <class T>
  void visit(T& value) {
    if constexpr (std::is_same_v<T, std::string>) {
      way_.text(value);
    } else if constexpr (std::is_same_v<T, ListOfNames>) {
      way_.text(value.names);
    } else if constexpr (std::is_same_v<T, NamedChoice>) {
      way_.number(value.at, in_place_);
    } else if constexpr (std::is_enum_v<T> || std::is_arithmetic_v<T>) {
      way_.number(value, in_place_);
    } else if constexpr (is_optional<T>) {
      bool there = value.has_value();
      way_.number(there, in_place_);
      if (there && !value) value.emplace();
      if (!there) value.reset();
      if (value) visit(*value);
    } else if constexpr (is_array<T>) {
      for (auto& element : value) visit(element);
    } else {
      fields(*this, value);
    }
  }

  Way& way_;
  bool in_place_ = false;
};

struct Taking {
  Viewing look;
  template <class T>
  void number(const T& value, bool place) {
    (place ? look.place : look.settings).push_back(bits_of(value));
  }
  void text(const std::string& value) { look.words.push_back(value); }
};

struct Giving {
  const Viewing& look;
  std::size_t settings = 0, words = 0, places = 0;
  template <class T>
  void number(T& value, bool place) {
    value = value_of<T>(place ? look.place.at(places++) : look.settings.at(settings++));
  }
  void text(std::string& value) { value = look.words.at(words++); }
};

}  // namespace

Viewing viewing_of(const ViewState& view, const Selection& selection) {
  Taking taking;
  Walker walker(taking);
  // fields() takes mutable references, for visitors that read sessions; this visitor changes nothing.
  fields(walker, const_cast<ViewState&>(view));           // NOLINT(cppcoreguidelines-pro-type-const-cast)
  auto& chosen = const_cast<Selection&>(selection);       // NOLINT(cppcoreguidelines-pro-type-const-cast)
  walker.in_place([&] { walker("selection", chosen); });  // the arrow keys move the cell: no setting
  return std::move(taking.look);
}

void view_again(const Viewing& look, ViewState& view, Selection& selection) {
  Giving giving{look};
  Walker walker(giving);
  fields(walker, view);
  walker.in_place([&] { walker("selection", selection); });
}

}  // namespace attnscope
