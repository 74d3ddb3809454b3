// core/watch: from the calls of a stream to the text that the process reads or writes: passes, and for every
// layer queries, keys and values of all rows so far. A pass is visible once it has ended, or not at all.
#pragma once

#include <cstdint>
#include <map>
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
  /// Which sequence is shown, and of how many; of those that are sent it is the first.
  std::int64_t sequence = 0, sequences = 0;
  /// Rows of the first pass of the text: the prompt; 0 where that was not seen.
  std::int64_t prompt = 0;
  /// Of sequence b, [batch][positions]; -1 where the process did not say; empty where it said none. Strings
  /// of the first sequence alone, empty where it did not say.
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

  /// What a poll brought, in order; `seconds` is now. True: snapshot() is another one.
  ///
  /// Shown is what is whole. A pass of which a record was lost is not; nor is one with a layer whose keys do
  /// not join those before (that layer's earlier keys were lost): then needs_whole() says so until the layer
  /// has come whole. Rows that are known stay where the whole keys go on from theirs, bit by bit. A pass that
  /// never ended is left.
  bool take(std::vector<WatchRecord> records, double seconds = 0);
  /// Call WatchStream::ask_for_whole() after each take() that leaves this true.
  bool needs_whole() const { return needs_whole_; }

  /// Never null.
  WatchedSnapshotPtr snapshot() const { return snapshot_; }

 private:
  void add_call(WatchedCall);
  bool end_pass(const PassEnd&, double seconds);
  void begin_text();
  void stop_keeping(std::int64_t pass);
  std::vector<WatchedCall> take_calls(std::int64_t pass);
  bool begins_text(const std::vector<WatchedCall>&) const;
  bool fits(const std::vector<WatchedCall>&) const;
  bool is_whole(const std::vector<WatchedCall>&) const;
  bool add_calls(std::vector<WatchedCall>&);
  void drop_rows_of(std::int64_t pass);
  void add_ids(const PassEnd&, std::int64_t first, std::int64_t rows);
  void list_pass(const PassEnd&, const std::vector<WatchedCall>&, double seconds);
  std::uint64_t bytes() const;
  void publish();

  std::uint64_t limit_ = default_limit;
  bool needs_whole_ = false;
  bool is_full_ = false;            // the text became larger than the limit
  bool is_too_long_ = false;        // so did the pass that goes on
  bool lost_ = false;               // a record of the pass that goes on may have been lost
  std::vector<WatchedCall> calls_;  // of the pass that goes on
  std::map<std::int64_t, WatchedLayer> layers_;
  std::vector<std::int64_t> last_whole_;  // layers of the last pass that was whole
  WatchedSnapshot next_;                  // but for the layers
  WatchedSnapshotPtr snapshot_ = std::make_shared<const WatchedSnapshot>();
};

}  // namespace attnscope
