// app/state: the view settings that undo restores: everything that session_fields.hpp lists, except what
// moves continuously (zoom, scrolling).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/state/selection.hpp"

namespace attnscope {

struct ViewState;  // app/state/window_state.hpp

/// A value: equal Viewings are the same view. Numbers are stored as bits, so that a NaN equals itself.
struct Viewing {
  std::vector<std::uint64_t> settings;  // in the order of session_fields.hpp
  std::vector<std::string> words;
  std::vector<std::uint64_t> place;  // the chosen head and cell, and the move of the walk

  bool operator==(const Viewing&) const = default;
  /// Whether they differ at most in `place`.
  bool differs_in_place_only(const Viewing& other) const {
    return settings == other.settings && words == other.words;
  }
};

Viewing viewing_of(const ViewState&, const Selection&);
/// Restores what viewing_of() took and leaves the rest. The same build must have taken it.
void view_again(const Viewing&, ViewState&, Selection&);

}  // namespace attnscope
