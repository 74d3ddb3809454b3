// app/files/io: files in the background: recent files, sessions that survive the end of the program, and
// reading and writing in progress.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/exports/drawn_picture.hpp"
#include "app/exports/model_export.hpp"
#include "app/session/closed.hpp"
#include "app/session/opening.hpp"
#include "app/session/recent.hpp"
#include "app/session/session_keeper.hpp"
#include "app/state/files_state.hpp"
#include "app/workspace/workspace.hpp"
#include "core/base/worker.hpp"

namespace attnscope {

class Files {
 public:
  /// `state`: the directory of what is kept from run to run; empty: nothing is kept.
  Files(std::filesystem::path assets, std::filesystem::path state);

  const std::filesystem::path& assets() const { return assets_; }
  const std::filesystem::path& state() const { return state_; }

  /// Whether it is a .json file that may be overwritten: not one of the examples.
  bool is_own_document(const std::filesystem::path& path) const;
  /// Adds to the recent files, unless it is an example.
  void remember(const std::filesystem::path& path);
  const Recent& recent() const { return recent_; }
  /// The question to ask before `to` is written, while the Document's file is `own`; empty if nothing would
  /// be lost.
  std::optional<OverwriteQuestion> question_before(const std::filesystem::path& to, const OwnFile& own) const;

  Closed& closed() { return closed_; }
  /// Keeps the session for a crash; null if nothing is kept.
  SessionKeeper* keeper() { return keeper_ ? &*keeper_ : nullptr; }
  const SessionKeeper* keeper() const { return keeper_ ? &*keeper_ : nullptr; }
  /// Keeps it from now on, if there is a state directory.
  void keep();

  /// Reads a file in the background, instead of one that is being read. `shown`: the name to show meanwhile;
  /// empty: the file's own.
  void begin_to_open(const std::filesystem::path& path, std::string_view layer, const ViewState& now,
                     std::string shown = {});
  /// Waits for a short file and returns its reading, once. Null for a long file, which is read in the
  /// background.
  std::unique_ptr<Opening> read_soon();
  void stop_opening() { opening_.reset(); }
  bool is_opening() const { return opening_ != nullptr; }
  /// The file being read, if it takes long enough to be shown; else empty.
  std::optional<FileOnItsWay> on_its_way() const;
  /// The finished reading, once; null before. `wait`: waits for its end.
  std::unique_ptr<Opening> opened(bool wait);

  /// Looks in the background for models that came with the program and, with `on_disk`, for those that other
  /// programs keep on the disk, unless it is already looking.
  void look_for_models(bool on_disk);
  bool is_looking() const { return looking_ != nullptr; }
  /// The models that were found, once.
  std::optional<std::vector<ModelPlace>> found_models();

  /// Writes a picture, a large one in the background.
  void write(DrawnPicture picture);
  static bool is_large(const DrawnPicture& picture);
  bool is_writing() const { return writing_ != nullptr; }
  /// The finished writing, once, with its message; null before. `wait`: waits for its end.
  std::shared_ptr<Task<std::string>> written(bool wait);

  /// Exports something of a model to a file in the background; one export at a time.
  void begin_export(ModelReadingPtr, const ModelExported&, const std::filesystem::path& to,
                    const SharedPool& pool);
  void stop_export();
  bool is_exporting() const { return export_ != nullptr; }
  /// Whether nothing is done in the background, except reading a file.
  bool is_settled() const { return !is_looking() && !is_writing() && !is_exporting(); }
  /// The export, if it takes long enough to be shown; else empty.
  std::optional<FileOnItsWay> export_on_its_way() const;
  /// The finished export, once; null before. `wait`: waits for its end.
  std::unique_ptr<ModelExport> exported(bool wait);

 private:
  std::filesystem::path assets_, state_;
  Recent recent_;
  Closed closed_;
  std::optional<SessionKeeper> keeper_;
  std::unique_ptr<Opening> opening_;
  std::string opening_shown_;
  std::shared_ptr<Task<std::vector<ModelPlace>>> looking_;
  Worker looker_;
  std::shared_ptr<Task<std::string>> writing_;
  Worker writer_;  // of large pictures
  std::unique_ptr<ModelExport> export_;
};

}  // namespace attnscope
