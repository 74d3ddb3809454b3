// app/files/io: the files behind the window: those that were open before, what survives the end of the
// program, and what is on its way in or out.
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
  /// `state`: the directory of what is kept from run to run; empty: nothing is.
  Files(std::filesystem::path assets, std::filesystem::path state);

  const std::filesystem::path& assets() const { return assets_; }
  const std::filesystem::path& state() const { return state_; }

  /// A document that may be written over: not one of the examples.
  bool is_own_document(const std::filesystem::path& path) const;
  /// Adds to the files that were open before, but none of the examples.
  void remember(const std::filesystem::path& path);
  const Recent& recent() const { return recent_; }
  /// What a person has to answer before `to` is written, while the Document is of the file `own`; empty when
  /// nothing is lost by it.
  std::optional<OverwriteQuestion> question_before(const std::filesystem::path& to, const OwnFile& own) const;

  Closed& closed() { return closed_; }
  /// What survives a crash; null where nothing does.
  SessionKeeper* keeper() { return keeper_ ? &*keeper_ : nullptr; }
  const SessionKeeper* keeper() const { return keeper_ ? &*keeper_ : nullptr; }
  /// Keeps it from here on, where there is a directory for it.
  void keep();

  /// A file is read behind the window, in place of one that is read already.
  /// `shown`: what it is called meanwhile, where that is not its name.
  void begin_to_open(const std::filesystem::path& path, std::string_view layer, const ViewState& now,
                     std::string shown = {});
  /// Waits for a short file: what was read of it, once. Null while a long one goes on behind the window.
  std::unique_ptr<Opening> read_soon();
  void stop_opening() { opening_.reset(); }
  bool is_opening() const { return opening_ != nullptr; }
  /// What is read, once it takes long enough to be shown; empty when nothing is.
  std::optional<FileOnItsWay> on_its_way() const;
  /// The reading that has come to its end, once; null while it goes on, unless `wait`.
  std::unique_ptr<Opening> opened(bool wait);

  /// Looks behind the window for models that came with the program and, where asked for, for those that other
  /// programs keep on the disk, unless it does so already.
  void look_for_models(bool on_disk);
  bool is_looking() const { return looking_ != nullptr; }
  /// What was found, once.
  std::optional<std::vector<ModelPlace>> found_models();

  /// Writes a picture: a large one behind the window.
  void write(DrawnPicture picture);
  static bool is_large(const DrawnPicture& picture);
  bool is_writing() const { return writing_ != nullptr; }
  /// The writing that has come to its end, once, with what is said of it; null while it goes on, unless
  /// `wait`.
  std::shared_ptr<Task<std::string>> written(bool wait);

  /// Makes something of a model for a file, behind the window; one at a time.
  void begin_export(ModelReadingPtr, const ModelExported&, const std::filesystem::path& to,
                    const SharedPool& pool);
  void stop_export();
  bool is_exporting() const { return export_ != nullptr; }
  /// Whether nothing goes on behind the window but the reading of a file.
  bool is_settled() const { return !is_looking() && !is_writing() && !is_exporting(); }
  /// The export, once it takes long enough to be shown; empty when there is none.
  std::optional<FileOnItsWay> export_on_its_way() const;
  /// The export that has come to its end, once; null while it goes on, unless `wait`.
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
