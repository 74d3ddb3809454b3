#include "app/shell/app.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "app/kit/widgets/resting_mouse.hpp"
#include "app/results/many_texts.hpp"
#include "app/scene/actions.hpp"
#include "app/shell/film.hpp"
#include "app/shell/regions.hpp"
#include "app/state/files_state.hpp"
#include "app/state/focus_state.hpp"
#include "app/state/heads_state.hpp"
#include "app/state/start_state.hpp"
#include "app/state/teaching/lesson_state.hpp"
#include "app/state/teaching/presenter_state.hpp"
#include "app/state/walk_state.hpp"
#include "app/state/watch/watch_state.hpp"
#include "app/training/lab_state.hpp"
#include "app/views/files/files.hpp"
#include "app/views/model/why.hpp"
#include "app/views/presenter/presenter.hpp"
#include "app/views/start/start.hpp"
#include "app/watch/watcher.hpp"
#include "core/base/error.hpp"
#include "core/edits/within.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

/// Dear ImGui's one window, as large as the screen; what is drawn while it lives is in it.
class WholeWindow {
 public:
  explicit WholeWindow(const Ui& ui) {
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, ui.theme.panel);
    ImGui::PushStyleColor(ImGuiCol_ScrollbarBg, 0);
    ImGui::PushStyleColor(ImGuiCol_ScrollbarGrab, ui.theme.border);
    ImGui::Begin("AttnScope", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse);
  }
  WholeWindow(const WholeWindow&) = delete;
  WholeWindow& operator=(const WholeWindow&) = delete;
  ~WholeWindow() {
    ImGui::End();
    ImGui::PopStyleColor(3);
    ImGui::PopStyleVar(2);
  }
};

Selection without_hovers(Selection selection) {
  selection.hovered_head.reset();
  selection.hovered_cell.reset();
  selection.hovered_token.reset();
  selection.hovered_stack.reset();
  return selection;
}

/// Where the regions stand. Other tokens as keys take a line of the strip of their own.
Layout layout_of(const Document& document, const ResultPtr& shown, const ViewState& view) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  if (view.presenter->on) return presented_layout(view, size);
  if (is_watching(view)) return compute_layout(size.x, size.y, view, 1);
  const std::size_t lines = std::max<std::size_t>(
      {document.input.sequences.size(), typed_texts(document), shown && is_cross(shown->layer()) ? 2u : 1u});
  const Layout usual = compute_layout(size.x, size.y, view, lines);
  if (shown && is_start_shown(view, shown->layer())) return with_start(usual, view);
  return shown && shown->layer().is_long() ? long_layout(usual) : usual;
}

/// Waits for what was asked of its numbers and tiles; false when all of it was there.
bool finish(const Sight& sight) {
  bool waited = sight.stats && sight.stats->finish();
  for (; sight.tiles && sight.tiles->is_busy(); waited = true)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return waited;
}

}  // namespace

App::App(AppOptions options, LiveEngine& engine, std::vector<BackendChoice> backends)
    : engine_(engine),
      models_(options.wake, options.pool),
      lessons_(options.assets, options.fresh ? std::filesystem::path() : options.state),
      lesson_models_(options.assets),
      languages_(list_languages(options.assets)),
      files_(options.assets, options.state),
      following_(engine),
      training_(std::make_unique<TrainingRuns>(options.wake, options.pool)),
      pages_(make_pages({options.wake, training_.get()})),
      wake_(options.wake),
      backends_(std::make_unique<Backends>(std::move(backends), options.pool)),
      model_b_(options.wake, options.pool),
      look_(options.fresh ? Look{} : read_look(options.state)),
      display_scale_(options.scale),
      attended_(options.attended) {
  if (const auto by = backends_->find(engine.backend()->name()))
    models_.compute_with(backends_->choices()[*by].rows);
  lab_of(view_).models =
      (files_.state().empty() ? std::filesystem::temp_directory_path() / "attnscope" : files_.state()) /
      "trained";
  lessons_.show_model(lesson_models_.sight());
  view_.lesson->next_order = options.lesson_seed;
  view_.theme = options.theme;
  if (look_.is_known) adopt_look(view_, look_.view);
  view_.scale = options.scale * look_.size;
  view_.language = look_.language && !options.language_is_asked_for ? *look_.language : options.language;
  first_language_ = view_.language;
  view_.files->dialog.folder = look_.folder;
  try {
    examples_ = list_examples(options.assets);
    if (examples_.empty())
      throw Error("There is no example in " + in_quotes(options.assets.native()) +
                  "; drop a file on the window instead.");
    open_first(options.opening);
  } catch (const std::exception& error) {
    view_.notices.say(error.what());
  }
  untouched_ = true;
  list_recent();
  files_.keep();
  if (files_.keeper() == nullptr) return;
  if (const std::string trouble = files_.keeper()->autosave().trouble(); !trouble.empty())
    view_.notices.say(trouble);
}

App::~App() = default;

bool App::finish_numbers() const {
  if (lesson_models_.is_busy()) lesson_models_.wait();
  for (const auto& page : pages_) page->wait();
  if (!models_.is_complete()) models_.engine().wait_idle();
  if (!model_b_.is_settled()) model_b_.wait_idle();
  bool waited = finish(shown_);
  if (comparison_.held()) waited |= finish(*comparison_.held());
  return head_maps_->finish() || waited;
}

bool App::is_still() const {
  const bool reads = dropped_ || files_.is_opening() || view_.files->dialog.reading.is_reading();
  if (model_arrival_ || !models_.is_up_to_date(document_) || !models_.is_complete()) return false;
  if (!model_b_.is_settled() || head_maps_->is_computing() || (watcher_ && watcher_->is_busy())) return false;
  if (reads || files_.is_looking() || files_.is_writing() || files_.is_exporting() ||
      backends_->is_comparing() || comparison_.is_expecting() || is_running(view_.model->many.texts))
    return false;
  if (std::ranges::any_of(pages_, [](const auto& page) { return !page->is_settled(); })) return false;
  if (lab_of(view_).playing) return false;
  if (shown_.is_busy() || (comparison_.held() && comparison_.held()->is_busy())) return false;
  if (shown_.result && !shown_.result->layer().is_complete() && engine_.busy()) return false;
  return following_.is_up_to_date(document_) && textures_.postponed() == 0 && !lesson_models_.is_busy();
}

/// What a session held is there: it becomes B.
void App::take_held() {
  take_held_model();
  std::string trouble;
  const bool is_there = comparison_.take(engine_, errors_, *backends_, ImGui::GetTime(), trouble);
  if (!trouble.empty()) view_.notices.say(trouble);
  if (is_there && shown_.stats) shown_.stats->compare_with(comparison_.result());
}

void App::take_results() {
  const ResultPtr newest = following_.news();
  // A session appears with its B, unless what is shown is long itself and still refined.
  if (newest && arrival_ && newest->is_complete() && comparison_.is_waiting(engine_)) return;
  take_held();
  if (!newest) return;
  following_.see(*newest);
  const ResultPtr good = engine_.latest_good();
  // A refinement that was cancelled, or another backend that failed, leaves the picture as it is: of this
  // document.
  const bool is_stale = !good || !(good->document == newest->document);
  view_.refusal = is_stale ? newest->error : std::string();
  view_.notices.say(Notice::Source::Engine, newest->error);  // none: what it complained of is gone
  tell_of_backends(*newest);
  if (!good || good == shown_.result) return;
  show(good);
  if (arrival_ && newest == good) take_arrival();
  keep_selection_inside();
  keep_plane_there();
}

void App::show(const ResultPtr& good) {
  ResultPtr before = shown_.result;
  const bool is_other_text = text_in_sight_.takes(before ? &before->document : nullptr, good->document);
  if (is_other_text && before->layer().dimensions.keys != good->layer().dimensions.keys)
    see_as_a_whole(*view_.focus, before->layer(), good->layer(), selection_.head);
  shown_.show(good, errors_, *backends_);
  backends_->note(*good);
  shown_.stats->compare_with(comparison_.result());
  const bool was_long = before && before->layer().is_long();
  if (before) engine_.give_back(std::move(before));
  if (comparison_.held() && view_.notices.empty() && was_long != good->layer().is_long() &&
      !comparison_.beside(good))
    view_.notices.say(
        "A long sequence and a short one cannot be compared: what is held waits until both are long or both "
        "short.");
}

/// The first result of what was opened.
void App::take_arrival() {
  Arrival arrival = *std::exchange(arrival_, std::nullopt);
  if (arrival.looks) return look_as_opened(std::move(*arrival.looks));
  choose_first_cell();
  chosen_ = place_of(selection_);
  if (arrival.is_text) tell_of_text();
}

/// Which backend took over and why stays on screen until it is dismissed or no longer true.
void App::tell_of_backends(const Result& newest) {
  if (!newest.error.empty() || newest.backend_note == backend_note_) return;
  backend_note_ = newest.backend_note;
  view_.notices.say(Notice::Source::Backend, backend_note_);
}

Scene App::scene_of(const Ui& ui, Document& document, Selections selections, ViewState& view,
                    Requests& requests, const Layout& layout) const {
  const Shown shown{.ui = ui,
                    .run = *shown_.result,
                    .result = shown_.result->layer(),
                    .selected = selections.now,
                    .stats = *shown_.stats,
                    .head_maps = *head_maps_,
                    .tiles = shown_.tiles.get(),
                    .held = comparison_.beside(shown_.result),
                    .held_tiles = comparison_.held() ? comparison_.held()->tiles.get() : nullptr,
                    .model = models_.shown_of(document),
                    .held_model = model_b_.held(),
                    .model_task = model_task(),
                    .lesson = &lessons_.sight(),
                    .pages = pages_,
                    .examples = examples_,
                    .languages = languages_,
                    .compact = layout.compact,
                    .edited = is_edited()};
  return {shown,
          {document, selections.now, selections.next, view, requests, engine_, *backends_, training_.get()}};
}

void App::frame(const Fonts& fonts) {
  const ImGuiIO& io = ImGui::GetIO();
  size_ = io.DisplaySize;
  system_fonts_ = fonts.system;
  view_.now += std::min(0.1, static_cast<double>(io.DeltaTime));
  view_.hint.clear();
  const Viewing before = viewing();
  view_.files->file = files_.path();
  take_readings();
  take_results();
  if (shown_.stats) shown_.stats->begin_frame();
  head_maps_->begin_frame();
  if (comparison_.held()) comparison_.held()->stats->begin_frame();
  compare_models();
  view_when_computed();
  if (!film_) history_.follow(what_is_said(document_), before, viewing());
  finish_picture(false);
  finish_export(false);
  finish_opening(false);
  follow_dropped();
  if (shown_.result) record_moment();
  speak_as_chosen();
  // The palette finds lessons as well.
  if (view_.mode == Mode::Lessons || !view_.lesson->name.empty() || !view_.palette_text.empty())
    lessons_.follow(view_.lesson->name, view_.language);
  follow_lesson_model();
  for (const auto& page : pages_) page->follow(view_);
  follow_training();
  follow_watch();
  if (shown_.result) watch_letters();

  {
    PresentedView presented(view_, size_);
    const Ui ui(theme(view_.theme), fonts, textures_, view_.scale,
                {.words = &words_, .sought = &view_.keyboard.sought, .leaves_field = dropped_.has_value()});
    const Layout layout = layout_of(document_, shown_.result, view_);
    const WholeWindow window(ui);
    if (shown_.result) {
      Selection next = without_hovers(selection_);
      Requests requests;
      Scene scene = scene_of(ui, document_, {selection_, next}, view_, requests, layout);
      go_to_found(scene);
      const Document document_before = document_;
      const Mode mode_before = view_.mode;
      const std::optional<Viewing> before_step =
          view_.lesson->look_due ? std::optional(viewing()) : std::nullopt;
      const Guesses guesses = document_.input.given().guesses;
      const Answers answers{document_.layer().masking.causal, document_.layer().positions};
      if (view_.parity && (shown_.result->layer().is_complete() || !engine_.busy()))
        backends_->compare(shown_.result);
      watch_start(scene);
      const bool menu_waits = view_.heads->menu_opens;
      run_keyboard(scene);
      draw_help(scene);
      if (view_.presenter->on) take_presenter_mouse(scene, layout);
      draw_regions(scene, layout);
      if (view_.presenter->on) draw_presenter(scene, layout);
      if (menu_waits) view_.heads->menu_opens = false;  // there is no room for the heads, and no menu of one
      draw_timings(scene, layout.top);
      draw_parity(scene, layout.top);
      draw_palette(scene);
      draw_file_dialog(scene, layout);
      draw_overwrite_question(scene);
      tick_start(scene);
      draw_dump_question(scene, layout);
      if (guesses.any() && guesses == document_.input.given().guesses) settle_guesses(answers);
      settle_model(document_before);
      presented.end();
      if (is_mouse_resting()) next.hovered_cell.reset();
      chosen_.follow(selection_, next);
      selection_ = kept_inside(next, shown_.result->layer().dimensions);
      if (selection_.locked || !selection_.hovered_cell) rested_on_ = selection_.cell;
      // A step of a lesson is looked at as it says: that is no step of undo.
      if (before_step && !view_.lesson->look_due)
        history_.follow(what_is_said(document_), *before_step, viewing());
      fulfil(requests);
      watch_lesson(mode_before, requests.history != 0);
    }
    if (!film_) noticed_.follow(view_.notices, document_, view_.focus->log);
    if (draw_message(ui, layout, view_)) reopen({});
    draw_sought(ui, view_.keyboard.sought);
  }
  textures_.end_frame();
  for (Tiles* tiles : {shown_.tiles.get(), comparison_.held() ? comparison_.held()->tiles.get() : nullptr}) {
    if (tiles == nullptr) continue;
    tiles->end_frame();
    if (std::string error = tiles->take_error(); !error.empty()) view_.notices.say(std::move(error));
  }
  if (std::exchange(view_.start->changed, false)) write_start(files_.state(), *view_.start);
  if (!film_) observe_history();
  if (dropped_) dropped_->is_left = true;
  follow_film();
  if (!model_arrival_) models_.follow(document_, model_wants());
  following_.follow(document_);
  if (!film_) keep(ImGui::GetTime());
}

void App::draw_still(const Fonts& fonts, Still& still, SvgCanvas* copy) const {
  const PresentedView presented(still.view, ImGui::GetIO().DisplaySize);
  const Ui ui(theme(still.view.theme), fonts, still.textures, still.view.scale,
              {copy, still.figure, &words_});
  still.layout = layout_of(still.document, shown_.result, still.view);
  {
    const WholeWindow window(ui);
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    if (copy) ui.fill({0, 0, size.x, size.y}, ui.theme.panel);  // on the screen it is the window's own colour
    Selection next = still.selection;
    Requests requests;  // a still picture has no answers to them
    if (shown_.result) {
      Scene scene = scene_of(ui, still.document, {still.selection, next}, still.view, requests, still.layout);
      scene.edited = still.edited;
      draw_help(scene);
      draw_regions(scene, still.layout);
      if (still.view.presenter->on) draw_presenter(scene, still.layout);
      draw_timings(scene, still.layout.top);
      draw_parity(scene, still.layout.top);
    }
  }
  still.textures.end_frame();
}

std::optional<GridPage> App::draw_page(const Fonts& fonts, Still& still, int token_pixels,
                                       SvgCanvas* copy) const {
  const Ui ui(theme(still.view.theme), fonts, still.textures, still.view.scale, {copy, true, &words_});
  std::optional<GridPage> page;
  {
    const WholeWindow window(ui);
    Selection next = still.selection;
    Requests requests;
    if (shown_.result) {
      Scene scene = scene_of(ui, still.document, {still.selection, next}, still.view, requests, still.layout);
      if (scene.model != nullptr && scene.model->run) page = draw_grid_page(scene, token_pixels);
    }
  }
  still.textures.end_frame();
  return page;
}

void App::prepare(Still& still, float scale) const {
  still.document = document_;
  still.selection = without_hovers(selection_);
  still.view = view_;
  still.view.scale *= scale;
  still.view.notices.clear();
  still.view.start->open = false;
  if (film_) still.view.files->exporting.reset();
  still.view.keyboard = {};
  still.view.keyboard.sentence.first = view_.keyboard.sentence.first;
  still.view.keyboard.sentence.followed = view_.keyboard.sentence.followed;
  still.edited = is_edited();
}

}  // namespace attnscope
