// core/watch: one stream of q, k and v from a process that runs a model: the reader of a ring in shared
// memory. The process never waits for the reader: records that are not read in time are overwritten, counted
// as dropped, and never shown in part.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/watch/watch_record.hpp"

namespace attnscope {

/// The process's facts about the model; empty or 0 if unknown.
struct StreamFacts {
  std::string module, dtype, device, attention, python, torch;
  std::string name_or_path, model_type;  // from its config; a local folder is an absolute path
  std::int64_t layers = 0, heads = 0, kv_heads = 0, d_k = 0, vocabulary = 0;
  std::vector<std::string> names;  // of the layers' modules
};

/// The process that writes a stream.
struct StreamProcess {
  std::uint64_t pid = 0, start_time = 0;
  /// False once the process has ended, even if another process has its number now.
  bool is_alive() const;
};

/// The data that a window asks for; a set of bits.
enum StreamWants : std::uint64_t {
  WantsQueryKeyValue = 1,
  WantsMasks = 2,
  WantsOutput = 4,
  WantsResidual = 8,
};

/// Counted since this reader opened the stream, except `too_large`.
struct StreamCounts {
  std::uint64_t dropped = 0;    // records that were overwritten before they were read
  std::uint64_t records = 0;    // that were read
  std::uint64_t bytes = 0;      // of the records that were read
  std::uint64_t capacity = 0;   // bytes of the ring
  std::uint64_t waiting = 0;    // unread bytes of the ring at the last poll()
  std::uint64_t too_large = 0;  // calls that were never sent, because one is larger than the ring
};

/// Not thread-safe: one worker polls. Only look() writes the window's fields, so if the worker stalls for
/// more than two seconds, the process sees it and stops copying.
class WatchStream {
 public:
  /// Opens and maps the file: a regular file of this user, not a link. Does not count as looking. Throws
  /// Error naming the path, the field, what was found and what was expected.
  explicit WatchStream(const std::filesystem::path& path);
  /// Tells the process that this reader has stopped looking. The file stays: see remove_dead_streams().
  ~WatchStream();
  WatchStream(WatchStream&&) noexcept;
  WatchStream& operator=(WatchStream&&) noexcept;

  const std::filesystem::path& path() const;
  const StreamFacts& facts() const;
  const StreamProcess& process() const;
  /// Whether the process has said that no more records follow. Records in the ring can still be read.
  bool is_closed() const;

  /// Tells the process that a window looks, and at what (StreamWants). Must be called at least every 500 ms,
  /// even if the picture does not change: otherwise the process sends nothing. Throws Error if the file has
  /// become shorter.
  void look(std::uint64_t wanted = WantsQueryKeyValue | WantsMasks);
  /// Stops looking: the process sends nothing until look() is called.
  void stop_looking();
  /// Asks for all keys in the next call of each layer. poll() does so itself after losing records.
  void ask_for_whole();

  /// Complete records that were not read yet, oldest first, up to `most_bytes` of them (at least one); empty
  /// if there are none. If the process has overwritten some, these are counted as dropped, the other waiting
  /// records are skipped, later polls return the records written from then on, and ask_for_whole() is called.
  /// Throws Error naming file, record and field if a record cannot be read; the waiting records are skipped
  /// then, so that the next poll() continues behind them.
  std::vector<WatchRecord> poll(std::uint64_t most_bytes = std::uint64_t{64} << 20);
  const StreamCounts& counts() const;

  /// For tests: called after a record is copied, before the check that it was not overwritten meanwhile.
  void when_copied(std::function<void()> fn);

 private:
  class Map;
  std::unique_ptr<Map> map_;
};

/// Whether the file begins like a stream; false if it cannot be read. Never blocks.
bool is_watch_stream(const std::filesystem::path& path);
/// Throws Error if the file is a stream, naming the command that opens streams: for callers that open other
/// kinds of files.
void refuse_watch_stream(const std::filesystem::path& path);

}  // namespace attnscope
