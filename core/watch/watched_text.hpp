// core/watch: assembles the calls of a stream into the text that the process reads or writes: its passes, and
// for every layer the queries, keys and values of all rows so far. A pass becomes visible only once it has
// ended.
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

/// An entry of the list of passes.
struct WatchedPass {
  std::int64_t number = 0;  // as the process counts them
  std::int64_t rows = 0;    // new queries
  std::int64_t keys = 0;    // that these queries see
  std::int64_t first = 0;   // position of the first new query
  double ms = 0;
  std::uint64_t bytes = 0;              // size of its records in the ring
  std::optional<std::int64_t> next_id;  // the token that followed, if known
  std::uint64_t text = 0;               // equal for passes of the same text
  double seconds = 0;                   // when it was read, on the clock of take()'s caller
};

/// The state at one moment. Immutable: any thread may read it as long as it holds it.
struct WatchedSnapshot {
  std::uint64_t text =
      0;  // 1, 2, …: a new text begins with a pass that has no keys before it; 0: no pass yet
  std::uint64_t change = 0;  // different for every snapshot
  /// Layers of the newest text, by index, without those that had no call in it.
  std::vector<WatchedLayerPtr> layers;
  const WatchedLayer* find(std::int64_t index) const;
  WatchedLayerPtr share(std::int64_t index) const;
  /// Of the self-attention layers whose rows are the tokens: for an encoder-decoder the decoder's.
  std::int64_t rows = 0, keys = 0;
  std::int64_t batch = 0;
  /// Which sequence of the batch is shown, and of how many; if all are sent, the first.
  std::int64_t sequence = 0, sequences = 0;
  /// The rows of the text's first pass, the prompt; 0 if that pass was not seen.
  std::int64_t prompt = 0;
  /// [batch][positions]; -1 if the process did not send the id; empty if it sent none. Strings only of the
  /// first sequence; empty if not sent.
  std::vector<std::vector<std::int64_t>> ids, memory_ids;
  std::vector<std::string> tokens, memory_tokens;
  /// The last 200 passes, including earlier texts, the newest last.
  std::vector<WatchedPass> passes;
  std::uint64_t passes_seen = 0;
  std::uint64_t bytes = 0;  // memory of the text
  /// A sentence if the newest passes are not in the text, because it is too long to keep or calls were
  /// dropped.
  std::string note;

  /// The label of a position: its token, else its id, else its number.
  std::string label(std::int64_t position) const;
  std::string memory_label(std::int64_t position) const;
};
using WatchedSnapshotPtr = std::shared_ptr<const WatchedSnapshot>;

/// For one thread, the worker that polls the stream; any thread may read its snapshots.
class WatchedText {
 public:
  static constexpr std::uint64_t default_limit = std::uint64_t{1} << 30;
  static constexpr std::size_t kept_passes = 200;

  /// `limit`: the most bytes of queries, keys, values and masks to keep.
  explicit WatchedText(std::uint64_t limit = default_limit) : limit_(limit) {}

  /// Adds the records of a poll, in order; `seconds`: the current time. True if snapshot() has changed.
  ///
  /// Only whole passes are shown. A pass is not whole if one of its records was lost, or if the keys of a
  /// layer do not continue the known ones (earlier keys were lost): needs_whole() is then true until that
  /// layer has sent all its keys. Known rows stay if those keys begin with the known ones, bit by bit. A pass
  /// that never ends is dropped.
  bool take(std::vector<WatchRecord> records, double seconds = 0);
  /// Call WatchStream::ask_for_whole() after each take() after which this is true.
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
  bool is_full_ = false;            // the text has exceeded the limit
  bool is_too_long_ = false;        // the current pass has exceeded the limit
  bool lost_ = false;               // a record of the current pass may have been lost
  std::vector<WatchedCall> calls_;  // of the current pass
  std::map<std::int64_t, WatchedLayer> layers_;
  std::vector<std::int64_t> last_whole_;  // layers of the last whole pass
  WatchedSnapshot next_;                  // without the layers
  WatchedSnapshotPtr snapshot_ = std::make_shared<const WatchedSnapshot>();
};

}  // namespace attnscope
