// app/workspace: what all parts of the window work on, as one value without a window: the Document and the
// file it is of, how it is looked at, the result on screen, undo, and what computes. Each part holds a
// reference to it, owns what belongs to that part alone, and knows the parts below it. Belongs to the
// interface's thread.
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
#include "app/results/sight.hpp"
#include "app/state/history.hpp"
#include "app/state/selection.hpp"
#include "app/state/view_state.hpp"
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
  /// When it was opened or saved; nothing where there is none.
  const std::optional<std::filesystem::file_time_type>& time() const { return time_; }
  /// The Document is of this file from here on; the second as it was then.
  void follow(std::filesystem::path file);
  void follow(std::filesystem::path file, std::optional<std::filesystem::file_time_type> time);

 private:
  std::filesystem::path path_;
  std::optional<std::filesystem::file_time_type> time_;
};

/// When a file was written last; nothing where it is not there.
std::optional<std::filesystem::file_time_type> written_at(const std::filesystem::path&);

struct Workspace {
  /// `engine` outlives it; it computes on one of the backends.
  Workspace(const AppOptions&, LiveEngine& engine, std::vector<BackendChoice> choices);
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// How it is looked at, as far as undo covers it.
  Viewing viewing() const;
  /// Keeps inside what the shown result has. False: it looks at a difference that is not there.
  bool view_as(const Viewing&);
  void keep_selection_inside();
  /// What is looked at must be among the planes of the shown result; a look at the weights goes on at those
  /// that mix the values.
  void keep_plane_there();
  /// Nothing is switched by the result on screen: it was looked at like this.
  void nothing_is_switched();

  /// Whether the Document is not as it was opened or saved. Which layer of a model is looked at changes
  /// nothing that a file should keep.
  bool is_edited() const;
  Origin origin_now() const { return {file.path(), file.time(), original}; }
  /// What is on screen from here on was opened otherwise than what was there; null: it is not known.
  void stand_in(OriginPtr);
  /// Computes on another one of the backends from here on; one that is not there says why. A Document that is
  /// on its way is computed by it at once.
  void use_backend(std::size_t choice);
  /// Words in the language that the view names; what cannot be read is said once, in English.
  void speak_as_chosen();
  /// The newest good reading of the model that the Document stands in; null where there is none.
  ModelReadingPtr reading() const { return models.reading_of(document); }

  const std::filesystem::path assets,
      state;            // examples and languages; what is kept from run to run, or empty
  const bool attended;  // see AppOptions
  const std::function<void()> wake;
  std::vector<Example> examples;
  std::vector<Language> languages;
  Words words;
  std::string spoken{english};  // their language
  float display_scale = 1;      // of everything, the display's own

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
  Sight shown;                      // A; empty before the first result
  Stage was_used = Stage::Softmax;  // the weights that mixed the values in the result before
  HeadMaps head_maps;
  TextureCache textures;
  StrayTyping stray;                 // letters that no field takes
  std::size_t backend_switches = 0;  // so often another backend took over what is computed
};

}  // namespace attnscope
