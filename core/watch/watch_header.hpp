// core/watch: reads and checks the header of a stream file. Only .cpp files of this room include it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/files/formats/posix.hpp"
#include "core/watch/watch_format.hpp"
#include "core/watch/watch_stream.hpp"

namespace attnscope {

struct WatchHeader {
  StreamFacts facts;
  StreamProcess process;
  std::uint64_t capacity = 0;
  bool closed = false;
};

/// `bytes`: the whole header; `file`: its path, for messages. Throws Error naming the file, the field, what
/// was found and what was expected.
WatchHeader read_watch_header(std::span<const std::byte> bytes, const std::string& file);

/// Opens a stream: a regular file of this user, not a link, at least as long as a header. `flags`: O_RDONLY
/// or O_RDWR. Throws Error naming the path.
Descriptor open_watch_file(const std::filesystem::path& path, int flags);

}  // namespace attnscope
