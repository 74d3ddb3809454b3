// app/files/io: the one door for files: command line, menu, drop, and what was kept when a window was closed
// or through a crash.
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

/// Files that were dropped while something was typed: its field is left first, which takes a frame.
struct DroppedFiles {
  std::vector<std::filesystem::path> paths;
  bool was_sentence = false;  // that was typed
  bool is_left = false;       // the frame is drawn
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

  /// A session brings back how it was looked at, and B. What cannot be opened becomes a message; the Document
  /// stays. `layer` chooses one of a dump's; where another layer of that file is shown, it is looked at with
  /// the same settings in the same way. What the file does not say and `answers` do not is guessed, and a
  /// card asks. A large file is read behind the window: it is not settled until it is there.
  void open(const std::filesystem::path& path, std::string_view layer = {}, const Answers& answers = {});
  /// The same with what open_session() read of that file.
  void open(Session session, const std::filesystem::path& from, std::string_view layer = {},
            const Answers& answers = {});
  /// Of the first picture. Where it cannot be opened or its model cannot run, the next example is there
  /// instead, and it is said why.
  void open_first(const std::filesystem::path& opening);
  /// The model beside a stream that is watched, which it is compared with once it has run.
  void open_joined(const std::shared_ptr<const WatchJoin>& join);
  /// What was dropped on the window: the first is opened, and where there are more that is said. What is
  /// typed at that moment is taken first: a step that undo leads back to.
  void drop(const std::vector<std::filesystem::path>& paths);
  /// Opens what was open when the last program was killed, and says so; false when it was not.
  bool restore();
  /// Opens again what was closed with changes; an empty path: the last. It is this window's own from here on.
  void reopen(const std::filesystem::path& closed);
  /// Of a file, and of a model that would be shown when it has run.
  void stop();
  /// Takes a large file that has been read, or waits for it first; tells how far one is that is still read.
  void finish(bool wait);

  /// What was dropped while something was typed: the frame that leaves the field is drawn; it is opened then.
  bool has_dropped() const { return dropped_.has_value(); }
  void leave_field();
  void follow_dropped();

  /// A file is read, or a model runs.
  bool is_on_its_way() const { return files_.is_opening() || !models_.is_settled(); }
  /// What is on screen is not what it will be, and is not worth keeping.
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
  CameFrom opening_from_ = CameFrom::File;  // of what is read behind the window
  Answers answers_;                         // to what the file that is opened may not say
  bool wants_layer_ = false;                // one layer of it was asked for
  std::optional<DroppedFiles> dropped_;
};

}  // namespace attnscope
