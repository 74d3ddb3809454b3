// app: how things are looked at: nothing in here changes a number of the computation.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "app/plane.hpp"
#include "app/theme.hpp"

namespace attnscope {

/// Ends of the colour bar: of the shown head, of all heads, their geometric mean, or as they were when
/// locked.
enum class RangeMode { Head, Mean, All, Lock };

/// Which way the token strip is tinted: what the query looks at, or who looks at the key.
enum class Direction { QueryToKeys, KeyToQueries };

enum class Region { Strip, Controls, Heads, Inspector, Signals };

/// One moment of the chosen cell, for the plot against time.
struct Moment {
  double seconds = 0;  // since the App began
  float entropy = 0, weight = 0, scale = 0;
};

struct ViewState {
  ThemeName theme = ThemeName::Dark;
  float scale = 1;               // pixels per logical pixel
  Plane stage{Stage::Softmax};   // shown in the focus and the thumbnails: one that the shown result has
  std::optional<Stage> vectors;  // a stage of vectors that the focus shows instead
  RangeMode range = RangeMode::All;
  std::array<float, 2> locked_range{0, 1};
  Direction direction = Direction::QueryToKeys;
  std::array<bool, 5> hidden{};  // by Region
  std::array<signed char, 16>
      fold{};                    // sections of the controls: 0 = as the width asks, 1 = open, -1 = closed
  std::int64_t cost_tokens = 0;  // the length the cost is told for; 0 = the layer's own
  std::array<bool, 16> more{};   // which sections also show their rarely used controls
  std::string memory_text = "le chat dort sur le tapis";  // what cross-attention starts with
  Positions positions = Positions::Sinusoidal;            // what "positions on" goes back to

  std::string message;  // one sentence; stays until dismissed or until what caused it is gone
  bool message_from_engine = false;
  std::string hint;            // what the mouse is on, for the status line; filled anew each frame
  std::deque<Moment> moments;  // the last eight seconds in which something moved
  double now = 0;              // seconds since the App began; a frame counts at most 0.1 s
  std::string palette_text;    // what was typed into the command palette, and the row that Enter would run
  std::size_t palette_row = 0;
  bool palette_opens = false;  // in this frame
  std::string path_field;      // text of the menu's "open a file" field
  std::string save_field;      // and of its "save as" field
  std::string backend_note;    // why the CPU computes

  void show_stage(Plane next) {
    vectors.reset();
    stage = next;
    if (range == RangeMode::Lock) range = RangeMode::All;  // locked ends of another stage mean nothing
  }
  bool is_hidden(Region region) const { return hidden[static_cast<std::size_t>(region)]; }
};

}  // namespace attnscope
