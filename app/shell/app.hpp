// app/shell: the whole interface as one object without a window: in each frame it draws itself, edits its
// Document and feeds the engine. The real window, `render` and the robot differ only in the source of frames
// and events. The App calls its parts in the order of a frame; they do the work and share one Workspace.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/files/io/file_parts.hpp"
#include "app/kit/ui/fonts.hpp"
#include "app/kit/ui/theme.hpp"
#include "app/scene/scene.hpp"
#include "app/shell/filming.hpp"
#include "app/shell/lesson_player.hpp"
#include "app/shell/lesson_training.hpp"
#include "app/shell/looking.hpp"
#include "app/shell/page.hpp"
#include "app/shell/showing.hpp"
#include "app/shell/shown_model.hpp"
#include "app/shell/still.hpp"
#include "app/shell/typed_words.hpp"
#include "app/shell/watching.hpp"
#include "app/state/requests.hpp"
#include "app/state/window_state.hpp"
#include "app/workspace/held.hpp"
#include "app/workspace/noticed.hpp"
#include "app/workspace/undo_steps.hpp"
#include "app/workspace/workspace.hpp"

namespace attnscope {

class PresentedView;
struct Layout;

class App {
 public:
  /// Opens the first picture's file. `engine` must outlive the App, and computes on one of the backends.
  App(AppOptions options, LiveEngine& engine, std::vector<BackendChoice> backends);
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  /// Draws one frame between ImGui::NewFrame and ImGui::Render, then submits the Document if it differs from
  /// the last one submitted.
  void frame(const Fonts& fonts);

  /// The parts, documented in their headers.
  FileParts& files() { return *files_; }
  const FileParts& files() const { return *files_; }
  Held& held() { return *held_; }
  const Held& held() const { return *held_; }
  LessonPlayer& lessons() { return lessons_; }
  const LessonPlayer& lessons() const { return lessons_; }
  Looking& looking() { return looking_; }
  Filming& filming() { return filming_; }
  /// The runs of the training page.
  const TrainingRuns& training() const { return training_.runs(); }

  /// The state that the parts share.
  Workspace& workspace() { return *space_; }
  const Document& document() const { return space_->document; }
  const Selection& selection() const { return space_->selection; }
  const ViewState& view() const { return space_->view; }
  ViewState& view() { return space_->view; }
  const TextureCache& textures() const { return space_->textures; }
  Words& words() { return space_->words; }
  /// The machine's backends.
  const Backends& backends() const { return space_->backends; }
  /// The message on the card at the lower edge; empty if there is none.
  std::string message() const { return space_->view.notices.text(); }
  /// The result on screen; null before the first.
  const ResultPtr& shown() const { return space_->shown.result; }
  /// The newest reading without an error of the Document's model, which may be of the previous text; null if
  /// there is none.
  ModelReadingPtr model() const { return space_->reading(); }
  const History& history() const { return space_->history; }

  /// Call it when the window closes: finishes writing, stops reading, keeps unsaved changes. Does nothing
  /// without a state directory.
  void close(const WindowShape& shape);
  /// "mine.json* — AttnScope"; the star means unsaved changes.
  std::string window_title() const;
  /// Shows three things to try beside the picture, unless they were done or closed in an earlier run.
  void offer_start();
  /// The display's own scale has changed: the interface is scaled along with it.
  void set_display_scale(float scale);

  /// Copies into the Still all data for a picture of the present screen, `scale` times as large.
  void prepare(Still& still, float scale) const;
  /// Draws the Still into the current Dear ImGui frame. `copy`: also records vectors there; may be null.
  void draw_still(const Fonts& fonts, Still& still, SvgCanvas* copy) const;
  /// The same with a page of all heads of the model, whose pictures are painted later; empty if no model is
  /// open.
  std::optional<GridPage> draw_page(const Fonts& fonts, Still& still, int token_pixels,
                                    SvgCanvas* copy) const;
  /// Waits for missing numbers of the results or of the model that the last frame asked for; false if none
  /// was missing.
  bool finish_numbers() const;
  /// Size of the last frame, in pixels.
  ImVec2 size() const { return last_frame_.size; }
  /// How long the interface's thread worked on a frame: nothing but drawing may take long.
  struct FrameSeconds {
    double before = 0;   // what has come, and what follows from where a person looks
    double drawing = 0;  // all widgets and pictures
    double behind = 0;   // what was asked for meanwhile, undo, what is submitted and kept
    double beside_drawing() const { return before + behind; }
  };
  struct LastFrame {
    ImVec2 size{};
    bool has_system_fonts = true;
    FrameSeconds seconds{};
    std::chrono::steady_clock::time_point at = std::chrono::steady_clock::now();

    /// Adds what has passed since the last call, or since the frame began, to a part of the seconds.
    void pass(double FrameSeconds::*part) {
      const auto now = std::chrono::steady_clock::now();
      seconds.*part += std::chrono::duration<double>(now - at).count();
      at = now;
    }
  };
  const LastFrame& last_frame() const { return last_frame_; }

  /// Seconds from the last frame until a time on screen changes; empty if none is shown.
  std::optional<double> clock_in() const;
  /// Seconds from the last frame until the picture changes by itself; empty if it does not.
  std::optional<double> changes_in() const;
  /// True while something on screen moves or is being computed: draw again soon. False: wait for an event.
  bool wants_frame() const;
  /// True once the whole picture shows the present Document (or a message says why it cannot) and no animated
  /// picture is being drawn.
  bool settled() const { return !filming_.is_on() && is_still(); }
  /// The same, but an animated picture may still be being drawn.
  bool is_still() const;

 private:
  OpeningCalls opening_calls();
  SavingCalls saving_calls();
  bool save_table(const std::filesystem::path& to) const;
  void take_arrivals();
  void follow_pages();
  void draw_shown(const Ui& ui, const Layout& layout, PresentedView& presented);
  void submit();
  void fulfil(const Requests& requests);
  /// Makes the Scene of the result on screen, which must exist; no other place makes one.
  struct Selections {
    Selection &now, &next;
  };
  Scene scene_of(const Ui& ui, Document& document, Selections selections, ViewState& view, Requests& requests,
                 const Layout& layout) const;

  // Each part is declared after those that it refers to.
  std::unique_ptr<Workspace> space_;
  std::unique_ptr<Held> held_;
  std::unique_ptr<FileParts> files_;
  LessonTraining training_;
  std::vector<std::unique_ptr<Page>> pages_;
  Looking looking_;
  ShownModel model_;
  LessonPlayer lessons_;
  Watching watching_;
  UndoSteps steps_;
  TypedWords typed_words_;
  Showing showing_;
  Filming filming_;
  Noticed noticed_;
  LastFrame last_frame_;
};

}  // namespace attnscope
