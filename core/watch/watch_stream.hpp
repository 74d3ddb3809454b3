// core/watch: one stream of q, k and v from a process that runs a model: the reader's side of a ring in
// shared memory. The process never waits for it: what is not read in time is overwritten, counted, and never
// half shown.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/watch/watch_record.hpp"

namespace attnscope {

/// What the process says of the model; empty or 0 where it did not say.
struct StreamFacts {
  std::string module, dtype, device, attention, python, torch;
  std::string name_or_path, model_type;  // of its config; a folder of that process' disk has an absolute path
  std::int64_t layers = 0, heads = 0, kv_heads = 0, d_k = 0, vocabulary = 0;
  std::vector<std::string> names;  // of the layers' modules
};

/// The process that writes a stream.
struct StreamProcess {
  std::uint64_t pid = 0, start_time = 0;
  /// False once the process has ended, also where its number belongs to another one now.
  bool is_alive() const;
};

/// What a window wants to be sent; a set of bits.
enum StreamWants : std::uint64_t {
  WantsQueryKeyValue = 1,
  WantsMasks = 2,
  WantsOutput = 4,
  WantsResidual = 8,
};

/// Counted since the stream was opened here, but for `too_large`.
struct StreamCounts {
  std::uint64_t dropped = 0;    // records that were overwritten before they were read
  std::uint64_t records = 0;    // that were read
  std::uint64_t bytes = 0;      // of those
  std::uint64_t capacity = 0;   // bytes of the ring
  std::uint64_t waiting = 0;    // bytes of the ring that were not read when poll() was called last
  std::uint64_t too_large = 0;  // calls that were never sent: one alone is larger than the ring
};

/// Not safe to use from several threads: a worker polls. The window's fields are written by look() alone, so
/// the process sees when the worker stands still for more than two seconds, and stops copying.
class WatchStream {
 public:
  /// Opens and maps the file: a regular file of this user, not a link. Does not count as looking. Throws
  /// Error with the path, the field, what was found and what was expected.
  explicit WatchStream(const std::filesystem::path& path);
  /// Tells the process that this reader looks no more. The file stays: see remove_dead_streams().
  ~WatchStream();
  WatchStream(WatchStream&&) noexcept;
  WatchStream& operator=(WatchStream&&) noexcept;

  const std::filesystem::path& path() const;
  const StreamFacts& facts() const;
  const StreamProcess& process() const;
  /// The process has said that nothing follows. What waits in the ring can still be read.
  bool is_closed() const;

  /// Says that a window looks, and at what (StreamWants). To be called at least every 500 ms, also while the
  /// picture stands still: else the process sends nothing. Throws Error when the file has become shorter.
  void look(std::uint64_t wanted = WantsQueryKeyValue | WantsMasks);
  /// No reader looks: the process sends nothing until look() is called.
  void stop_looking();
  /// Asks for the next call of each layer whole: with all of its keys. poll() asks by itself where it lost
  /// records.
  void ask_for_whole();

  /// Records that are whole and were not read yet, oldest first, up to `most_bytes` of them (one at least);
  /// empty: nothing is there yet. Where the process has overwritten some, those are counted as dropped, the
  /// rest of what is old is left, the next records come with the poll after they were written, and
  /// ask_for_whole() is called. Throws Error with file, record and field where one cannot be read: what waits
  /// is left then, so that the next poll() goes on behind it.
  std::vector<WatchRecord> poll(std::uint64_t most_bytes = std::uint64_t{64} << 20);
  const StreamCounts& counts() const;

  /// For tests: called between the copy of a record and the check that it was not overwritten meanwhile.
  void when_copied(std::function<void()> fn);

 private:
  class Map;
  std::unique_ptr<Map> map_;
};

/// Whether a file begins as streams do; false for what cannot be read. Opens nothing that could block.
bool is_watch_stream(const std::filesystem::path& path);
/// Throws Error where it does, with the command that opens one: for callers that open files of other kinds.
void refuse_watch_stream(const std::filesystem::path& path);

}  // namespace attnscope
