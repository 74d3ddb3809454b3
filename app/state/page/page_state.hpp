// app/state/page: what a page keeps of how it is looked at, as a value: it is copied with the ViewState,
// written into sessions and brought back by undo, though only the page knows what it is.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

namespace attnscope {

/// Whether undo brings a value back. What moves continuously stays as it is.
enum class InUndo : std::uint8_t { No, Yes };

/// Visits the names and values that a session keeps of a page; numbers with the least and the greatest that
/// make sense. A type that no page has had so far is one function more.
class PageFields {
 public:
  virtual void operator()(const char* name, std::string&) = 0;
  virtual void operator()(const char* name, std::optional<double>&, double least, double most, InUndo) = 0;

 protected:
  ~PageFields() = default;
};

/// The state of one page: a T, which can be copied, and of which `fields(PageFields&, T&)` visits what a
/// session keeps.
class PageState {
 public:
  /// `name`: the key that it has in a session.
  template <class T>
  PageState(const char* name, T state) : name_(name), state_(std::make_unique<Of<T>>(std::move(state))) {}
  PageState(const PageState& other) : name_(other.name_), state_(other.state_->copy()) {}
  PageState& operator=(const PageState& other) {
    if (this != &other) name_ = other.name_, state_ = other.state_->copy();
    return *this;
  }
  /// What was moved from can only be assigned to or destroyed.
  PageState(PageState&&) noexcept = default;
  PageState& operator=(PageState&&) noexcept = default;
  ~PageState() = default;

  const char* name() const { return name_; }
  void visit(PageFields& fields) { state_->visit(fields); }
  /// Null where it is no T.
  template <class T>
  T* get() {
    auto* const found = dynamic_cast<Of<T>*>(state_.get());
    return found != nullptr ? &found->state : nullptr;
  }
  template <class T>
  const T* get() const {
    const auto* const found = dynamic_cast<const Of<T>*>(state_.get());
    return found != nullptr ? &found->state : nullptr;
  }

 private:
  struct Any {
    virtual ~Any() = default;
    virtual std::unique_ptr<Any> copy() const = 0;
    virtual void visit(PageFields&) = 0;
  };
  template <class T>
  struct Of final : Any {
    explicit Of(T value) : state(std::move(value)) {}
    std::unique_ptr<Any> copy() const override { return std::make_unique<Of>(state); }
    void visit(PageFields& visited) override { fields(visited, state); }
    T state;
  };

  const char* name_;
  std::unique_ptr<Any> state_;
};

/// The fields of a page for a visitor of session_fields.hpp; one that goes through what undo covers has a
/// member `of_undo`.
template <class Visit>
void fields(Visit& visit, PageState& page) {
  struct HandedOn final : PageFields {
    explicit HandedOn(Visit& to) : visit_(to) {}
    void operator()(const char* name, std::string& value) override { visit_(name, value); }
    void operator()(const char* name, std::optional<double>& value, double least, double most,
                    InUndo in_undo) override {
      if constexpr (requires { Visit::of_undo; }) {
        if (in_undo == InUndo::No) return;
      }
      visit_(name, value, least, most);
    }
    Visit& visit_;
  };
  HandedOn handed_on(visit);
  page.visit(handed_on);
}

/// Those of all pages, as they are at the first start, in the order of the table of pages. Defined with that
/// table, in app/pages/all.cpp.
std::vector<PageState> first_page_states();

struct PageStates {
  std::vector<PageState> all = first_page_states();

  /// The state of the page that has a T.
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

}  // namespace attnscope
