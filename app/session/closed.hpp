// app/session: keeps the last few sessions that were closed with unsaved changes, so that closing a window,
// or opening another file in it, loses no work.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/files/closed_entry.hpp"
#include "app/session/autosave.hpp"

namespace attnscope {

class Closed {
 public:
  static constexpr std::size_t most = 5;                      // beyond it the oldest are removed,
  static constexpr std::uintmax_t most_bytes = 256ull << 20;  // also if they are larger; one stays

  /// In `directory`, shared by all windows; an empty path keeps nothing.
  explicit Closed(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// Blocks until all is written.
  ~Closed() { wait(); }
  Closed(const Closed&) = delete;
  Closed& operator=(const Closed&) = delete;

  /// The sessions on disk now, newest first.
  std::vector<ClosedEntry> list() const;
  /// Writes a session atomically, in the background.
  void add(Autosave::State state);
  /// Moves a session file that was written elsewhere here; returns its new path, or an empty one if that
  /// fails.
  std::filesystem::path take(const std::filesystem::path& session, std::string_view title);
  /// Blocks until all are written. False if one could not be written: trouble() says why.
  bool wait();
  const std::string& trouble() const { return trouble_; }

 private:
  void drop_old() const;

  std::filesystem::path directory_;
  std::vector<std::shared_ptr<Errand>> writing_;
  std::string trouble_;
  Worker worker_;
};

}  // namespace attnscope
