#include "app/shell/app.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "app/kit/ui/own_words.hpp"
#include "app/kit/widgets/resting_mouse.hpp"
#include "app/scene/actions.hpp"
#include "app/shell/html_step.hpp"
#include "app/shell/regions.hpp"
#include "app/shell/whole_window.hpp"
#include "app/state/compare_state.hpp"
#include "app/state/files_state.hpp"
#include "app/state/keyboard_state.hpp"
#include "app/state/model_look.hpp"
#include "app/state/presenter_state.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/heads_state.hpp"
#include "app/state/start_state.hpp"
#include "app/state/teaching/lesson_state.hpp"
#include "app/state/watch/watch_state.hpp"
#include "app/state/window_state.hpp"
#include "app/training/lab_state.hpp"
#include "app/views/files/files.hpp"
#include "app/views/model/go_to_head.hpp"
#include "app/views/parts/refusal.hpp"
#include "app/views/presenter/presenter.hpp"
#include "app/views/start/start.hpp"
#include "core/base/error.hpp"
#include "core/edits/within.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {

App::App(AppOptions options, LiveEngine& engine, std::vector<BackendChoice> backends)
    : space_(std::make_unique<Workspace>(options, engine, std::move(backends))),
      held_(std::make_unique<Held>(*space_,
                                   [this]() -> std::int64_t& { return compare_of(space_->view).held_head; })),
      files_(std::make_unique<FileParts>(*space_, *held_, options.fresh, opening_calls(), saving_calls())),
      training_(*space_),
      pages_(make_pages({options.wake, &training_.runs()})),
      looking_(*space_, *held_),
      model_(*space_, looking_, files_->models, pages_),
      lessons_(*space_, *held_, files_->arriving, files_->models, training_),
      watching_(*space_, files_->behind, files_->arriving),
      steps_(*space_, *held_),
      typed_words_(*space_, *held_, steps_, [this] { lessons_.leave_page(); }),
      showing_(*space_, *held_, files_->arriving, looking_),
      filming_(*this, *space_, files_->saving, lessons_, pages_) {
  const Look& look = files_->keeping.look();
  lab_of(space_->view).models =
      (space_->state.empty() ? std::filesystem::temp_directory_path() / "attnscope" : space_->state) /
      "trained";
  lesson_of(space_->view).next_order = options.lesson_seed;
  space_->view.theme = options.theme;
  if (look.is_known) adopt_look(space_->view, look.view);
  space_->view.scale = options.scale * look.size;
  space_->view.language = look.language && !options.language_is_asked_for ? *look.language : options.language;
  space_->view.files->dialog.folder = look.folder;
  try {
    space_->examples = list_examples(options.assets);
    if (space_->examples.empty())
      throw Error("There is no example in " + in_quotes(options.assets.native()) +
                  "; drop a file on the window instead.");
    files_->opening.open_first(options.opening);
  } catch (const std::exception& error) {
    space_->view.notices.say(error.what());
  }
  files_->keeping.begin();
}

App::~App() = default;

/// Opening does not know the pages: these calls offer files to lessons and to the Watch page first.
OpeningCalls App::opening_calls() {
  return {.is_taken =
              [this](const std::filesystem::path& path, bool is_whole) {
                if (lessons::is_course(path)) return lessons_.go_to_course(path), true;
                if (!lessons::is_lesson(path)) return is_whole && watching_.take_stream(path);
                lessons_.go_to({std::filesystem::absolute(path).native(), 0});
                return true;
              },
          .leave_page = [this] { lessons_.leave_page(); },
          .model_wants = [this] { return model_.wants(); },
          .model_comes = [this](Session& session) { watching_.read_as_watched(session); },
          .model_came = [this] { watching_.look_as_watched(); }};
}

SavingCalls App::saving_calls() {
  return {.draw = [this](const PictureRequest& request) { return draw_picture(*this, request); },
          .draw_figure = [this](const PictureRequest& request) { return draw_figure(*this, request); },
          .draw_html_step = [this] { return draw_html_step(*this); },
          .save_table = [this](const std::filesystem::path& to) { return save_table(to); },
          .begin_film = [this](const PictureRequest& request) { filming_.begin(request); },
          .film_on_its_way = [this] { return filming_.on_its_way(); }};
}

bool App::is_still() const {
  const auto are_settled = [](const auto&... part) { return (part.is_settled() && ...); };
  return are_settled(*files_, *held_, model_, training_, lessons_, watching_, showing_) &&
         std::ranges::all_of(pages_, [](const auto& page) { return page->is_settled(); });
}

/// Takes what was computed or read since the last frame: readings of the model, results, files.
void App::take_arrivals() {
  const Viewing before = space_->viewing();
  space_->view.files->file = space_->file.path();
  model_.take_readings();
  showing_.take_results();
  showing_.begin_frame();
  held_->compare_models(
      space_->view.mode == Mode::Model && model_look_of(space_->view).screen == ModelScreen::Compare,
      static_cast<int>(model_look_of(space_->view).held_shift));
  steps_.look_when_computed();
  if (!filming_.is_on()) space_->history.follow(what_is_said(space_->document), before, space_->viewing());
  files_->saving.finish_picture(false);
  files_->saving.finish_export(false);
  files_->opening.finish(false);
  files_->opening.follow_dropped();
  if (space_->shown.result) looking_.record_moment();
}

/// Tells lessons, pages, training and the Watch page what is on screen, so that they work on it.
void App::follow_pages() {
  space_->speak_as_chosen();
  // The palette also lists lessons.
  if (space_->view.mode == Mode::Lessons || !lesson_of(space_->view).name.empty() ||
      !space_->view.palette_text.empty())
    space_->lessons.follow(lesson_of(space_->view).name, space_->view.language);
  lessons_.follow();
  for (const auto& page : pages_) page->follow(space_->view);
  if (const auto saved = training_.follow()) files_->opening.open(*saved);
  watching_.follow();
}

void App::frame(const Fonts& fonts) {
  const ImGuiIO& io = ImGui::GetIO();
  last_frame_ = {.size = io.DisplaySize, .has_system_fonts = fonts.system};
  space_->view.now += std::min(0.1, static_cast<double>(io.DeltaTime));
  space_->view.hint.clear();
  take_arrivals();
  follow_pages();
  if (space_->shown.result) typed_words_.watch_letters();
  last_frame_.pass(&FrameSeconds::before);

  {
    PresentedView presented(space_->view, size());
    const Ui ui(theme(space_->view.theme), fonts, space_->textures, space_->view.scale,
                {.words = &space_->words,
                 .sought = &space_->view.keyboard.sought,
                 .leaves_field = files_->opening.has_dropped()});
    const Layout layout = layout_of(space_->document, space_->shown.result, space_->view);
    const WholeWindow window(ui);
    if (space_->shown.result) draw_shown(ui, layout, presented);
    if (!filming_.is_on())
      noticed_.follow(space_->view.notices, space_->document, focus_of(space_->view).log);
    if (draw_message(ui, layout, space_->view)) files_->opening.reopen({});
    draw_sought(ui, space_->view.keyboard.sought);
  }
  last_frame_.pass(&FrameSeconds::drawing);
  showing_.end_frame();
  if (std::exchange(space_->view.start->changed, false)) write_start(space_->state, *space_->view.start);
  if (!filming_.is_on())
    steps_.observe(files_->opening.is_on_its_way(), model_look_of(space_->view).to_append > 0);
  files_->opening.leave_field();
  filming_.follow();
  submit();
  last_frame_.pass(&FrameSeconds::behind);
}

/// Draws everything about the result, then does what was requested meanwhile.
void App::draw_shown(const Ui& ui, const Layout& layout, PresentedView& presented) {
  Selection next = without_hovers(space_->selection);
  Requests requests;
  Scene scene = scene_of(ui, space_->document, {space_->selection, next}, space_->view, requests, layout);
  go_to_found(scene);
  const Document document_before = space_->document;
  const Mode mode_before = space_->view.mode;
  const std::optional<Viewing> before_step =
      lesson_of(space_->view).look_due ? std::optional(space_->viewing()) : std::nullopt;
  const Guesses guesses = space_->document.input.given().guesses;
  const Answers answers{space_->document.layer().masking.causal, space_->document.layer().positions};
  if (space_->view.parity && (space_->shown.result->layer().is_complete() || !space_->engine.busy()))
    space_->backends.compare(space_->shown.result);
  last_frame_.pass(&FrameSeconds::before);
  watch_start(scene);
  const bool menu_waits = head_grid_of(space_->view).menu_opens;
  run_keyboard(scene);
  draw_help(scene);
  if (space_->view.presenter->on) take_presenter_mouse(scene, layout);
  draw_regions(scene, layout);
  if (space_->view.presenter->on) draw_presenter(scene, layout);
  if (menu_waits)
    head_grid_of(space_->view).menu_opens = false;  // the heads, and so their menu, have no room
  draw_timings(scene, layout.top);
  draw_parity(scene, layout.top);
  draw_palette(scene);
  draw_file_dialog(scene, layout);
  draw_overwrite_question(scene);
  tick_start(scene);
  draw_dump_question(scene, layout);
  last_frame_.pass(&FrameSeconds::drawing);
  if (guesses.any() && guesses == space_->document.input.given().guesses)
    files_->arriving.settle_guesses(answers);
  model_.take_edits(document_before);
  presented.end();
  if (is_mouse_resting()) next.hovered_cell.reset();
  space_->chosen.follow(space_->selection, next);
  space_->selection = kept_inside(next, space_->shown.result->layer().dimensions);
  looking_.rest();
  // A lesson's step sets the view: this is not a step of undo.
  if (before_step && !lesson_of(space_->view).look_due)
    space_->history.follow(what_is_said(space_->document), *before_step, space_->viewing());
  fulfil(requests);
  lessons_.watch(mode_before, requests.history != 0);
  last_frame_.pass(&FrameSeconds::behind);
}

/// At the end of a frame: submits what is on screen to the engines and has it kept.
void App::submit() {
  model_.follow();
  space_->following.follow(space_->document);
  if (!filming_.is_on())
    files_->keeping.keep(ImGui::GetTime(), files_->opening.is_unfinished() || held_->is_expecting());
}

void App::fulfil(const Requests& requests) {
  if (requests.look_for_lesson_model) lessons_.look_for_model_again();
  if (requests.backend) space_->use_backend(*requests.backend);
  if (requests.hold) held_->hold();
  if (requests.swap) held_->swap();
  if (requests.release_held) held_->release();
  if (requests.lesson) lessons_.go_to(*requests.lesson);
  if (requests.course) lessons_.go_to_stop(*requests.course);
  if (requests.made) files_->arriving.take_made(*requests.made);
  if (requests.cancel_opening) files_->opening.stop();
  if (requests.cancel_export) filming_.is_on() ? filming_.stop() : files_->behind.stop_export();
  if (requests.cancel_model) space_->models.engine().cancel();
  if (requests.resume_model) space_->models.go_on();
  if (requests.cancel_difference) held_->cancel_difference();
  if (requests.resume_difference) held_->resume_difference();
  if (requests.open) files_->opening.open(*requests.open, requests.layer);
  if (requests.look_for_closed) space_->view.files->closed = files_->behind.closed().list();
  if ((requests.look_for_closed && space_->attended) || requests.look_for_models)
    files_->behind.look_for_models(space_->attended);
  if (requests.back_to_model) steps_.go_back_to_model();
  if (requests.reopen) files_->opening.reopen(*requests.reopen);
  if (requests.save) files_->saving.save(*requests.save, requests.replace);
  if (requests.picture) files_->saving.save_picture(*requests.picture, requests.replace);
  if (!requests.copy.empty()) ImGui::SetClipboardText(requests.copy.c_str());
  if (requests.history != 0) steps_.step(requests.history);
  if (space_->view.watch->open_layer) watching_.open_layer();
  if (space_->view.watch->open_offer)
    if (const auto join = watching_.chosen_model()) files_->opening.open_joined(join);
}

/// Saves the table of the page on screen. False: the page has none.
bool App::save_table(const std::filesystem::path& to) const {
  if (page_table_of(space_->view.mode) == nullptr) return false;
  page_of_mode(pages_, space_->view.mode)->save_table(to);
  return true;
}

void App::close(const WindowShape& shape) {
  if (space_->state.empty()) return;
  files_->saving.finish_picture(true);
  files_->saving.finish_export(true);
  files_->opening.stop();
  files_->keeping.close(shape);
}

std::string App::window_title() const {
  const std::string name = !space_->file.path().empty() ? printable(space_->file.path().filename().native())
                           : space_->document.title.empty() ? "untitled"
                                                            : printable(plain(space_->document.title));
  return name + (space_->is_edited() ? "* — AttnScope" : " — AttnScope");
}

void App::offer_start() {
  StartState start = read_start(space_->state);
  if (start.left) return;
  *space_->view.start = std::move(start);
  space_->view.start->open = true;
}

void App::set_display_scale(float scale) {
  if (!(scale > 0)) return;
  space_->view.scale *= scale / space_->display_scale;
  space_->display_scale = scale;
}

bool App::wants_frame() const {
  if (const Page* const page = page_of_mode(pages_, space_->view.mode);
      page != nullptr && page->is_moving(space_->view))
    return true;
  return !settled();
}

std::optional<double> App::changes_in() const {
  std::optional<double> soonest;
  // If the model refuses a text at once, no computation causes the frame that draws the old result as stale.
  if (const std::optional<double> since = model_look_of(space_->view).stale_since;
      since && space_->view.now - *since <= stale_moment)
    soonest = *since + stale_moment - space_->view.now + 0.02;
  for (const double end : {space_->view.keyboard.notice.until, space_->view.keyboard.sought.until,
                           space_->view.presenter->pressed_until}) {
    const double left = end - ImGui::GetTime();
    if (left > 0 && (!soonest || left < *soonest)) soonest = left;
  }
  return soonest;
}

std::optional<double> App::clock_in() const {
  if (lessons_.is_presented()) return 1.0;  // the speaker's clock
  if (!held_->held_result() || space_->view.mode == Mode::Walk) return std::nullopt;
  const double age = held_->age(ImGui::GetTime()), step = age < 60 ? 1 : 60;
  return step - std::fmod(std::max(0.0, age), step) + 0.01;
}

}  // namespace attnscope
