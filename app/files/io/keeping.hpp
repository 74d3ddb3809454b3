// app/files/io: what stays when the window goes: how it looked, what was changed and is in no file, what a
// crash must not take; and which files were open before.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "app/files/io/files.hpp"
#include "app/session/autosave.hpp"
#include "app/session/look.hpp"
#include "app/session/session_keeper.hpp"
#include "app/workspace/held.hpp"
#include "app/workspace/workspace.hpp"

namespace attnscope {

/// Where a session comes from: a file that a person opens, or what this program kept, when it was closed or
/// through a crash. What was kept stays where it is until it is on screen.
enum class CameFrom : std::uint8_t { File, Closed, Crash };

class Keeping {
 public:
  /// `fresh`: how the window looked before does not count.
  Keeping(Workspace&, Files&, const Held&, bool fresh);

  /// How the window looked when it was closed last.
  const Look& look() const { return look_; }
  /// The first picture's file is there: what is opened or changed from here on is kept. Says what is in the
  /// way.
  void begin();
  /// Something else was opened than the first picture's file.
  void touch() { is_untouched_ = false; }

  /// What is left for another document, or by the end.
  void keep_closed();
  /// The end of the window: remembers how it looks, and keeps what was changed and is in no file. Says
  /// nothing; what cannot be kept is left for the next run to restore.
  void close(const WindowShape& shape);
  /// Blocks until what was closed is on disk.
  void finish_closing() { files_.closed().wait(); }
  /// Offers to reopen what was closed last with changes, once.
  void offer_last();

  /// What was kept is on screen, or cannot be.
  void tell_of_kept(const std::filesystem::path& path, CameFrom from, const std::string& damage);
  void say_why_not(const std::string& why, CameFrom from);
  /// What a crash left and is not shown now can be reopened as what was closed.
  void keep_for_later(CameFrom from);
  /// The menu lists the files that were open before.
  void list_recent();

  /// Once a frame: has written what a crash must not take, a moment after it changed. `is_on_its_way`: what
  /// is on screen is not what it will be.
  void keep(double seconds, bool is_on_its_way);
  /// In how many seconds, from the last frame on, keep_now() should be called; empty when nothing waits.
  std::optional<double> keep_in() const;
  /// Writes what a crash must not take.
  void keep_now();
  /// What survives a crash; null where nothing does.
  SessionKeeper* keeper() { return files_.keeper(); }

 private:
  Autosave::State state_now(double seconds) const;
  SessionKeeper::Now now(double seconds) const;

  Workspace& space_;
  Files& files_;
  const Held& held_;
  Look look_;                   // as it was read
  std::string first_language_;  // of this run
  bool is_untouched_ = true;    // nothing but the first picture's file was opened
};

}  // namespace attnscope
