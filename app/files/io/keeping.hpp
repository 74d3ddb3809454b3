// app/files/io: what is kept when the window closes: its look, unsaved changes, the session for a crash; and
// the recent files.
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

/// Where a session comes from: a file that the user opens, or one that this program kept when it was closed
/// or crashed. A kept session stays on disk until it is on screen.
enum class CameFrom : std::uint8_t { File, Closed, Crash };

class Keeping {
 public:
  /// `fresh`: ignores the window's earlier look.
  Keeping(Workspace&, Files&, const Held&, bool fresh);

  /// How the window looked when it was closed last.
  const Look& look() const { return look_; }
  /// Call it when the first picture's file is open: keeps what is opened or changed from now on; a notice
  /// says if it cannot.
  void begin();
  /// Call it when another file than that of the first picture was opened.
  void touch() { is_untouched_ = false; }

  /// Keeps what is on screen as closed, if it was edited: another Document comes, or the window closes.
  void keep_closed();
  /// The window closes: writes its look and keeps unsaved changes. No message; what cannot be kept is left
  /// for the next run to restore.
  void close(const WindowShape& shape);
  /// Blocks until what was closed is on disk.
  void finish_closing() { files_.closed().wait(); }
  /// Offers to reopen what was closed last with changes, once.
  void offer_last();

  /// A kept session is on screen, or cannot be shown: says so.
  void tell_of_kept(const std::filesystem::path& path, CameFrom from, const std::string& damage);
  void say_why_not(const std::string& why, CameFrom from);
  /// What a crash left and is not shown becomes a closed session, which can be reopened.
  void keep_for_later(CameFrom from);
  /// Gives the menu the recent files.
  void list_recent();

  /// Once a frame: has the session written for a crash, a moment after it changed. `is_on_its_way`: another
  /// Document is being opened; nothing is written.
  void keep(double seconds, bool is_on_its_way);
  /// Seconds from the last frame until keep_now() should be called; empty if nothing waits to be written.
  std::optional<double> keep_in() const;
  /// Writes the session for a crash now.
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
  std::string first_language_;  // at the start of this run
  bool is_untouched_ = true;    // only the first picture's file was opened
};

}  // namespace attnscope
