// app/shell: the whole interface as one object without a window: give it a frame, it draws itself, edits its
// Document and feeds the engine. The real window, `render` and the robot differ only in where the frames and
// events come from. The App has the order of a frame; what is done in it is done by its parts, which share
// one Workspace.
#pragma once

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
#include "app/workspace/held.hpp"
#include "app/workspace/noticed.hpp"
#include "app/workspace/undo_steps.hpp"
#include "app/workspace/workspace.hpp"

namespace attnscope {

class PresentedView;
struct Layout;

class App {
 public:
  /// Opens the first picture's file. `engine` outlives the App; it computes on one of the backends.
  App(AppOptions options, LiveEngine& engine, std::vector<BackendChoice> backends);
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  /// Draws one frame between ImGui::NewFrame and ImGui::Render, then submits the Document if it differs from
  /// the last one submitted.
  void frame(const Fonts& fonts);

  /// The parts: each says what it does.
  FileParts& files() { return *files_; }
  const FileParts& files() const { return *files_; }
  Held& held() { return *held_; }
  const Held& held() const { return *held_; }
  LessonPlayer& lessons() { return lessons_; }
  const LessonPlayer& lessons() const { return lessons_; }
  Looking& looking() { return looking_; }
  Filming& filming() { return filming_; }
  /// What trains on its page.
  const TrainingRuns& training() const { return training_.runs(); }

  /// What the parts share.
  Workspace& workspace() { return *space_; }
  const Document& document() const { return space_->document; }
  const Selection& selection() const { return space_->selection; }
  const ViewState& view() const { return space_->view; }
  ViewState& view() { return space_->view; }
  const TextureCache& textures() const { return space_->textures; }
  Words& words() { return space_->words; }
  /// The machine's backends.
  const Backends& backends() const { return space_->backends; }
  /// What the card at the lower edge says; empty when there is nothing to say.
  std::string message() const { return space_->view.notices.text(); }
  /// The result on screen; null before the first.
  const ResultPtr& shown() const { return space_->shown.result; }
  /// The newest good reading of the model that the Document stands in, which may be of the text before; null
  /// where there is none.
  ModelReadingPtr model() const { return space_->reading(); }
  const History& history() const { return space_->history; }

  /// The end of the window: nothing is on its way in or out any more, and what must not be lost is kept.
  void close(const WindowShape& shape);
  /// "mine.json* — AttnScope"; with a star what is not as it was opened or saved.
  std::string window_title() const;
  /// Shows three things to try beside the picture, unless they were done or put away in a run before.
  void offer_start();
  /// The display's own scale changed: everything keeps its size beside it.
  void set_display_scale(float scale);

  /// Copies into the Still what a picture of the screen as it is now is drawn from, so many times as large.
  void prepare(Still& still, float scale) const;
  /// Draws it into the current Dear ImGui frame. `copy`: as vectors, too.
  void draw_still(const Fonts& fonts, Still& still, SvgCanvas* copy) const;
  /// The same with a page of all heads of the model, whose pictures are painted later; nothing where no model
  /// is open.
  std::optional<GridPage> draw_page(const Fonts& fonts, Still& still, int token_pixels,
                                    SvgCanvas* copy) const;
  /// Waits for the numbers that what was drawn asked of the results, or of the model, and that were not
  /// there; false when all were.
  bool finish_numbers() const;
  /// Of the last frame, in pixels.
  ImVec2 size() const { return last_frame_.size; }
  bool has_system_fonts() const { return last_frame_.has_system_fonts; }

  /// In how many seconds, from the last frame on, a time that stands on screen changes; empty when none does.
  std::optional<double> clock_in() const;
  /// In how many seconds, from the last frame on, the picture changes by itself; empty when it does not.
  std::optional<double> changes_in() const;
  /// True while something on screen moves or is being computed: draw again soon. False: wait for an event.
  bool wants_frame() const;
  /// True once the whole picture shows the Document as it is now (or a message says why it cannot).
  bool settled() const { return !filming_.is_on() && is_still(); }
  /// The same, whether or not there is more of an animation to draw.
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
  /// What views are given of the result on screen, which must be there: the one place that makes a Scene.
  struct Selections {
    Selection &now, &next;
  };
  Scene scene_of(const Ui& ui, Document& document, Selections selections, ViewState& view, Requests& requests,
                 const Layout& layout) const;

  struct LastFrame {
    ImVec2 size{};
    bool has_system_fonts = true;
  };

  // A part stands behind those that it knows.
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
