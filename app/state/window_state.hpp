// app/state: the view state of the window and of every page: colours, language, page, messages, open cards.
// The state of a page or region is a PageState with its own header. Nothing in here changes a number of the
// computation.
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

  static constexpr float least_scale = 0.75f, most_scale = 3;  // that the user can choose

  ThemeName theme = ThemeName::Dark;
  std::string language = "en";  // of every text, see words.hpp
  float scale = 1;              // pixels per logical pixel
  Mode mode = Mode::Explore;
  PageStates pages;  // of pages and regions; accessed as focus_of(view), walk_of(view) …

  Notices notices;  // the messages on the card at the lower edge
  std::string
      refusal;  // one sentence that says why the picture does not show the current Document; empty if it does
  std::string caption;  // of a picture drawn for a file: the value of the swept setting; empty on the screen
  std::string hint;     // about the item under the mouse, for the status line; set anew each frame
  double now = 0;       // seconds since the App began; a frame counts at most 0.1 s
  std::string palette_text;  // the text in the command palette, and the row that Enter runs
  std::size_t palette_row = 0;
  bool palette_opens = false;  // in this frame
  bool palette_waits = false;  // it is open, but its field does not have the keyboard yet
  bool palette_shown = false;  // it was open in the last frame
  bool palette_keeps = false;  // the program closed it, not the user: it keeps its text for the next opening
  bool help = false;           // the page of keys and gestures is open
  bool timings = false;        // the card with the milliseconds of every stage is open
  bool parity = false;         // the card with the differences between two backends is open
  Indirect<PresenterState> presenter;
  Indirect<WatchState> watch;  // the attention of a running process, in the place of a model
  Indirect<FilesState> files;  // the file menu, the file dialog and their cards
  Indirect<StartState> start;  // three things to try, on the first launch
  KeyboardState keyboard;      // which widgets have it, what the last key did
};

}  // namespace attnscope
