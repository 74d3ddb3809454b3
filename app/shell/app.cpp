#include "app/shell/app.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/scene/actions.hpp"
#include "app/scene/scene.hpp"
#include "app/shell/regions.hpp"
#include "app/state/files_state.hpp"
#include "app/state/focus_state.hpp"
#include "app/state/heads_state.hpp"
#include "app/state/signals_state.hpp"
#include "app/state/start_state.hpp"
#include "app/state/walk_state.hpp"
#include "app/views/files/files.hpp"
#include "app/views/start/start.hpp"
#include "core/attention/run_stage.hpp"
#include "core/base/error.hpp"

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

/// Whether colours from 0 to 1 would show next to nothing of the head: many keys share every query's weight.
bool are_weights_small(const LayerResult& result, std::int64_t h) {
  constexpr std::int64_t many = 64;       // queries; the weights of fewer are large enough to be seen
  constexpr double hardly_visible = 0.2;  // mean of the rows' largest weights
  const std::int64_t queries = result.dimensions.queries;
  double sum = 0;
  for (std::int64_t i = 0; i < queries; ++i) sum += result.measures.row(0, h, i).largest;
  return queries >= many && sum < hardly_visible * static_cast<double>(queries);
}

Selection without_hovers(Selection selection) {
  selection.hovered_head.reset();
  selection.hovered_cell.reset();
  selection.hovered_token.reset();
  return selection;
}

/// B where it can stand beside what is shown: when both are long, or neither.
const Held* held_beside(const ResultPtr& shown, const std::optional<Held>& held) {
  return held && held->result->layer().is_long() == shown->layer().is_long() ? &*held : nullptr;
}

/// Where the regions stand. Other tokens as keys take a line of the strip of their own.
Layout layout_of(const Document& document, const ResultPtr& shown, const ViewState& view) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const std::size_t lines =
      std::max<std::size_t>(document.input.sequences.size(), shown && is_cross(shown->layer()) ? 2 : 1);
  const Layout usual = compute_layout(size.x, size.y, view, lines);
  if (shown && is_start_shown(view, shown->layer())) return with_start(usual, view);
  return shown && shown->layer().is_long() ? long_layout(usual) : usual;
}

}  // namespace

App::App(AppOptions options, LiveEngine& engine, std::vector<BackendChoice> backends)
    : engine_(engine),
      languages_(list_languages(options.assets)),
      assets_(options.assets),
      state_(options.state),
      backends_(std::make_unique<Backends>(std::move(backends))),
      recent_(options.state),
      look_(options.fresh ? Look{} : read_look(options.state)),
      display_scale_(options.scale),
      closed_(options.state),
      attended_(options.attended) {
  view_.theme = options.theme;
  if (look_.is_known) adopt_look(view_, look_.view);
  view_.scale = options.scale * look_.size;
  view_.language = look_.language && !options.language_is_wished ? *look_.language : options.language;
  first_language_ = view_.language;
  view_.files->dialog.folder = look_.folder;
  try {
    examples_ = list_examples(options.assets);
    if (examples_.empty())
      throw Error("There is no example in " + options.assets.string() +
                  "; drop a file on the window instead.");
    open(examples_.front().path);
  } catch (const std::exception& error) {
    view_.notices.say(error.what());
  }
  untouched_ = true;
  for (const std::filesystem::path& path : recent_.paths()) view_.files->recent.push_back({path});
  if (options.state.empty()) return;
  keeper_.emplace(options.state);
  if (const std::string trouble = keeper_->autosave().trouble(); !trouble.empty()) view_.notices.say(trouble);
}

App::~App() = default;

bool App::wants_frame() const { return !settled() || (view_.mode == Mode::Walk && view_.walk->is_moving()); }

bool App::settled() const {
  if (opening_ || writing_ || view_.files->dialog.reading.is_reading() || tiles_->is_busy() ||
      (held_tiles_ && held_tiles_->is_busy()) || (shown_ && !shown_->layer().is_complete() && engine_.busy()))
    return false;
  if (backends_->is_comparing()) return false;
  if ((stats_ && stats_->is_computing()) || (held_ && held_->stats->is_computing())) return false;
  return document_ == submitted_ && seen_ticket_ == submitted_ticket_ && textures_.postponed() == 0;
}

void App::submit_if_changed() {
  if (coming_b_) {  // first what is held, then what is shown: the engine's newest result is the one on screen
    if (b_ticket_ == 0) b_ticket_ = submitted_ticket_ = engine_.submit(*coming_b_);
    return;
  }
  if (document_ == submitted_) return;
  submitted_ = document_;
  submitted_ticket_ = engine_.submit(document_);
}

void App::take_results() {
  const ResultPtr newest = engine_.latest();
  if (!newest || std::pair(newest->ticket, newest->refinement) <= std::pair(seen_ticket_, seen_refinement_))
    return;
  seen_ticket_ = newest->ticket;
  seen_refinement_ = newest->refinement;
  if (take_held(newest)) return;
  if (opened_ && newest->ticket <= opened_after_) return;  // of what was open before
  const ResultPtr good = engine_.latest_good();
  // A refinement that was cancelled, or another backend that failed, leaves the picture as it is: of this
  // document.
  const bool is_stale = !good || !(good->document == newest->document);
  view_.refusal = is_stale ? newest->error : std::string();
  view_.notices.say(Notice::Source::Engine, newest->error);  // none: what it complained of is gone
  tell_of_backends(*newest);
  if (!good || good == shown_ || (held_ && good == held_->result)) return;
  ResultPtr before = std::exchange(shown_, good);
  tiles_->show(shown_, backends_->beside(*shown_));
  stats_ = std::make_unique<ResultStats>(shown_, &errors_);
  backends_->note(*shown_);
  const bool was_long = before && before->layer().is_long();
  if (before) engine_.give_back(std::move(before));
  stats_->compare_with(held_ ? held_->result : nullptr);
  if (held_ && view_.notices.empty() && was_long != shown_->layer().is_long() && !held_beside(shown_, held_))
    view_.notices.say(
        "A long sequence and a short one cannot be compared: what is held waits until both are long or both "
        "short.");
  if (opened_ && newest == good && newest->ticket > opened_after_) {
    if (looks_) {
      look_as_opened();
    } else {
      choose_first_cell();
      tell_of_text();
    }
    opened_ = false;
  }
  keep_selection_inside();
  keep_plane_there();
}

/// Who took over and why stays on screen until it is dismissed or no longer true.
void App::tell_of_backends(const Result& newest) {
  if (!newest.error.empty() || newest.backend_note == backend_note_) return;
  backend_note_ = newest.backend_note;
  view_.notices.say(Notice::Source::Backend, backend_note_);
}

/// What is looked at must be among the planes of the shown result; whoever looked at the weights goes on
/// looking at those that mix the values.
void App::keep_plane_there() {
  if (shown_->layer().is_long()) return;  // there is one picture of it
  const std::vector<Plane> all = stats_->planes();
  const Plane now = view_.stage, used = weights_stage(shown_->document);
  const bool there = std::find(all.begin(), all.end(), now) != all.end();
  const bool switched = was_used_ != used.stage && is_weights(now) && now.stage != Stage::Drop;
  if (switched) {
    view_.stage = used;  // vectors stay in the focus, and locked ends hold for weights of any kind
  } else if (!there) {
    view_.show_stage(used);
  }
  was_used_ = used.stage;
}

void App::look_at(const Spot& spot) {
  const Dimensions& d = shown_->layer().dimensions;
  const auto check = [](const char* what, std::int64_t at, std::int64_t count) {
    if (at < 0 || at >= count)
      throw Error(fmt::format("There is no {} {}; expected 0 to {}.", what, at, count - 1));
  };
  if (spot.head) check("head", *spot.head, d.heads);
  if (spot.cell) check("query", spot.cell->query, d.queries);
  if (spot.cell) check("key", spot.cell->key, d.keys);
  selection_.head = spot.head.value_or(selection_.head);
  if (spot.cell) {
    selection_.cell = wanted_cell_ = *spot.cell;
    selection_.locked = true;
  }
  if (spot.cells) view_.focus_gesture->cells_wished = spot.cells;
}

/// A newly opened Document starts on a head and a cell that have something to say: the content head where
/// heads were built by hand, the third query and the key it looks at most, other than itself.
void App::choose_first_cell() {
  const Dimensions& d = shown_->layer().dimensions;
  selection_ = {};
  if (shown_->layer().is_long()) return choose_in_long();
  const auto& names = shown_->document.layer().weights.head_names;
  const auto content = std::find(names.begin(), names.end(), "content");
  if (content != names.end()) selection_.head = content - names.begin();
  const std::int64_t query = std::min<std::int64_t>(2, d.queries - 1);
  const auto row =
      shown_->layer().trace[weights_stage(shown_->document)]->matrix(0, selection_.head).row(query);
  std::int64_t key = 0;
  for (std::int64_t j = 1; j < d.keys; ++j) {
    if (row(j) > row(key)) key = j;
  }
  wanted_cell_ = {query, key};
  selection_.locked = true;
  view_.focus->log = are_weights_small(shown_->layer(), selection_.head);
}

/// Of a long Document a query in the middle and the key it looks at most; its small weights are seen by their
/// logarithm.
void App::choose_in_long() {
  const Survey& survey = *shown_->layer().surveys.front();
  const std::int64_t row = survey.row_of(shown_->layer().dimensions.queries / 2);
  const std::int32_t key = survey.known.strongest[static_cast<std::size_t>(row)];
  wanted_cell_ = {survey.nearest(shown_->layer().dimensions.queries / 2), std::max(0, key)};
  selection_.locked = true;
  view_.focus = {};
  view_.focus->log = true;
}

void App::keep_selection_inside() {
  const Dimensions& d = shown_->layer().dimensions;
  Selection& s = selection_;
  const auto inside = [](std::int64_t& index, std::int64_t count) {
    index = std::clamp<std::int64_t>(index, 0, count - 1);
  };
  inside(s.sequence, d.batch);
  inside(s.head, d.heads);
  s.cell = wanted_cell_;
  inside(s.cell.query, d.queries);
  inside(s.cell.key, d.keys);
  if (s.hovered_head && *s.hovered_head >= d.heads) s.hovered_head.reset();
  if (s.hovered_cell && (s.hovered_cell->query >= d.queries || s.hovered_cell->key >= d.keys))
    s.hovered_cell.reset();
  if (s.hovered_token && *s.hovered_token >= std::max(d.queries, d.keys)) s.hovered_token.reset();
}

void App::record_moment() {
  if (shown_->layer().is_long()) return;
  const auto& [sequence, head, cell] = std::tie(selection_.sequence, selection_.head, selection_.cell);
  const RowMeasures& row = shown_->layer().measures.row(sequence, head, cell.query);
  const float weight =
      shown_->layer().trace[weights_stage(shown_->document)]->matrix(sequence, head)(cell.query, cell.key);
  const double scale = scale_factor(shown_->document.layer().scaling, shown_->layer().dimensions.d_k);
  view_.scope.observe({sequence, head, cell.query, cell.key},
                      {view_.now, static_cast<float>(row.entropy), weight, static_cast<float>(scale),
                       std::log(static_cast<float>(std::max<std::int64_t>(1, row.allowed)))},
                      view_.signals->trigger, view_.signals->seconds);
}

Scene App::scene_of(const Ui& ui, Document& document, Selections selections, ViewState& view,
                    Requests& requests, const Layout& layout) const {
  return {ui,
          *shown_,
          shown_->layer(),
          *stats_,
          document,
          selections.now,
          selections.next,
          view,
          engine_,
          *backends_,
          examples_,
          languages_,
          requests,
          tiles_.get(),
          held_beside(shown_, held_),
          held_tiles_.get(),
          layout.compact};
}

void App::frame(const Fonts& fonts) {
  const ImGuiIO& io = ImGui::GetIO();
  size_ = io.DisplaySize;
  system_fonts_ = fonts.system;
  view_.now += std::min(0.1, static_cast<double>(io.DeltaTime));
  view_.hint.clear();
  const Viewing before = viewing();
  view_.files->file = file_;
  take_results();
  view_when_computed();
  history_.follow(document_, before, viewing());
  finish_picture(false);
  finish_opening(false);
  if (shown_) record_moment();
  speak_as_chosen();
  if (shown_) watch_letters();

  const Ui ui(theme(view_.theme), fonts, textures_, view_.scale,
              {.words = &words_, .sought = &view_.keyboard.sought});
  const Layout layout = layout_of(document_, shown_, view_);
  {
    const WholeWindow window(ui);
    if (shown_) {
      Selection next = without_hovers(selection_);
      Requests requests;
      Scene scene = scene_of(ui, document_, {selection_, next}, view_, requests, layout);
      scene.edited = is_edited();
      const Guesses guesses = document_.input.given.guesses;
      const Answers answers{document_.layer().masking.causal, document_.layer().positions};
      if (view_.parity && (shown_->layer().is_complete() || !engine_.busy())) backends_->compare(shown_);
      watch_start(scene);
      const bool menu_waits = view_.heads->menu_opens;
      run_keyboard(scene);
      draw_help(scene);
      draw_regions(scene, layout);
      if (menu_waits) view_.heads->menu_opens = false;  // there is no room for the heads, and no menu of one
      draw_timings(scene, layout.top);
      draw_parity(scene, layout.top);
      draw_palette(scene);
      draw_file_dialog(scene, layout);
      draw_overwrite_question(scene);
      tick_start(scene);
      draw_dump_question(scene, layout);
      if (guesses.any() && guesses == document_.input.given.guesses) settle_guesses(answers);
      if (next.cell != selection_.cell) wanted_cell_ = next.cell;
      selection_ = next;
      fulfil(requests);
    }
    if (draw_message(ui, layout, view_)) reopen({});
    draw_sought(ui, view_.keyboard.sought);
  }
  textures_.end_frame();
  for (Tiles* tiles : {tiles_.get(), held_tiles_.get()}) {
    if (tiles == nullptr) continue;
    tiles->end_frame();
    if (std::string error = tiles->take_error(); !error.empty()) view_.notices.say(std::move(error));
  }
  if (std::exchange(view_.start->changed, false)) write_start(state_, *view_.start);
  observe_history();
  submit_if_changed();
  keep(ImGui::GetTime());
}

/// What cannot be read is said once, in English.
void App::speak_as_chosen() {
  if (view_.language == spoken_) return;
  words_.speak_english();
  try {
    if (view_.language != english) words_.speak(load_table(assets_, view_.language));
  } catch (const std::exception& error) {
    view_.language = english;
    view_.notices.say(error.what());
  }
  spoken_ = view_.language;
}

void App::draw_still(const Fonts& fonts, Still& still, SvgCanvas* copy) const {
  const Ui ui(theme(still.view.theme), fonts, still.textures, still.view.scale,
              {copy, still.figure, &words_});
  still.layout = layout_of(still.document, shown_, still.view);
  {
    const WholeWindow window(ui);
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    if (copy) ui.fill({0, 0, size.x, size.y}, ui.theme.panel);  // on the screen it is the window's own colour
    Selection next = still.selection;
    Requests requests;  // nobody is there to ask
    if (shown_) {
      Scene scene = scene_of(ui, still.document, {still.selection, next}, still.view, requests, still.layout);
      scene.edited = still.edited;
      draw_help(scene);
      draw_regions(scene, still.layout);
      draw_timings(scene, still.layout.top);
      draw_parity(scene, still.layout.top);
    }
  }
  still.textures.end_frame();
}

void App::prepare(Still& still, float scale) const {
  still.document = document_;
  still.selection = without_hovers(selection_);
  still.view = view_;
  still.view.scale *= scale;
  still.view.notices.clear();
  still.view.start->open = false;
  still.view.keyboard = {};
  still.view.keyboard.sentence.first = view_.keyboard.sentence.first;
  still.view.keyboard.sentence.followed = view_.keyboard.sentence.followed;
  still.edited = is_edited();
}

}  // namespace attnscope
