// app/state/watch: the state of the Watch page, which shows the attention of a running process in the place
// of the page Model. It is not part of a Document or its history.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "app/state/watch/watch_beside.hpp"
#include "core/watch/watch_stream.hpp"

namespace attnscope {

struct ViewState;   // app/state/window_state.hpp
struct ShownWatch;  // app/watch/shown_watch.hpp
struct ShownWatchHead;
struct WatchHeld;  // app/watch/watch_held.hpp
struct WatchJoin;  // app/watch/join.hpp

/// What the cells of the grid show: all known rows, the newest row, or its difference to the row before.
enum class WatchColour : std::uint8_t { Pattern, NewestRow, Change };

struct WatchState {
  bool on = false;  // Mode::Model shows it; see is_watching()
  /// The stream requested by its path; empty: that of the newest process.
  std::filesystem::path wanted;
  bool is_chosen = false;  // `wanted` was chosen in the list: other streams wait until it ends
  std::uint64_t sends = WantsQueryKeyValue | WantsMasks;
  bool paused = false;  // the picture is not updated; the process goes on

  // The row that is shown: that of a chosen position (nothing: the newest), or the mean of all rows.
  std::optional<std::int64_t> row;
  bool mean = false;
  std::optional<std::int64_t> key;  // the chosen key; nothing: the one with the largest weight of the row
  std::int64_t layer = 0, head = 0;

  WatchColour colour = WatchColour::Pattern;
  /// Whether a pixel of several weights shows the largest, else their mean; nothing: see pools_by_maximum().
  std::optional<bool> pools_maximum;

  bool calls_large = false;  // the list of passes takes the place of the heads, too

  std::shared_ptr<const WatchHeld> held;  // the held pass, to compare later ones with; null: none
  bool differs = false;                   // heads show now − held, if `held` is set

  // Models on the disk that have the shapes of the stream, see app/watch/same_shapes.hpp.
  std::filesystem::path sought_beside;  // the stream for which `offers` was looked up
  std::vector<WatchOffer> offers;
  std::size_t offer = 0;                     // index into `offers` of the one on screen
  std::filesystem::path kept_apart;          // the stream for which the user declined the offer
  bool open_offer = false;                   // a request: open offers[offer] beside the stream
  std::shared_ptr<const WatchJoin> joining;  // the model that is being opened; null: none
  std::shared_ptr<const WatchJoin> join;     // the opened model; null: none
  std::vector<JoinVerdict> verdicts;  // of its layers against the watched ones, for those compared so far

  // Transient.
  std::shared_ptr<const ShownWatchHead>
      held_head;                            // the chosen head of `held`; null: not made, or nothing is held
  bool open_layer = false;                  // a request: the chosen layer becomes the Document
  std::optional<std::int64_t> pointed_key;  // under the mouse in the last frame; pointed_next: in this one
  std::optional<std::int64_t> pointed_next;
  std::array<bool, 5> folded{};                // sections of the controls
  float grid_scroll = 0, controls_scroll = 0;  // logical pixels
  std::int64_t calls_back = 0;                 // lines that the list is scrolled up from its newest entry
  std::shared_ptr<const ShownWatch> shown;     // the data to draw; null before the page was shown
};

/// The user's choice; else true for more than 100 tokens, where the mean of a pixel's weights is nearly 0.
inline bool pools_by_maximum(const WatchState& state, std::int64_t tokens) {
  return state.pools_maximum.value_or(tokens > 100);
}

/// Whether the Watch page is on screen.
bool is_watching(const ViewState&);

}  // namespace attnscope
