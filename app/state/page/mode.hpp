// app/state/page: what fills the window. Each page has a Mode of its own; another page needs no line here.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace attnscope {

struct Mode {
  std::string_view name;  // as sessions and the command line call it; no two have the same
  /// A page of its own between the two bars, whatever is open: no sentence stands above it, and letters do
  /// nothing but what it has them for.
  bool stands_alone = false;
  bool hides_sentence = false;  // it is of what is open, and needs the room of the sentence
  constexpr bool operator==(const Mode& other) const { return name == other.name; }

  /// Five regions around one head; the computation as matrices, one stage a step; A, B and A - B; all heads
  /// of the model that the layer stands in; a lesson; experiments; small models that learn.
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
/// Whether the sentence stands above it.
constexpr bool has_sentence(const Mode& mode) { return !mode.stands_alone && !mode.hides_sentence; }

/// All that there are, in the order of the bar; `mode_names()` the same. Defined with the table of pages, in
/// app/pages/all.cpp.
std::span<const Mode> modes();
std::span<const std::string_view> mode_names();
/// Empty for anything else.
std::optional<Mode> mode_named(std::string_view name);

}  // namespace attnscope
