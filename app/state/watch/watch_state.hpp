// app/state/watch: how the attention of a running process is looked at: the Watch page, which stands in the
// place of the model's. A Document and its history know nothing of it.
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
struct WatchSight;  // app/watch/watch_sight.hpp
struct WatchHeadSight;
struct WatchHeld;  // app/watch/watch_held.hpp
struct WatchJoin;  // app/watch/join.hpp

/// What the cells of the grid show: all rows that are known, the newest row, or how it differs from the one
/// before.
enum class WatchColour : std::uint8_t { Pattern, NewestRow, Change };

struct WatchState {
  bool on = false;  // Mode::Model shows it; see is_watching()
  /// The stream that was asked for by name; empty: that of the newest process.
  std::filesystem::path wanted;
  bool is_chosen = false;  // `wanted` was chosen in the list of processes: others wait while it lives
  std::uint64_t sends = WantsQueryKeyValue | WantsMasks;
  bool paused = false;  // the picture stands still; the process does not

  // What is followed: the newest row, the row of a position that was chosen, or the mean of all rows.
  std::optional<std::int64_t> row;
  bool mean = false;
  std::optional<std::int64_t> key;  // that was chosen; nothing: the largest of the row
  std::int64_t layer = 0, head = 0;

  WatchColour colour = WatchColour::Pattern;
  /// Whether a pixel of several weights wears the largest, else their mean; nothing: see pools_by_maximum().
  std::optional<bool> pools_maximum;

  bool calls_large = false;  // the list of passes stands in the place of the heads, too

  std::shared_ptr<const WatchHeld> held;  // a pass to compare later ones with; null: none
  bool differs = false;                   // heads show now − held; held is there

  // Models on the disk that have the shapes of the stream, see app/watch/same_shapes.hpp.
  std::filesystem::path sought_beside;  // the stream for which models on the disk were looked up
  std::vector<WatchOffer> offers;
  std::size_t offer = 0;                     // of them, the one that is named
  std::filesystem::path kept_apart;          // the stream beside which none is to be opened
  bool open_offer = false;                   // asked for: that one is opened beside the stream
  std::shared_ptr<const WatchJoin> joining;  // while it is opened
  std::shared_ptr<const WatchJoin> join;     // the model that was opened; null: none
  std::vector<JoinVerdict> verdicts;  // how its layers agree with what was watched; those compared so far

  // Of the moment.
  std::shared_ptr<const WatchHeadSight>
      held_head;                            // the chosen head of what is held; null: not made, or none
  bool open_layer = false;                  // asked for: the chosen layer becomes the Document
  std::optional<std::int64_t> pointed_key;  // under the mouse, in this frame and the last
  std::optional<std::int64_t> pointed_next;
  std::array<bool, 5> folded{};                // sections of the controls
  float grid_scroll = 0, controls_scroll = 0;  // logical pixels
  std::int64_t calls_back = 0;                 // lines that the list is scrolled up from its newest one
  std::shared_ptr<const WatchSight> sight;     // what there is; null before the page was shown
};

/// What was chosen; else the largest from 100 tokens on, where the mean of a pixel is next to nothing.
inline bool pools_by_maximum(const WatchState& state, std::int64_t tokens) {
  return state.pools_maximum.value_or(tokens > 100);
}

/// Whether the Watch page is on screen.
bool is_watching(const ViewState&);

}  // namespace attnscope
