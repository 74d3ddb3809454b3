// app: the whole interface as one object without a window: give it a frame, it draws itself, edits its
// Document and feeds the engine. The real window, `render` and the robot differ only in where the frames and
// events come from.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/draw/texture.hpp"
#include "app/fonts.hpp"
#include "app/history.hpp"
#include "app/result_stats.hpp"
#include "app/selection.hpp"
#include "app/theme.hpp"
#include "app/view_state.hpp"
#include "core/files/open.hpp"
#include "core/live_engine.hpp"

namespace attnscope {

struct Layout;
struct Scene;
class Ui;

struct AppOptions {
  std::filesystem::path assets;  // examples
  ThemeName theme = ThemeName::Dark;
  float scale = 1;  // of everything; the display's own scale
};

class App {
 public:
  /// Opens the first example. `engine` outlives the App; `backend_note` says why the CPU computes, for a
  /// tooltip.
  App(AppOptions options, LiveEngine& engine, std::string backend_note);
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  /// Draws one frame between ImGui::NewFrame and ImGui::Render, then submits the Document if it differs from
  /// the last one submitted.
  void frame(const Fonts& fonts);

  /// The one door for files: command line, menu and drop. What cannot be opened becomes a message; the
  /// Document stays.
  void open(const std::filesystem::path& path);

  /// Writes the Document as it is now, atomically; ".json" is added where the name has no ending. An empty
  /// path means the file it was last saved to, or opened from when that was a document of the person's own.
  /// Other endings export numbers of the picture on screen, see export.hpp. Success and failure are told in a
  /// message; nothing is lost.
  void save(const std::filesystem::path& path);

  /// True while something on screen still moves or is being computed: draw again soon. False: wait for an
  /// event.
  bool wants_frame() const;
  /// True once the whole picture shows the Document as it is now (or a message says why it cannot).
  bool settled() const;
  void set_scale(float scale) { view_.scale = scale; }

  const Document& document() const { return document_; }
  const Selection& selection() const { return selection_; }
  const ViewState& view() const { return view_; }
  ViewState& view() { return view_; }
  const TextureCache& textures() const { return textures_; }
  /// What the message card says; empty when there is nothing to say.
  const std::string& message() const { return view_.message; }
  /// The result on screen; null before the first.
  const ResultPtr& shown() const { return shown_; }

 private:
  /// A document that save() may overwrite: not one of the examples.
  bool is_own_document(const std::filesystem::path& path) const;
  void take_results();
  void choose_first_cell();
  void keep_selection_inside();
  void keep_plane_there();
  void record_moment();
  void draw_regions(Scene& scene, const Layout& layout);
  void draw_message(const Ui& ui, const Layout& layout);
  void submit_if_changed();

  LiveEngine& engine_;
  std::vector<Example> examples_;
  Document document_;
  Document original_;           // as it was opened or saved
  std::filesystem::path file_;  // where save() without a path writes; empty = nowhere yet
  std::filesystem::path assets_;
  Document submitted_;
  History history_;
  Selection selection_;  // always inside the shown result
  Cell wanted_cell_;     // what a person chose: found again when a text that was retyped is long enough
  ViewState view_;
  TextureCache textures_;
  ResultPtr shown_;
  std::unique_ptr<ResultStats> stats_;
  std::uint64_t submitted_ticket_ = 0, seen_ticket_ = 0;
  bool was_linear_ = false;  // the result before used linear attention
  bool opened_ = false;      // a Document was opened and its first result is still to come
};

}  // namespace attnscope
