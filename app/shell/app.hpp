// app/shell: the whole interface as one object without a window: give it a frame, it draws itself, edits its
// Document and feeds the engine. The real window, `render` and the robot differ only in where the frames and
// events come from.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/kit/draw/texture.hpp"
#include "app/kit/ui/fonts.hpp"
#include "app/kit/ui/stray_typing.hpp"
#include "app/kit/ui/theme.hpp"
#include "app/kit/ui/words.hpp"
#include "app/lessons/library.hpp"
#include "app/results/backends.hpp"
#include "app/results/background_errors.hpp"
#include "app/results/model_comparison.hpp"
#include "app/results/result_stats.hpp"
#include "app/results/tiles.hpp"
#include "app/scene/scene.hpp"
#include "app/session/look.hpp"
#include "app/session/session.hpp"
#include "app/shell/app_options.hpp"
#include "app/shell/before_letters.hpp"
#include "app/shell/comparison.hpp"
#include "app/shell/files.hpp"
#include "app/shell/following.hpp"
#include "app/shell/model_following.hpp"
#include "app/shell/noticed.hpp"
#include "app/shell/page.hpp"
#include "app/shell/replaced_text.hpp"
#include "app/shell/still.hpp"
#include "app/state/history.hpp"
#include "app/state/requests.hpp"
#include "app/state/selection.hpp"
#include "app/state/view_state.hpp"
#include "app/training/training_runs.hpp"
#include "core/edits/dump.hpp"
#include "core/engine/live_engine.hpp"
#include "core/files/document/open.hpp"

namespace attnscope {

struct Film;
struct HtmlLessonStep;
struct HtmlPage;
struct Layout;
class Watcher;

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

  /// The one door for files: command line, menu and drop. A session brings back how it was looked at, and B.
  /// What cannot be opened becomes a message; the Document stays. `layer` chooses one of a dump's; where
  /// another layer of that file is shown, it is looked at with the same settings in the same way. What the
  /// file does not say and `answers` do not is guessed, and a card asks. A large file is read behind the
  /// window: settled() is false until it is there.
  void open(const std::filesystem::path& path, std::string_view layer = {}, const Answers& answers = {});
  /// The same with what open_session() read of that file.
  void open(Session session, const std::filesystem::path& from, std::string_view layer = {},
            const Answers& answers = {});
  /// What was dropped on the window: the first is opened, and where there are more that is said. What is
  /// typed at that moment is taken first: a step that undo leads back to.
  void drop(const std::vector<std::filesystem::path>& paths);
  /// Takes a large file that has been read, or waits for it first; tells how far one is that is still read.
  void finish_opening(bool wait);
  /// Opens what was open when the last program was killed, and says so; false when it was not.
  bool restore();

  /// The end of the window: remembers how it looks, and keeps what was changed and is in no file. Says
  /// nothing; what cannot be kept is left for restore().
  void close(const WindowShape& shape);
  /// Offers to reopen what was closed last with changes, once.
  void offer_last();
  /// Opens again what was closed with changes; an empty path: the last. It is this window's own from here on.
  void reopen(const std::filesystem::path& closed);
  /// Blocks until what was closed is on disk.
  void finish_closing() { files_.closed().wait(); }
  /// "mine.json* — AttnScope"; with a star what is not as it was opened or saved.
  std::string window_title() const;
  bool is_edited() const;

  /// Shows that step of a lesson; what cannot be read is said.
  void show_step(const LessonRequest& wanted) { go_to_lesson(wanted); }
  /// Whether what is on screen is for a room, and whether it is a lesson, which has notes for its speaker.
  bool presents() const;
  bool presents_lesson() const;
  bool shows_speaker_notes() const;
  void hide_speaker_notes();
  /// Draws them into the current Dear ImGui frame, which is that of another window.
  void draw_speaker_notes(const Fonts& fonts, TextureCache& textures, float scale) const;
  /// The lesson that is open; null: none.
  lessons::OpenLessonPtr lesson() const { return lessons_.sight().open; }

  /// Shows three things to try beside the picture, unless they were done or put away in a run before.
  void offer_start();

  /// Writes the session as it is now, atomically; ".json" is added where the name has no ending. An empty
  /// path means the file it was last saved to, or opened from when that was a document of the person's own.
  /// Other endings export what is on screen: numbers, see export.hpp, or the window as a picture. Success and
  /// failure are said in a message; nothing is lost: before another file is written over, a card asks,
  /// unless `replace` says that it has.
  void save(const std::filesystem::path& path, bool replace = false);
  /// Saves a picture of the window or of one region, drawn anew at its own size; the window stays as it is. A
  /// large one is written behind the scenes: settled() is false meanwhile.
  void save_picture(const PictureRequest&, bool replace = false);
  /// What is on screen, the given layers or steps of the lesson as one HTML file that carries its session,
  /// made on any thread; models are named from `to`'s folder. Throws Error for what cannot be shown so.
  std::shared_ptr<HtmlJob> html_job(const std::filesystem::path& to,
                                    std::shared_ptr<const HtmlPage> layers = {}) const;
  std::shared_ptr<HtmlJob> html_lesson_job(std::vector<HtmlLessonStep>, const std::filesystem::path&) const;
  /// Tells what became of a picture that was written behind the scenes, or waits for it first.
  void finish_picture(bool wait);
  /// Tells what became of what was made of a model for a file, or waits for it first; tells how far it is.
  void finish_export(bool wait);
  /// Draws the values of a sweep or the steps of a lesson one after the other, and writes an animated picture
  /// or pages of them when all were on screen; settled() is false meanwhile. A person who changes something
  /// else stops it. Throws Error for what cannot be drawn like this.
  void begin_film(const PictureRequest&);
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
  ImVec2 size() const { return size_; }
  bool has_system_fonts() const { return system_fonts_; }

  /// In how many seconds, from the last frame on, another one is due though nothing happened; empty: none.
  std::optional<double> frame_in() const { return view_.notices.leaves_in(); }
  /// In how many seconds, from the last frame on, keep_now() should be called; empty when nothing waits.
  std::optional<double> keep_in() const;
  /// In how many seconds, from the last frame on, a time that stands on screen changes; empty when none does.
  std::optional<double> clock_in() const;
  /// Writes what a crash must not take.
  void keep_now();
  /// What survives a crash; null where nothing does.
  SessionKeeper* keeper() { return files_.keeper(); }

  /// Chooses a head and a cell and zooms until so many queries and keys round it are in sight. There must be
  /// a shown result; throws Error for what it does not have.
  void look_at(const Spot& spot);

  /// What is on screen becomes B; B and it change places; nothing is held any more.
  void hold();
  void swap_with_held();
  void release_held();

  /// The machine's backends, and computing on another one from here on; one that is not there says why.
  const Backends& backends() const { return *backends_; }
  /// What trains on its page.
  const TrainingRuns& training() const { return *training_; }
  void use_backend(std::size_t choice);

  /// In how many seconds, from the last frame on, the picture changes by itself; empty when it does not.
  std::optional<double> changes_in() const;

  /// True while something on screen moves or is being computed: draw again soon. False: wait for an event.
  bool wants_frame() const;
  /// True once the whole picture shows the Document as it is now (or a message says why it cannot).
  bool settled() const { return !film_ && is_still(); }
  void set_scale(float scale) { view_.scale = scale; }
  /// The display's own changed: everything keeps its size beside it.
  void set_display_scale(float scale);

  const Document& document() const { return document_; }
  const Selection& selection() const { return selection_; }
  const ViewState& view() const { return view_; }
  ViewState& view() { return view_; }
  const TextureCache& textures() const { return textures_; }
  Words& words() { return words_; }
  /// What the card at the lower edge says; empty when there is nothing to say.
  std::string message() const { return view_.notices.text(); }
  /// The result on screen; null before the first.
  const ResultPtr& shown() const { return shown_.result; }
  /// The newest good reading of the model that the Document stands in, which may be of the text before; null
  /// where there is none.
  ModelReadingPtr model() const { return models_.reading_of(document_); }
  /// B, when something is held.
  const std::optional<HeldSight>& held() const { return comparison_.held(); }
  /// The model that B stands in, and how far what is shown is from it; null where there is none.
  const HeldModel* held_model() const { return model_b_.held(); }
  /// How it is looked at, as far as undo covers it.
  Viewing viewing() const;
  const History& history() const { return history_; }

 private:
  /// The same, whether or not there is more of an animation to draw.
  bool is_still() const;
  /// The Document is another one. `is_text`: it was opened from a text.
  void take(Session session, const std::filesystem::path& file, bool is_text = false);
  void open_first(const std::filesystem::path& opening);
  void begin_opening(std::string_view layer, const Answers& answers);
  void stop_opening();
  void take_opened(Session session, const std::filesystem::path& path);
  bool give_to_model(const std::filesystem::path& path);
  void follow_dropped();
  bool is_typing() const;
  void end_typing();
  /// Where a session comes from: a file that a person opens, or what this program kept, when it was closed or
  /// through a crash. What was kept stays where it is until it is on screen.
  enum class Kept : std::uint8_t { No, Closed, Crash };
  struct ModelArrival;
  void open_kept(const std::filesystem::path& path, Kept from, std::string shown);
  void take_kept(Session session, const std::filesystem::path& path, Kept from);
  void tell_of_kept(const std::filesystem::path& path, Kept from, const std::string& damage);
  void say_why_not(const std::string& why, Kept from);
  void keep_for_later(Kept from);
  void await_model(ModelArrival arrival);
  void keep_text(Session& session) const;
  void take_readings();
  void take_model(ModelArrival arrival);
  ModelWants model_wants() const;
  std::optional<std::int64_t> predicted_row() const;
  Shown::RunningTask model_task() const;
  void choose_in_model();
  void go_to_lesson(const LessonRequest&);
  bool show_lesson_step(const LessonRequest&);
  void show_step_document(const Document& wanted, bool begins);
  void want_lesson_model();
  void follow_lesson_model();
  const lessons::Step* model_step() const;
  const lessons::Step* training_step() const;
  void stand_at_step();
  void leave_trained_step();
  void show_trained_step_again();
  void give_training_back();
  void watch_lesson(Mode before, bool by_history);
  void show_step_again();
  void leave_page();
  void follow_training();
  void follow_watch();
  void open_watched_layer();
  void open_watched_model();
  void read_as_watched(Session&) const;
  void look_as_watched();
  bool give_to_watch(const std::filesystem::path& path);
  void take_made(MadeDocument made);
  void hold_of_step(const std::optional<Document>& held);
  void settle_model(const Document& before);
  bool is_layer_of_shown(const std::filesystem::path& path) const;
  void take_layer(Document layer);
  void settle_guesses(const Answers& before);
  void tell_of_text();
  void keep_closed();
  void list_recent();
  bool may_write(const std::filesystem::path& to, bool replace, const PictureRequest* picture);
  bool export_to(const std::filesystem::path& to);
  void save_html(PictureRequest request);
  void begin_html(std::shared_ptr<HtmlJob>, const std::filesystem::path& to);
  std::string session_for_page(const std::filesystem::path& to) const;
  void follow_film();
  void stop_film();
  void end_film();
  void put_in_film(double value);
  void draw_into_film();
  bool is_film_undisturbed() const;
  std::optional<FileOnItsWay> film_on_its_way() const;
  Autosave::State state_now(double seconds) const;
  void speak_as_chosen();
  bool can_be_held();
  void take_held();
  void take_held_model();
  std::optional<HeldThen> held_now() const;
  bool expects_held() const { return comparison_.is_expecting() || model_b_.is_expecting(); }
  void drop_held();
  void compare_models();
  void expect_held(Document held, double age);
  bool take_moved_held(const Session& opened);
  void show(const ResultPtr& good);
  void take_arrival();
  void look_as_opened(Looks looks);
  void keep(double seconds);
  SessionKeeper::Now now(double seconds) const;
  void take_results();
  void tell_of_backends(const Result& newest);
  void choose_first_cell();
  void choose_in_long();
  void keep_selection_inside();
  void keep_plane_there();
  void record_moment();

  using Before = BeforeLetters;
  void watch_letters();
  void begin_words();
  void take_words();
  void type_words(std::string_view text);
  void paste_words();
  void tell_lost_cache(const Input& before);
  void take_back(Before);
  bool has_sentence_in_sight() const;
  void step_in_history(int way);
  Origin origin_now() const;
  void stand_in(OriginPtr);
  bool has_model_behind() const;
  void go_back_to_model();
  void bring_back(Document said);
  void bring_back_held(const HeldThenPtr&);
  bool view_as(const Viewing&);
  void view_when_computed();
  void observe_history();
  void fulfil(const Requests& requests);
  /// What views are given of the result on screen, which must be there: the one place that makes a Scene.
  struct Selections {
    Selection &now, &next;
  };
  Scene scene_of(const Ui& ui, Document& document, Selections selections, ViewState& view, Requests& requests,
                 const Layout& layout) const;

  /// A Document that was opened and whose first good result is still to come.
  struct Arrival {
    std::optional<Looks> looks;  // how it will be looked at then
    bool is_text = false;        // what opening it changed is said then
  };

  /// A session in a model that was opened and has not been run yet.
  struct ModelArrival {
    Session session;
    std::filesystem::path path;
    Kept from = Kept::No;
    bool of_lesson = false;  // a step of the lesson that is open: it is shown in the lesson
  };

  LiveEngine& engine_;
  ModelFollowing models_;
  std::optional<ModelArrival> model_arrival_;
  std::optional<ModelArrival> asks_for_model_;  // a session whose model has moved: until it is opened
  lessons::LessonLibrary lessons_;
  lessons::LessonModels lesson_models_;             // of the lesson that is open
  std::pair<std::string, std::int64_t> held_step_;  // whose B is held
  std::pair<std::string, std::int64_t> undone_to_;  // undo brought B back with it
  std::vector<Example> examples_;
  std::vector<Language> languages_;
  Words words_;
  std::string spoken_{english};   // the language of words_
  Document document_, original_;  // original_: as it was opened or saved
  Files files_;
  Kept opening_from_ = Kept::No;  // of what is read behind the window
  Following following_;
  std::optional<Arrival> arrival_;
  History history_;
  OriginPtr origin_ = std::make_shared<Origin>(), held_origin_;  // of document_; of B, where it was held here
  StrayTyping stray_;
  std::optional<Before> before_;  // before the letters that are being typed
  std::optional<DroppedFiles> dropped_;
  std::optional<ComingStep> coming_;
  Noticed noticed_;
  Selection selection_;  // always inside the shown result
  ChosenPlace chosen_;
  ViewState view_;
  TextureCache textures_;
  std::unique_ptr<TrainingRuns> training_;
  std::vector<std::unique_ptr<Page>> pages_;
  std::unique_ptr<Watcher> watcher_;  // made when the Watch page is first shown
  std::function<void()> wake_;
  /// Before a lesson that trains began, empty where none is open; of free play, the step's as it was left.
  std::optional<StoredRuns> own_training_, left_training_;
  std::unique_ptr<Backends> backends_;
  // Behind it: they compute with its pool.
  BackgroundErrors errors_{backends_->pool()};
  std::unique_ptr<HeadMaps> head_maps_ = std::make_unique<HeadMaps>(backends_->pool());
  std::string backend_note_, model_backend_note_;  // of the newest result and reading; said when they change
  std::unique_ptr<Film> film_;                     // that is being drawn; null: none
  Sight shown_;                                    // A; empty before the first result
  Comparison comparison_;                          // B
  ModelComparison model_b_;                        // the model that B stands in
  std::optional<HeldArrival> asks_for_held_;       // B of a model that has moved: until it is opened
  TextInSight text_in_sight_;
  Cell rested_on_;                   // the locked cell, or the last one that was not in passing
  Stage was_used_ = Stage::Softmax;  // the weights that mixed the values in the result before
  Look look_;                        // as it was read
  float display_scale_ = 1;
  std::string first_language_;  // of this run
  Answers answers_;             // to what the file that is opened may not say
  bool wants_layer_ = false;    // one layer of it was asked for
  bool attended_ = true;        // see AppOptions
  bool untouched_ = true;       // nothing but the first picture's file was opened
  ImVec2 size_{};
  bool system_fonts_ = true;
};

}  // namespace attnscope
