// app/workspace: the state that all parts of the window share, without a window: the Document and its file,
// the view, the result on screen, undo, engine and backends. Each part holds a reference to it, owns its own
// state, and knows the parts below it. Used on the interface's thread alone.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/kit/draw/texture.hpp"
#include "app/kit/ui/stray_typing.hpp"
#include "app/kit/ui/words.hpp"
#include "app/lessons/library.hpp"
#include "app/results/backends.hpp"
#include "app/results/background_errors.hpp"
#include "app/results/head_maps.hpp"
#include "app/results/shown_result.hpp"
#include "app/state/history.hpp"
#include "app/state/selection.hpp"
#include "app/state/window_state.hpp"
#include "app/workspace/app_options.hpp"
#include "app/workspace/following.hpp"
#include "app/workspace/model_following.hpp"
#include "core/engine/live_engine.hpp"
#include "core/files/document/open.hpp"

namespace attnscope {

/// The file of the Document on screen.
class OwnFile {
 public:
  /// Where saving without a path writes; empty: nowhere yet.
  const std::filesystem::path& path() const { return path_; }
  /// The file's modification time when it was opened or saved; empty if there is no file.
  const std::optional<std::filesystem::file_time_type>& time() const { return time_; }
  /// From now on the Document belongs to this file; the second overload sets the given modification time.
  void follow(std::filesystem::path file);
  void follow(std::filesystem::path file, std::optional<std::filesystem::file_time_type> time);

 private:
  std::filesystem::path path_;
  std::optional<std::filesystem::file_time_type> time_;
};

/// A file's modification time; empty if there is no such file.
std::optional<std::filesystem::file_time_type> written_at(const std::filesystem::path&);

struct Workspace {
  /// `engine` must outlive the Workspace, and computes on one of the backends.
  Workspace(const AppOptions&, LiveEngine& engine, std::vector<BackendChoice> choices);
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// The part of the view that undo restores.
  Viewing viewing() const;
  /// Restores a view, moved inside the shown result. False: the view shows a difference that does not exist.
  bool view_as(const Viewing&);
  void keep_selection_inside();
  /// Chooses a plane that the shown result has. If weights are shown and another stage now mixes the values,
  /// shows that stage.
  void keep_plane_there();
  /// The result on screen does not switch the shown weights: its view was restored.
  void nothing_is_switched();

  /// Whether the Document differs from the opened or saved one. The choice of a model's layer is no
  /// difference.
  bool is_edited() const;
  Origin origin_now() const { return {file.path(), file.time(), original}; }
  /// What is on screen now has another origin, with its own file and original; null: unknown, nothing
  /// changes.
  void stand_in(OriginPtr);
  /// Switches to another backend; if it is not available, a notice says why. It also takes over the running
  /// computation.
  void use_backend(std::size_t choice);
  /// Loads the words of the view's language; if they cannot be read, a notice says so once, in English.
  void speak_as_chosen();
  /// The newest reading without an error of the Document's model; null if there is none.
  ModelReadingPtr reading() const { return models.reading_of(document); }

  const std::filesystem::path assets,
      state;            // examples and languages; what is kept from run to run, or empty
  const bool attended;  // see AppOptions
  const std::function<void()> wake;
  std::vector<Example> examples;
  std::vector<Language> languages;
  Words words;
  std::string spoken{english};  // their language
  float display_scale = 1;      // the display's own scale, of everything

  LiveEngine& engine;
  Backends backends;
  BackgroundErrors errors;
  Following following;
  ModelFollowing models;
  lessons::LessonLibrary lessons;

  Document document, original;  // original: as it was opened or saved
  OwnFile file;
  OriginPtr origin = std::make_shared<Origin>();  // of document
  History history;
  Selection selection;  // always inside the shown result
  ChosenPlace chosen;
  ViewState view;
  ShownResult shown;                // A; empty before the first result
  Stage was_used = Stage::Softmax;  // the stage of the weights that mixed the values in the previous result
  HeadMaps head_maps;
  TextureCache textures;
  StrayTyping stray;                 // letters typed while no field takes them
  std::size_t backend_switches = 0;  // how often another backend took over a computation
};

}  // namespace attnscope
