// app/watch: what the Watch page is drawn from: immutable, made by workers, handed over whole.
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

/// Why a stream brings nothing more: only the watch was closed, and its process goes on; the process ended
/// and had closed the watch; it is gone and had not (it was killed, or crashed).
enum class WatchEnd : std::uint8_t { None, WatchClosed, ProcessEnded, ProcessGone };

/// What is known of the stream that is looked at.
struct WatchConnection {
  enum class State : std::uint8_t { Listening, Live, Ended };  // no process yet; there; nothing more comes
  State state = State::Listening;
  WatchEnd end = WatchEnd::None;  // of Ended; looked at every second, since a process may end after its watch
  std::filesystem::path path = {};
  StreamFacts facts = {};
  StreamProcess process = {};
  StreamCounts counts = {};
  double rate = 0;                    // passes a second, of the last three seconds; 0: none came
  std::string trouble = {};           // a sentence: why nothing can be read; empty: nothing is wrong
  std::vector<FoundStream> all = {};  // in the folder, as it was looked at last
};

WatchEnd watch_end(bool is_closed, bool is_alive);

/// One layer of the grid.
struct WatchLayerSight {
  WatchedLayerPtr layer;
  WatchedPictures pictures;  // of all rows,
  WatchedPictures last;      // and of the last two, or the one that there is
  float mean_entropy = 0;    // entropy ÷ ln n over all heads and rows that have a choice; NaN where none has

  /// Entropy ÷ ln n of a head's row; NaN where it has no choice.
  float entropy(std::int64_t head, std::int64_t row) const;
  /// Over the heads that have one; NaN where none has.
  float entropy_of_row(std::int64_t row) const;
};

/// The grid: of one snapshot.
struct WatchGridSight {
  WatchedSnapshotPtr text;
  std::vector<WatchLayerSight> layers;
  std::uint64_t ticket = 0;  // another one for every grid
};

/// The chosen head: of one snapshot.
struct WatchHeadSight {
  WatchedSnapshotPtr text;
  WatchedLayerPtr layer;
  std::int64_t head = 0;
  std::int64_t first = 0;        // number of the first row that is here: of long texts the last ones
  Tensor weights = {};           // [rows][keys]
  std::vector<float> mean = {};  // [keys], over the rows that see the key
  WatchedMeasures measures = {};
  std::optional<double> output_error =
      {};  // of what the process itself computed; nothing: it did not send it
  std::uint64_t ticket = 0;

  std::int64_t rows() const { return weights.shape()[0]; }
  std::int64_t keys() const { return weights.shape()[1]; }
  /// The row of a position; null where it is not here.
  const float* at(std::int64_t position) const;
};

/// All of it. Grid and head may be of an older snapshot than `text`, until they are made.
struct WatchSight {
  WatchConnection connection;
  WatchedSnapshotPtr text;  // never null
  std::shared_ptr<const WatchGridSight> grid;
  std::shared_ptr<const WatchHeadSight> head;
  std::string trouble;  // why grid or head could not be made; empty where they could
};

/// What a row of weights says.
struct WatchRowWords {
  std::int64_t largest_key = -1;
  float largest = 0;
  double entropy = 0;  // ÷ ln n; NaN with fewer than two keys
  std::int64_t keys = 0;
};
WatchRowWords words_of_row(const float* row, std::int64_t end);

}  // namespace attnscope
