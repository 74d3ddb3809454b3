// app/views/watch: the regions of the Watch page, and the data that they share in one frame.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/scene/picture.hpp"
#include "app/scene/scene.hpp"
#include "app/state/watch/watch_state.hpp"
#include "app/watch/shown_watch.hpp"
#include "app/watch/watch_held.hpp"

namespace attnscope {

class Column;  // app/views/controls/column.hpp

/// The boxes of the regions, device pixels; empty if there is no room.
struct WatchRegions {
  Box controls, grid, head, calls, unknown;
};
WatchRegions watch_regions(const Ui&, const Box& whole, bool compact, const ViewState&);

/// The state of one frame. Refers to state.shown.
struct WatchView {
  Scene& scene;
  const Ui& ui;
  WatchState& state;
  const ShownWatch& shown;
  const ShownWatchHead* head = nullptr;  // null: nothing is known yet
  const float* row = nullptr;            // [keys]: the followed row, or the mean; null: not known
  std::int64_t position = -1;            // of that row; for the mean of the newest row
  std::int64_t end = 0;                  // the number of keys that it sees by causality
  std::int64_t key = -1;                 // the one looked at: pointed at, chosen, or the largest
  WatchRowWords words = {};
  // Of the held pass: the row at the same position, else the row that was followed when it was held.
  const ShownWatchHead* held = nullptr;  // the same head; null: none is held, or it is not made yet
  const float* held_row = nullptr;       // [keys], of the mean the mean; null: not known
  std::int64_t held_position = -1, held_end = 0;

  const WatchedSnapshot& text() const { return head != nullptr ? *head->text : *shown.text; }
  const WatchConnection& connection() const { return shown.connection; }
  /// Whether heads show now − held.
  bool differs() const { return state.held != nullptr && state.differs; }
  /// The held weight of the key that is looked at; NaN: not known.
  float held_weight() const;
  bool is_live() const { return connection().state == WatchConnection::State::Live; }
  /// The name of a position of the head's queries, or of its keys; own words.
  std::string query_name(std::int64_t position) const;
  std::string key_name(std::int64_t key) const;
};
WatchView watch_view(Scene&);

/// The position of the newest row of a pass.
inline std::int64_t last_row_of(const WatchedPass& pass) { return pass.first + (pass.rows - 1); }

/// "17.5"; own words.
std::string watched_head_name(const WatchView&);
/// The streams that can be chosen: those of living processes, the newest first, and the current one.
std::vector<FoundStream> watched_choices(const WatchConnection&);
/// "python 41822"; own words.
std::string watched_process(const WatchConnection&);
/// Why no more passes come: for a line, and as sentences with the consequences.
std::string_view watch_end_words(WatchEnd);
std::string_view watch_end_sentence(WatchEnd);
/// The colours of weights on this page.
ColourScale watch_scale(const Scene&);

/// The switch between the heads and their calls, up to `right`; returns its left end.
float draw_watch_switch(WatchView&, float right, float y);
/// The rows about the held pass, below a section's title; nothing if none is held.
void watch_held_section(Column&);
void draw_watch_controls(WatchView&, const Box& region);
void draw_watch_grid(WatchView&, const Box& region);
void draw_watch_calls(WatchView&, const Box& region);
void draw_watch_head(WatchView&, const Box& region);
void draw_watch_unknown(WatchView&, const Box& region);
/// At the lower end of the room: a model on the disk with the same shapes, or the one that was opened beside
/// the stream. Returns its height; 0 if there is none, or no room.
float draw_watch_offer(WatchView&, const Box& room);
void draw_watch_empty(WatchView&, const Box& region);

inline bool has_place(const Box& box) { return box.w >= 8 && box.h >= 8; }
inline float watch_title_height(const Ui& ui) { return ui.px(44); }
inline float watch_pad(const Scene& scene) { return scene.ui.px(scene.compact ? 16 : 20); }

}  // namespace attnscope
