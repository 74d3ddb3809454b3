// app/state/page: which page fills the window. Each page has its own Mode; a further page needs no change
// here.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace attnscope {

struct Mode {
  std::string_view name;  // its unique name in sessions and on the command line
  /// The page fills the space between top bar and status line, whatever is open: it has no token strip, and
  /// typed letters only run the page's own actions.
  bool stands_alone = false;
  bool hides_sentence = false;  // it shows what is open, but takes the room of the token strip
  constexpr bool operator==(const Mode& other) const { return name == other.name; }

  /// Explore: five regions around one head. Walk: the computation as matrices, one stage a step. Compare: A,
  /// B and A - B. Model: all heads of the model that the layer belongs to. Lessons: a lesson. Experiments: an
  /// experiment. Training: small models that are trained.
  static const Mode Explore, Walk, Compare, Model, Lessons, Experiments, Training;
};
inline constexpr Mode Mode::Explore{"explore"};
inline constexpr Mode Mode::Walk{"walk", false, true};
inline constexpr Mode Mode::Compare{"compare"};
inline constexpr Mode Mode::Model{"model"};
inline constexpr Mode Mode::Lessons{"lessons", true};
inline constexpr Mode Mode::Experiments{"experiments", true};
inline constexpr Mode Mode::Training{"training", true};

constexpr bool is_page(const Mode& mode) { return mode.stands_alone; }
/// Whether the token strip is above it.
constexpr bool has_sentence(const Mode& mode) { return !mode.stands_alone && !mode.hides_sentence; }

/// All modes in the order of the top bar, and their names in the same order. Defined with the table of pages,
/// in app/pages/all.cpp.
std::span<const Mode> modes();
std::span<const std::string_view> mode_names();
/// The mode with this name; empty if there is none.
std::optional<Mode> mode_named(std::string_view name);

}  // namespace attnscope
