// core/watch: the folder with the streams of watched processes.
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

/// Throws Error if the folder is a link, is not a folder, belongs to another user or can be written by
/// others. A missing folder is allowed.
void check_watch_folder(const std::filesystem::path&);

struct FoundStream {
  std::filesystem::path path;
  std::string module;  // "LlamaForCausalLM"; empty: unknown
  StreamProcess process;
  std::uint64_t number = 0;  // counts the streams of that process
  bool alive = false, closed = false;
  bool operator==(const FoundStream&) const;
};

/// The streams in the folder: those of living processes first, then the newest first. Files that are not
/// streams of this user are left out. Cheap enough to call once a second. Throws Error as
/// check_watch_folder().
std::vector<FoundStream> find_streams(const std::filesystem::path& folder = watch_folder());

/// Removes the streams of ended processes, except those in `shown`. Throws Error as check_watch_folder();
/// files that cannot be removed stay.
void remove_dead_streams(std::span<const std::filesystem::path> shown,
                         const std::filesystem::path& folder = watch_folder());

}  // namespace attnscope
