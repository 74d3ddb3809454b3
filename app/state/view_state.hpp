// app/state: how things are looked at: nothing in here changes a number of the computation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/kit/ui/theme.hpp"
#include "app/state/indirect.hpp"
#include "app/state/keyboard_state.hpp"
#include "app/state/notices.hpp"
#include "app/state/oscilloscope.hpp"
#include "app/state/page/mode.hpp"
#include "app/state/page/page_state.hpp"
#include "app/state/plane.hpp"
#include "core/document/settings.hpp"
#include "core/edits/numbers.hpp"

namespace attnscope {

struct EditingState;
struct FilesState;
struct FocusGesture;
struct FocusState;
struct HeadsState;
struct InspectorState;
struct LongState;
struct PresenterState;
struct SignalsState;
struct StartState;
struct WatchState;  // app/state/watch/watch_state.hpp

/// Ends of the colour bar: of the shown head, of all heads, their geometric mean, or as they were when
/// locked.
enum class RangeMode { Head, Mean, All, Lock };

/// Which way the token strip is tinted: what the query looks at, or which queries look at the key.
enum class Direction { QueryToKeys, KeyToQueries };

enum class Region { Strip, Controls, Heads, Inspector, Signals };

/// What the splitters were dragged to, in logical pixels: widths of controls, heads and inspector, height of
/// the signals; in Model mode the width of the head and the height of the residual stream. 0 = as the
/// window's size asks.
struct RegionSizes {
  float controls = 0, heads = 0, inspector = 0, signals = 0;
  float model_head = 0, model_stream = 0;
  bool operator==(const RegionSizes&) const = default;
};

/// How far down regions are scrolled, in logical pixels.
struct Scrolls {
  float controls = 0, heads = 0;
  bool operator==(const Scrolls&) const = default;
};

/// Each view's own state stands apart: views include the header of theirs.
/// The sections that the column of controls is reduced to, by name: "scaling, mask"; empty: it has them all.
struct ShownSections {
  static constexpr std::array<std::string_view, 14> known{
      "input",    "weights",    "heads", "scaling",    "mask",  "positions",    "softmax",
      "backward", "statistics", "cost",  "long heads", "go to", "strong lines", "block"};
  std::string names;
  bool has(std::string_view name) const;
  bool are_known() const;
  bool operator==(const ShownSections&) const = default;
};

struct ViewState {
  ViewState();
  ViewState(const ViewState&);
  ViewState(ViewState&&) noexcept;
  ViewState& operator=(const ViewState&);
  ViewState& operator=(ViewState&&) noexcept;
  ~ViewState();

  static constexpr float least_scale = 0.75f, most_scale = 3;  // that a person can choose

  ThemeName theme = ThemeName::Dark;
  std::string language = "en";  // of every text, see words.hpp
  float scale = 1;              // pixels per logical pixel
  Mode mode = Mode::Explore;
  Plane stage{Stage::Softmax};   // shown in the focus and the thumbnails: one that the shown result has
  std::optional<Stage> vectors;  // a stage of vectors that the focus shows instead
  RangeMode range = RangeMode::All;
  std::array<float, 2> locked_range{0, 1};
  Indirect<FocusState> focus;
  Indirect<FocusGesture> focus_gesture;
  Direction direction = Direction::QueryToKeys;
  std::array<bool, 5> hidden{};  // by Region
  bool drawer = false;           // where the window is narrow: the inspector is open over the focus
  RegionSizes sizes;
  Scrolls scrolls;
  Indirect<HeadsState> heads;
  Indirect<LongState> long_view;
  Indirect<PresenterState> presenter;
  PageStates pages;
  std::array<signed char, 16>
      fold{};  // sections of the controls: 0 = as the width asks, 1 = open, -1 = closed
  ShownSections sections;
  std::int64_t cost_tokens = 0;  // the length the cost is shown for; 0 = the layer's own
  std::array<bool, 16> more{};   // which sections also show their rarely used controls
  std::string memory_text = "le chat dort sur le tapis";  // what cross-attention starts with
  Positions positions = Positions::Sinusoidal;            // what "positions on" goes back to

  Notices notices;  // what the card at the lower edge says
  std::string
      refusal;  // why the picture is not of the Document as it is now: one sentence; empty while it is
  std::string
      caption;       // of a picture that is drawn for a file: the value of what is swept; empty on the screen
  std::string hint;  // what the mouse is on, for the status line; filled anew each frame
  Indirect<SignalsState> signals;
  Oscilloscope scope;        // the chosen cell against time
  double now = 0;            // seconds since the App began; a frame counts at most 0.1 s
  std::string palette_text;  // what was typed into the command palette, and the row that Enter would run
  std::size_t palette_row = 0;
  bool palette_opens = false;  // in this frame
  bool palette_waits = false;  // it is open, and its field does not have the keyboard yet
  bool palette_shown = false;  // in the last frame
  bool palette_keeps = false;  // it was closed by no hand: what was typed is there when it opens again
  bool help = false;           // the page of keys and gestures is open
  bool timings = false;        // the card with the milliseconds of every stage is open
  bool parity = false;         // the card with the differences between two backends is open
  Indirect<WatchState> watch;  // the attention of a running process, in the place of a model
  Indirect<InspectorState> inspector;  // which page of the inspector, and how
  Indirect<EditingState> editing;      // numbers and masks under the hand
  Indirect<FilesState> files;          // the file menu and what it opens
  Indirect<StartState> start;          // three things to try, on the first launch
  KeyboardState keyboard;              // where it is, what it has just done, what it shows

  void show_stage(Plane next);
  void show_vectors(Stage next);
  void show_weights(Editable next);
  bool is_hidden(Region region) const { return hidden[static_cast<std::size_t>(region)]; }
};

}  // namespace attnscope
