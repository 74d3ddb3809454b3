// app/watch: the data that the Watch page draws: immutable, made by workers, handed over as a whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/watch/watch_folder.hpp"
#include "core/watch/watched_weights.hpp"

namespace attnscope {

/// Why a stream has ended. WatchClosed: the watch was closed and the process goes on. ProcessEnded: the
/// process closed the watch and ended. ProcessGone: it ended without closing the watch (it was killed, or
/// crashed).
enum class WatchEnd : std::uint8_t { None, WatchClosed, ProcessEnded, ProcessGone };

/// The state of the shown stream.
struct WatchConnection {
  enum class State : std::uint8_t { Listening, Live, Ended };  // no process yet; process there; stream ended
  State state = State::Listening;
  WatchEnd end = WatchEnd::None;  // of Ended; checked every second: a process may end after its watch
  std::filesystem::path path = {};
  StreamFacts facts = {};
  StreamProcess process = {};
  StreamCounts counts = {};
  double rate = 0;                    // passes a second over the last three seconds
  std::string trouble = {};           // why nothing can be read, in a sentence; else empty
  std::vector<FoundStream> all = {};  // in the folder when it was last listed
};

WatchEnd watch_end(bool is_closed, bool is_alive);

/// One layer of the grid.
struct ShownWatchLayer {
  WatchedLayerPtr layer;
  WatchedPictures pictures;  // of all rows,
  WatchedPictures last;      // and of the last two, or of the only one
  float mean_entropy = 0;    // mean entropy ÷ ln n of all heads' rows with n ≥ 2 keys; NaN: none

  /// Entropy ÷ ln n of a head's row; NaN with fewer than two keys.
  float entropy(std::int64_t head, std::int64_t row) const;
  /// Its mean over the heads that have one; NaN if none has.
  float entropy_of_row(std::int64_t row) const;
};

/// The grid of one snapshot.
struct ShownWatchGrid {
  WatchedSnapshotPtr text;
  std::vector<ShownWatchLayer> layers;
  std::uint64_t ticket = 0;  // differs for every grid
};

/// The chosen head of one snapshot.
struct ShownWatchHead {
  WatchedSnapshotPtr text;
  WatchedLayerPtr layer;
  std::int64_t head = 0;
  std::int64_t first = 0;        // the first row that is kept; of long texts only the last rows are
  Tensor weights = {};           // [rows][keys]
  std::vector<float> mean = {};  // [keys], over the rows that see the key
  WatchedMeasures measures = {};
  std::optional<double> output_error = {};  // relative to the process' own output; empty: not sent
  std::uint64_t ticket = 0;

  std::int64_t rows() const { return weights.shape()[0]; }
  std::int64_t keys() const { return weights.shape()[1]; }
  /// The weights of the row at a position; null if it is not kept.
  const float* at(std::int64_t position) const;
};

/// Everything the page shows. Grid and head may be of an older snapshot than `text` until the new ones are
/// computed.
struct ShownWatch {
  WatchConnection connection;
  WatchedSnapshotPtr text;  // never null
  std::shared_ptr<const ShownWatchGrid> grid;
  std::shared_ptr<const ShownWatchHead> head;
  std::string trouble;  // why grid or head could not be computed; else empty
};

/// Measures of a row of weights.
struct WatchRowWords {
  std::int64_t largest_key = -1;
  float largest = 0;
  double entropy = 0;  // ÷ ln n; NaN with fewer than two keys
  std::int64_t keys = 0;
};
WatchRowWords words_of_row(const float* row, std::int64_t end);

}  // namespace attnscope
