// app/state: what undo brings back of how things are looked at: everything that session_fields.hpp lists,
// without what moves continuously (zoom, scrolling).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/state/selection.hpp"

namespace attnscope {

struct ViewState;  // app/state/window_state.hpp

/// A value: two that are equal look alike. Numbers are kept as bits, so that a NaN equals itself.
struct Viewing {
  std::vector<std::uint64_t> settings;  // in the order of session_fields.hpp
  std::vector<std::string> words;
  std::vector<std::uint64_t> place;  // the chosen head and cell, and the move of the walk

  bool operator==(const Viewing&) const = default;
  /// Whether they differ at most in where one is.
  bool differs_in_place_only(const Viewing& other) const {
    return settings == other.settings && words == other.words;
  }
};

Viewing viewing_of(const ViewState&, const Selection&);
/// Puts back what viewing_of() took; leaves the rest. The same program made it.
void view_again(const Viewing&, ViewState&, Selection&);

}  // namespace attnscope
