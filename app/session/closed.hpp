// app/session: what was closed with changes that are in no file. The last few are kept, so that closing a
// window, or opening another file in it, throws no work away.
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
  static constexpr std::size_t most = 5;                      // the oldest go first,
  static constexpr std::uintmax_t most_bytes = 256ull << 20;  // also where all together are larger; one stays

  /// In `directory`, shared by all windows; an empty one keeps nothing.
  explicit Closed(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// Blocks until all is written.
  ~Closed() { wait(); }
  Closed(const Closed&) = delete;
  Closed& operator=(const Closed&) = delete;

  /// Newest first; what is there now.
  std::vector<ClosedEntry> list() const;
  /// Written atomically, behind the window.
  void add(Autosave::State state);
  /// A session that was written elsewhere moves here. Empty where it cannot; else where it is now.
  std::filesystem::path take(const std::filesystem::path& session, std::string_view title);
  /// Blocks until all of them are written. False when one could not be: trouble() says why.
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
