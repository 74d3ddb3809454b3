// app/files/io: opens files from the command line, the menu and drops, and sessions that were kept when a
// window was closed or crashed.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/files/io/model_arriving.hpp"
#include "app/watch/join.hpp"

namespace attnscope {

/// Files that were dropped while the user typed: the text field is left first, which takes a frame.
struct DroppedFiles {
  std::vector<std::filesystem::path> paths;
  bool was_sentence = false;  // the sentence was being typed
  bool is_left = false;       // that frame is drawn
};

class OpeningFiles {
 public:
  OpeningFiles(Workspace& space, Files& files, Keeping& keeping, Arriving& arriving, ModelArriving& models,
               const OpeningCalls& calls)
      : space_(space),
        files_(files),
        keeping_(keeping),
        arriving_(arriving),
        models_(models),
        calls_(calls) {}

  /// Opens a file. A session restores its view and B. If it cannot be opened, a message says why and the
  /// Document stays. `layer` chooses a dump's layer; if another layer of that file is shown, settings and
  /// view stay. What neither the file nor `answers` tell is guessed, and a card asks. A large file is read in
  /// the background; is_settled() is false until it is open.
  void open(const std::filesystem::path& path, std::string_view layer = {}, const Answers& answers = {});
  /// The same with a session that open_session() has read from that file.
  void open(Session session, const std::filesystem::path& from, std::string_view layer = {},
            const Answers& answers = {});
  /// Opens the file of the first picture. If it cannot be opened or its model cannot run, the next example is
  /// opened instead, and a notice says why.
  void open_first(const std::filesystem::path& opening);
  /// Opens a model beside a watched stream; it is compared with the stream once it has run.
  void open_joined(const std::shared_ptr<const WatchJoin>& join);
  /// Opens the first of the files that were dropped on the window; a notice says if there are more. What is
  /// being typed becomes a step of undo first.
  void drop(const std::vector<std::filesystem::path>& paths);
  /// Opens what was open when the last program was killed, and says so; false if there is nothing.
  bool restore();
  /// Reopens a closed session; an empty path: the last. It then belongs to this window.
  void reopen(const std::filesystem::path& closed);
  /// Stops reading a file and running a model to be shown.
  void stop();
  /// Opens a large file that has been read; `wait`: waits for it first. Updates the progress of one that is
  /// being read.
  void finish(bool wait);

  /// Files dropped while typing: leave_field() is called when the frame that leaves the field is drawn;
  /// follow_dropped() then opens them.
  bool has_dropped() const { return dropped_.has_value(); }
  void leave_field();
  void follow_dropped();

  /// Whether a file is being read, or a model to be shown runs.
  bool is_on_its_way() const { return files_.is_opening() || !models_.is_settled(); }
  /// Whether what is on screen is not complete yet and need not be kept.
  bool is_unfinished() const;
  bool is_settled() const;

 private:
  void begin(std::string_view layer, const Answers& answers);
  bool give_to_model(const std::filesystem::path& path);
  void take_opened(Session session, const std::filesystem::path& path);
  void open_kept(const std::filesystem::path& path, CameFrom from, std::string shown);
  void take_kept(Session session, const std::filesystem::path& path, CameFrom from);

  Workspace& space_;
  Files& files_;
  Keeping& keeping_;
  Arriving& arriving_;
  ModelArriving& models_;
  const OpeningCalls& calls_;
  CameFrom opening_from_ = CameFrom::File;  // of the file that is being read
  Answers answers_;                         // to what the opened file may not tell
  bool wants_layer_ = false;                // a layer of it was asked for
  std::optional<DroppedFiles> dropped_;
};

}  // namespace attnscope
