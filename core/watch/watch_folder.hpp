// core/watch: the folder in which processes leave their streams, and what lies there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/watch/watch_stream.hpp"

namespace attnscope {

/// $ATTNSCOPE_WATCH_FOLDER, else /dev/shm/attnscope-UID where /dev/shm can be written, else
/// $XDG_RUNTIME_DIR/attnscope, else /tmp/attnscope-UID. It need not exist.
std::filesystem::path watch_folder();

/// Throws Error where the folder is a link, no folder, belongs to another user or can be written by others.
/// Where there is none it is fine.
void check_watch_folder(const std::filesystem::path&);

struct FoundStream {
  std::filesystem::path path;
  std::string module;  // "LlamaForCausalLM"; empty: not said
  StreamProcess process;
  std::uint64_t number = 0;  // of the streams of that process
  bool alive = false, closed = false;
  bool operator==(const FoundStream&) const;
};

/// The streams there, those of living processes first, the newest first; files that are no streams of this
/// user are left out. Cheap enough for once a second. Throws Error as check_watch_folder().
std::vector<FoundStream> find_streams(const std::filesystem::path& folder = watch_folder());

/// Removes what processes that are gone have left, but for what is in `shown`. Throws Error as
/// check_watch_folder(); what cannot be removed stays.
void remove_dead_streams(std::span<const std::filesystem::path> shown,
                         const std::filesystem::path& folder = watch_folder());

}  // namespace attnscope
