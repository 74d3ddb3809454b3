// app/state/page: the state of a page's view as a value. It is copied with the ViewState, written into
// sessions and restored by undo; only the page knows its type.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "app/state/page/names.hpp"

namespace attnscope {

/// Whether undo restores a value. No: for values that move continuously, such as scrolling. Place: restored
/// like the chosen cell; consecutive changes of places alone make one step.
enum class InUndo : std::uint8_t { No, Yes, Place };

template <class T>
inline constexpr bool is_optional_name = false;
template <class E>
requires std::is_enum_v<E>
inline constexpr bool is_optional_name<std::optional<E>> = true;
template <class T>
inline constexpr bool is_list_of_names = false;
template <class E, std::size_t N>
requires std::is_enum_v<E>
inline constexpr bool is_list_of_names<std::array<E, N>> = true;

/// Visits the names and values of a page that a session keeps; numbers with their least and greatest valid
/// values. A type that has no leaf() below and is no enumeration with Names is a group: `fields(PageFields&,
/// T&)` visits its members. A new leaf type needs one line in this class and one in HandedOn.
class PageFields {
 public:
  template <class T>
  void operator()(const char* name, T& value, double least = -1e15, double most = 1e15,
                  InUndo in_undo = InUndo::Yes) {
    if constexpr (std::is_enum_v<T>) {
      NamedChoice choice{static_cast<std::size_t>(value), Names<T>::list};
      leaf(name, choice, {least, most, in_undo});
      value = static_cast<T>(choice.at);
    } else if constexpr (is_optional_name<T>) {
      using E = typename T::value_type;
      NamedChoice choice{value ? static_cast<std::size_t>(*value) : NamedChoice::none, Names<E>::list, true};
      leaf(name, choice, {least, most, in_undo});
      value = choice.at == NamedChoice::none ? T() : T(static_cast<E>(choice.at));
    } else if constexpr (is_list_of_names<T>) {
      std::array<NamedChoice, std::tuple_size_v<T>> choices;
      for (std::size_t i = 0; i < value.size(); ++i)
        choices[i] = {static_cast<std::size_t>(value[i]), Names<typename T::value_type>::list};
      leaf(name, choices, {least, most, in_undo});
      for (std::size_t i = 0; i < value.size(); ++i)
        value[i] = static_cast<typename T::value_type>(choices[i].at);
    } else if constexpr (requires(Limits limits) { leaf(name, value, limits); }) {
      leaf(name, value, {least, most, in_undo});
    } else {
      group(name, [&value](PageFields& inner) { fields(inner, value); });
    }
  }
  /// The same with an InUndo and no limits on the number.
  template <class T>
  void operator()(const char* name, T& value, InUndo in_undo) {
    (*this)(name, value, -1e15, 1e15, in_undo);
  }

 protected:
  ~PageFields() = default;
  struct Limits {
    double least, most;
    InUndo in_undo;
  };
  virtual void leaf(const char* name, NamedChoice&, Limits) = 0;
  virtual void leaf(const char* name, bool&, Limits) = 0;
  virtual void leaf(const char* name, int&, Limits) = 0;
  virtual void leaf(const char* name, std::int64_t&, Limits) = 0;
  virtual void leaf(const char* name, float&, Limits) = 0;
  virtual void leaf(const char* name, double&, Limits) = 0;
  virtual void leaf(const char* name, std::string&, Limits) = 0;
  virtual void leaf(const char* name, std::optional<double>&, Limits) = 0;
  virtual void leaf(const char* name, std::optional<std::int64_t>&, Limits) = 0;
  virtual void leaf(const char* name, std::array<signed char, 15>&, Limits) = 0;
  virtual void leaf(const char* name, std::array<NamedChoice, 4>&, Limits) = 0;
  virtual void leaf(const char* name, std::array<bool, 5>&, Limits) = 0;
  virtual void leaf(const char* name, std::array<bool, 16>&, Limits) = 0;
  virtual void leaf(const char* name, std::array<signed char, 16>&, Limits) = 0;
  virtual void leaf(const char* name, std::array<float, 2>&, Limits) = 0;
  virtual void leaf(const char* name, ListOfNames&, Limits) = 0;
  virtual void group(const char* name, const std::function<void(PageFields&)>&) = 0;
};

/// The state of one page or region: a copyable T for which `fields(PageFields&, T&)` visits what a session
/// keeps. A T may name a base class as T::Shared: get<T::Shared>() then finds it too, for code that must not
/// depend on the page.
class PageState {
 public:
  /// `name`: its key in a session; empty: its fields are stored among those of the window.
  template <class T>
  PageState(const char* name, T state) : name_(name), state_(std::make_unique<Of<T>>(std::move(state))) {}
  PageState(const PageState& other) : name_(other.name_), state_(other.state_->copy()) {}
  PageState& operator=(const PageState& other) {
    if (this != &other) name_ = other.name_, state_ = other.state_->copy();
    return *this;
  }
  /// A moved-from PageState can only be assigned to or destroyed.
  PageState(PageState&&) noexcept = default;
  PageState& operator=(PageState&&) noexcept = default;
  ~PageState() = default;

  const char* name() const { return name_; }
  void visit(PageFields& fields) { state_->visit(fields); }
  /// The T, or the base T of a state that names it as Shared; null if it is neither.
  template <class T>
  T* get() {
    return static_cast<T*>(state_->find(typeid(T)));
  }
  template <class T>
  const T* get() const {
    return static_cast<const T*>(state_->find(typeid(T)));
  }

 private:
  struct Any {
    virtual ~Any() = default;
    virtual std::unique_ptr<Any> copy() const = 0;
    virtual void visit(PageFields&) = 0;
    virtual void* find(const std::type_info&) = 0;
  };
  template <class T>
  struct Of final : Any {
    explicit Of(T value) : state(std::move(value)) {}
    std::unique_ptr<Any> copy() const override { return std::make_unique<Of>(state); }
    void visit(PageFields& visited) override { fields(visited, state); }
    void* find(const std::type_info& wanted) override {
      if (wanted == typeid(T)) return &state;
      if constexpr (requires { typename T::Shared; })
        if (wanted == typeid(typename T::Shared)) return static_cast<typename T::Shared*>(&state);
      return nullptr;
    }
    T state;
  };

  const char* name_;
  std::unique_ptr<Any> state_;
};

/// The members of a group of a page's fields, for a visitor of session_fields.hpp.
struct PageGroup {
  const std::function<void(PageFields&)>* visit;
};

/// Passes a page's fields on to a visitor of session_fields.hpp. A visitor with a member `of_undo` gets only
/// the fields that undo restores, those of InUndo::Place within a call of its in_place(f).
template <class Visit>
class HandedOn final : public PageFields {
 public:
  explicit HandedOn(Visit& to) : visit_(to) {}

 private:
  template <class T>
  void hand_on(const char* name, T& value, Limits limits) {
    if constexpr (requires { Visit::of_undo; }) {
      if (limits.in_undo == InUndo::No) return;
      if (limits.in_undo == InUndo::Place) return visit_.in_place([&] { visit_(name, value); });
    }
    visit_(name, value, limits.least, limits.most);
  }
  void leaf(const char* name, NamedChoice& value, Limits limits) override { hand_on(name, value, limits); }
  void leaf(const char* name, bool& value, Limits limits) override { hand_on(name, value, limits); }
  void leaf(const char* name, int& value, Limits limits) override { hand_on(name, value, limits); }
  void leaf(const char* name, std::int64_t& value, Limits limits) override { hand_on(name, value, limits); }
  void leaf(const char* name, float& value, Limits limits) override { hand_on(name, value, limits); }
  void leaf(const char* name, double& value, Limits limits) override { hand_on(name, value, limits); }
  void leaf(const char* name, std::string& value, Limits limits) override { hand_on(name, value, limits); }
  void leaf(const char* name, std::optional<double>& value, Limits limits) override {
    hand_on(name, value, limits);
  }
  void leaf(const char* name, std::optional<std::int64_t>& value, Limits limits) override {
    hand_on(name, value, limits);
  }
  void leaf(const char* name, std::array<signed char, 15>& value, Limits limits) override {
    hand_on(name, value, limits);
  }
  void leaf(const char* name, std::array<NamedChoice, 4>& value, Limits limits) override {
    hand_on(name, value, limits);
  }
  void leaf(const char* name, std::array<bool, 5>& value, Limits limits) override {
    hand_on(name, value, limits);
  }
  void leaf(const char* name, std::array<bool, 16>& value, Limits limits) override {
    hand_on(name, value, limits);
  }
  void leaf(const char* name, std::array<signed char, 16>& value, Limits limits) override {
    hand_on(name, value, limits);
  }
  void leaf(const char* name, std::array<float, 2>& value, Limits limits) override {
    hand_on(name, value, limits);
  }
  void leaf(const char* name, ListOfNames& value, Limits limits) override { hand_on(name, value, limits); }
  void group(const char* name, const std::function<void(PageFields&)>& visit) override {
    PageGroup inner{&visit};
    visit_(name, inner);
  }

  Visit& visit_;
};

template <class Visit>
void fields(Visit& visit, PageGroup& group) {
  HandedOn<Visit> handed_on(visit);
  (*group.visit)(handed_on);
}

template <class Visit>
void fields(Visit& visit, PageState& page) {
  HandedOn<Visit> handed_on(visit);
  page.visit(handed_on);
}

/// The initial states of all pages, in the order of the table of pages. Defined with that table, in
/// app/pages/all.cpp.
std::vector<PageState> first_page_states();

struct PageStates {
  std::vector<PageState> all = first_page_states();

  /// The state of type T, or with the Shared base T. Throws std::bad_cast if no page has one.
  template <class T>
  T& of() {
    return in<T>(all);
  }
  template <class T>
  const T& of() const {
    return in<T>(all);
  }

 private:
  template <class T>
  static auto& in(auto& pages) {
    for (auto& page : pages)
      if (auto* const state = page.template get<T>()) return *state;
    throw std::bad_cast();
  }
};

struct ViewState;  // app/state/window_state.hpp

/// The page states of a window, for code that needs nothing else of the ViewState.
PageStates& pages_of(ViewState& view);
const PageStates& pages_of(const ViewState& view);

}  // namespace attnscope
