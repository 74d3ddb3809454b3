// app/state: what the window itself and every page need of how things are looked at: colours, language, which
// page, what is said, which cards are open. What a page or a region keeps is a PageState, in a header of its
// own. Nothing in here changes a number of the computation.
#pragma once

#include <cstddef>
#include <string>

#include "app/kit/ui/theme.hpp"
#include "app/state/indirect.hpp"
#include "app/state/keyboard_state.hpp"
#include "app/state/notices.hpp"
#include "app/state/page/mode.hpp"
#include "app/state/page/page_state.hpp"

namespace attnscope {

struct FilesState;
struct PresenterState;
struct StartState;
struct WatchState;  // app/state/watch/watch_state.hpp

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
  PageStates pages;  // of pages and regions: focus_of(view), walk_of(view) …

  Notices notices;  // what the card at the lower edge says
  std::string
      refusal;  // why the picture is not of the Document as it is now: one sentence; empty while it is
  std::string
      caption;       // of a picture that is drawn for a file: the value of what is swept; empty on the screen
  std::string hint;  // what the mouse is on, for the status line; filled anew each frame
  double now = 0;    // seconds since the App began; a frame counts at most 0.1 s
  std::string palette_text;  // what was typed into the command palette, and the row that Enter would run
  std::size_t palette_row = 0;
  bool palette_opens = false;  // in this frame
  bool palette_waits = false;  // it is open, and its field does not have the keyboard yet
  bool palette_shown = false;  // in the last frame
  bool palette_keeps = false;  // it was closed by no hand: what was typed is there when it opens again
  bool help = false;           // the page of keys and gestures is open
  bool timings = false;        // the card with the milliseconds of every stage is open
  bool parity = false;         // the card with the differences between two backends is open
  Indirect<PresenterState> presenter;
  Indirect<WatchState> watch;  // the attention of a running process, in the place of a model
  Indirect<FilesState> files;  // the file menu and what it opens
  Indirect<StartState> start;  // three things to try, on the first launch
  KeyboardState keyboard;      // where it is, what it has just done, what it shows
};

}  // namespace attnscope
