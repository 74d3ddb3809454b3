// app/state/page: what fills the window, and what sessions and the command line call it.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace attnscope {

/// Five regions around one head; the computation as matrices, one stage a step; A, B and A - B; or all heads
/// of the model that the layer stands in; or a lesson; or experiments; or small models that learn.
enum class Mode { Explore, Walk, Compare, Model, Lessons, Experiments, Training };
/// As sessions and the command line call them, in the order of Mode.
inline constexpr std::array<std::string_view, 7> mode_names{"explore", "walk",        "compare", "model",
                                                            "lessons", "experiments", "training"};
/// Empty for anything else.
constexpr std::optional<Mode> mode_named(std::string_view name) {
  const auto found = std::ranges::find(mode_names, name);
  return found == mode_names.end() ? std::nullopt
                                   : std::optional(static_cast<Mode>(found - mode_names.begin()));
}
constexpr std::string_view word_of(Mode mode) { return mode_names[static_cast<std::size_t>(mode)]; }
/// A page of its own between the two bars, whatever is open: no sentence stands above it, and letters do
/// nothing but what it has them for.
constexpr bool is_page(Mode mode) {
  return mode == Mode::Lessons || mode == Mode::Experiments || mode == Mode::Training;
}

}  // namespace attnscope
