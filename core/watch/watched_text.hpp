// core/watch: from the calls of a stream to the text that the process reads or writes: passes, and for every
// layer queries, keys and values of all rows so far. A pass is visible once it has ended, or not at all.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/watch/watch_stream.hpp"
#include "core/watch/watched_layer.hpp"

namespace attnscope {

/// A line of the list of passes.
struct WatchedPass {
  std::int64_t number = 0;  // as the process counts
  std::int64_t rows = 0;    // new queries
  std::int64_t keys = 0;    // that they look at
  std::int64_t first = 0;   // position of the first of them
  double ms = 0;
  std::uint64_t bytes = 0;              // that its records took in the ring
  std::optional<std::int64_t> next_id;  // what followed, where that is known
  std::uint64_t text = 0;               // of the same text: the same number
  double seconds = 0;                   // when it was read here, on the clock of take()'s caller
};

/// One state of what is known, immutable: it may be read from any thread for as long as it is held.
struct WatchedSnapshot {
  std::uint64_t text =
      0;  // 1, 2, …: a new text begins with a pass that has no keys before it; 0: no pass yet
  std::uint64_t change = 0;  // another number for every snapshot
  /// Of the newest text, by index; those that had no call in it are missing.
  std::vector<WatchedLayerPtr> layers;
  const WatchedLayer* find(std::int64_t index) const;
  WatchedLayerPtr share(std::int64_t index) const;
  /// Layers with self-attention whose rows the tokens are: of decoders the decoder's.
  std::int64_t rows = 0, keys = 0;
  std::int64_t batch = 0;
  /// Rows of the first pass of the text: the prompt.
  std::int64_t prompt = 0;
  /// Of sequence b, [batch][positions]; -1 where nobody said; empty where nobody said any. Strings of the
  /// first sequence alone, empty where nobody said.
  std::vector<std::vector<std::int64_t>> ids, memory_ids;
  std::vector<std::string> tokens, memory_tokens;
  /// The last 200, of earlier texts too, the newest last.
  std::vector<WatchedPass> passes;
  std::uint64_t passes_seen = 0;
  std::uint64_t bytes = 0;  // of memory that the text holds
  /// A sentence where the newest passes are not in the text: it is too long to be kept, or calls were
  /// dropped.
  std::string note;

  /// What a position is called: its token, its id, or its number.
  std::string label(std::int64_t position) const;
  std::string memory_label(std::int64_t position) const;
};
using WatchedSnapshotPtr = std::shared_ptr<const WatchedSnapshot>;

/// Used by one thread, the worker that polls the stream; snapshots go to any.
class WatchedText {
 public:
  static constexpr std::uint64_t default_limit = std::uint64_t{1} << 30;
  static constexpr std::size_t kept_passes = 200;

  /// `limit`: bytes of queries, keys, values and masks that are kept.
  explicit WatchedText(std::uint64_t limit = default_limit) : limit_(limit) {}

  /// What a poll brought, in order; `seconds` is now. True: a pass ended, snapshot() is another one. Calls
  /// that do not follow the rows before (their keys were dropped) are left until whole ones come; ask for
  /// them where needs_whole() says so.
  bool take(std::vector<WatchRecord> records, double seconds = 0);
  bool needs_whole() const { return needs_whole_; }
  /// The stream has lost records: what has come of the pass that goes on is left.
  void forget_unfinished();

  /// Never null.
  WatchedSnapshotPtr snapshot() const { return snapshot_; }

 private:
  struct Room;
  bool end_pass(const PassEnd&, double seconds);
  void publish();

  std::uint64_t limit_ = default_limit;
  bool needs_whole_ = false;
  std::vector<WatchedCall> calls_;  // of the pass that goes on
  WatchedSnapshotPtr snapshot_ = std::make_shared<const WatchedSnapshot>();
};

}  // namespace attnscope
