#include "app/shell/acts.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/lessons/library.hpp"
#include "app/scene/picture.hpp"
#include "app/shell/no_text.hpp"
#include "app/shell/page.hpp"
#include "app/state/compare_state.hpp"
#include "app/state/files_state.hpp"
#include "app/state/model_look.hpp"
#include "app/state/presenter_state.hpp"
#include "app/state/regions/controls_state.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/layout.hpp"
#include "app/state/regions/long_state.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/state/teaching/lesson_state.hpp"
#include "app/state/viewing.hpp"
#include "app/state/watch/watch_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/focus/focus_parts.hpp"
#include "app/views/heads/head_order.hpp"
#include "app/views/long/long_parts.hpp"
#include "app/views/parts/unknown.hpp"
#include "app/views/presenter/presenter.hpp"
#include "app/views/tokens/refused_typing.hpp"
#include "app/views/watch/watch.hpp"
#include "core/attention/run_stage.hpp"
#include "core/edits/model.hpp"
#include "core/edits/switches.hpp"

namespace attnscope::act {

void move_head(Scene& scene, std::int64_t step) {
  const std::vector<std::int64_t>& order = heads_in_order(scene);
  const auto at = std::find(order.begin(), order.end(), scene.selection.head) - order.begin();
  const auto heads = std::ssize(order);
  scene.next.head = order[static_cast<std::size_t>((at + step + heads) % heads)];
}

void move_stage(Scene& scene, int step) {
  std::vector<Plane> all = scene.stats.planes();
  // Compare always shows A − B, and does not compare gradients.
  if (scene.view.mode == Mode::Compare)
    std::erase_if(all, [](Plane plane) { return plane.kind != Plane::Kind::Value; });
  // Steps through planes of the same kind alone: values with gradients, differences, errors.
  const auto base_kind = [](Plane plane) { return plane.is_gradient() ? Plane::Kind::Value : plane.kind; };
  std::erase_if(all,
                [&](Plane plane) { return base_kind(plane) != base_kind(stage_look_of(scene.view).stage); });
  const auto now = std::find(all.begin(), all.end(), stage_look_of(scene.view).stage) - all.begin();
  if (all.empty()) return;
  const std::ptrdiff_t next = std::clamp<std::ptrdiff_t>(now + step, 0, std::ssize(all) - 1);
  show_stage(scene.view, all[static_cast<std::size_t>(next)]);
}

void turn(Scene& scene, Region region) {
  bool& hidden = regions_of(scene.view).hidden[static_cast<std::size_t>(region)];
  hidden = !hidden;
}

void turn_inspector(Scene& scene) {
  ViewState& view = scene.view;
  const bool is_drawer = view.mode != Mode::Model && is_narrow(view);
  if (!is_drawer) return turn(scene, Region::Inspector);
  regions_of(view).drawer = !regions_of(view).drawer;
}

void toggle_scaling(Scene& scene) {
  if (refuse_without_scores(scene)) return;
  const bool was_divided = edit::is_divided(scene.document);
  scene.document = edit::divided(std::move(scene.document), !was_divided);
}

void toggle_positions(Scene& scene) {
  if (refuse_without_scores(scene)) return;
  Positions& now = scene.document.layer().positions;
  if (now != Positions::None) controls_of(scene.view).positions = now;
  Positions on = controls_of(scene.view).positions;
  const ModelContext& within = scene.document.within.read();
  if (within && !edit::can_have(within, on)) on = Positions::Alibi;
  now = now == Positions::None ? on : Positions::None;
}

namespace {

/// Whether a course stands at a page, to which it came from a step.
bool stops_at_page(const LessonState& state) { return state.left && !state.course.empty(); }

/// Back to the step as it was left; presenter mode goes on if free play began in it.
void return_to_step(Scene& scene) {
  PresenterState& presenter = *scene.view.presenter;
  scene.view.mode = Mode::Lessons;
  presenter.on = std::exchange(presenter.returns, false) || presenter.on;
}

}  // namespace

void leave(Scene& scene) {
  const Page* const page = page_of_mode(scene.pages, scene.view.mode);
  if (scene.view.help || scene.view.timings || scene.view.parity) {
    scene.view.help = scene.view.timings = scene.view.parity = false;
  } else if (scene.view.files->asks) {
    scene.view.files->asks = false;
  } else if (!scene.view.notices.empty()) {
    scene.view.notices.dismiss();
  } else if (is_watching(scene.view) && !scene.view.presenter->on) {
    watch_newest(scene);
  } else if (page != nullptr && page->close(scene)) {
    // close() has done it
  } else if (scene.view.presenter->tool != PresenterTool::None) {
    scene.view.presenter->tool = PresenterTool::None;
  } else if (page != nullptr && page->leave(scene)) {
    // leave() has done it
  } else if (scene.view.presenter->on && stops_at_page(lesson_of(scene.view))) {
    return_to_step(scene);
  } else if (scene.view.presenter->on) {
    toggle_presenter(scene);
  } else if (scene.view.mode == Mode::Training && lesson_of(scene.view).left && scene.lesson != nullptr &&
             scene.lesson->trains()) {
    return_to_step(scene);  // from free play
  } else if (is_page(scene.view.mode)) {
    scene.view.mode = Mode::Explore;
  } else if (lesson_of(scene.view).left && !scene.selection.locked) {
    return_to_step(scene);
  } else if (scene.view.mode == Mode::Model && model_look_of(scene.view).screen != ModelScreen::Heads) {
    model_look_of(scene.view).screen = ModelScreen::Heads;  // back to all heads
  } else if (scene.model != nullptr && !scene.selection.locked && scene.view.mode != Mode::Model) {
    scene.view.mode = Mode::Model;  // up from a layer to its model
  } else if (scene.view.mode == Mode::Model && model_look_of(scene.view).locked) {
    model_look_of(scene.view).locked = false;  // the head under the mouse is previewed again
  } else {
    scene.next.locked = false;
  }
}

void next_range(Scene& scene) {
  const ColourScale scale = scene.result.is_long()
                                ? long_scale(scene, scene.head())
                                : colour_scale(scene, stage_look_of(scene.view).stage, scene.head());
  stage_look_of(scene.view).locked_range = {scale.low, scale.high};
  stage_look_of(scene.view).range =
      static_cast<RangeMode>((static_cast<int>(stage_look_of(scene.view).range) + 1) % 4);
}

void undo(Scene& scene) { scene.requests.history = -1; }
void redo(Scene& scene) { scene.requests.history = 1; }

/// Leaves a page or mode without the sentence's field for one that has it.
void type_the_sentence(Scene& scene) {
  ViewState& view = scene.view;
  if (const std::string_view why = why_no_text(scene.document, view, scene.result.is_long()); !why.empty()) {
    view.notices.say(std::string(why));
    if (!is_watching(view)) refuse_typing(view.keyboard);
    return;
  }
  if (view.presenter->on) return view.notices.say("What is presented has no text field: F5 ends it.");
  if (is_page(view.mode) && scene.document.within.read()) view.mode = Mode::Model;
  if (!has_sentence(view.mode)) view.mode = Mode::Explore;
  regions_of(view).hidden[static_cast<std::size_t>(Region::Strip)] = false;
  SentenceState& sentence = view.keyboard.sentence;
  sentence.wanted = true;
  sentence.at_end = false;
  sentence.waited = 0;
  sentence.field = shown_text_index(scene.document, scene.sequence());
}

void remove_mask(Scene& scene) {
  const TensorPtr weights = has_weights_alone(scene) ? scene.document.layer().masking.additive : nullptr;
  scene.document.layer().masking = {};
  scene.document.layer().masking.additive = weights;
}

void show_mode(Scene& scene, Mode mode) { scene.view.mode = mode; }

void rescale(Scene& scene, float factor) {
  scene.view.scale = std::clamp(scene.view.scale * factor, ViewState::least_scale, ViewState::most_scale);
}

void reset_view(Scene& scene) {
  ViewState usual;
  usual.theme = scene.view.theme;
  usual.language = scene.view.language;
  usual.mode = scene.view.mode;
  Selection chosen = scene.selection;
  const Viewing look = viewing_of(usual, chosen);
  view_again(look, scene.view, chosen);
  focus_of(scene.view) = {};
  if (scene.stats.planes().empty()) return;
  stage_look_of(scene.view).stage = weights_stage(scene.result.document);
}

void show_compare(Scene& scene) {
  ModelLook& state = model_look_of(scene.view);
  const bool is_elsewhere = scene.view.mode != Mode::Model || is_watching(scene.view);
  if (is_elsewhere || state.screen == ModelScreen::Compare || scene.model == nullptr) {
    scene.view.mode = Mode::Compare;
    return;
  }
  state.compare_heads();
}

void toggle_compare(Scene& scene) {
  ModelLook& state = model_look_of(scene.view);
  const bool is_shown = scene.view.mode == Mode::Model && !is_watching(scene.view) && scene.model != nullptr;
  if (is_shown && state.screen == ModelScreen::Compare)
    state.screen = state.before_compare;
  else
    show_compare(scene);
}

void show_difference(Scene& scene) {
  const Page* const page = page_of_mode(scene.pages, scene.view.mode);
  if (page != nullptr && page->turn_difference(scene)) return;
  if (scene.view.mode == Mode::Compare) {
    DifferenceKind& kind = compare_of(scene.view).difference;
    kind = static_cast<DifferenceKind>((static_cast<int>(kind) + 1) % 3);
    return;
  }
  if (scene.result.is_long()) {
    LongSide& side = long_view_of(scene.view).side;
    if (scene.held)
      side = side == LongSide::Difference ? LongSide::A : LongSide::Difference;
    else
      scene.view.notices.say("Nothing of this length is held: press \\ to hold what is shown.");
    return;
  }
  const Plane now = stage_look_of(scene.view).stage;
  if (now.is_difference()) return show_stage(scene.view, now.stage);
  const Plane wanted(now.stage, Plane::Kind::Difference);
  if (scene.stats.tensor(wanted)) return show_stage(scene.view, wanted);
  scene.view.notices.say(
      scene.held ? "now − held needs as many tokens and heads in what is held as in what is shown."
                 : "Nothing is held yet: press \\ to hold what is shown.");
}

void to_strongest(Scene& scene) {
  if (scene.result.is_long()) {
    long_view_of(scene.view).to_strongest = true;  // the map knows what is in sight
    return;
  }
  const Measures& all = scene.result.measures;
  const RowMeasures* best = nullptr;
  for (std::int64_t i = 0; i < all.queries; ++i) {
    const RowMeasures& row = all.row(scene.sequence(), scene.selection.head, i);
    if (row.allowed < 2 || row.strongest < 0 || (best != nullptr && row.largest <= best->largest)) continue;
    best = &row;
    scene.next.cell = {i, row.strongest};
    scene.next.locked = true;
  }
}

void step(Scene& scene, std::int64_t down, std::int64_t right) {
  const Page* const page = page_of_mode(scene.pages, scene.view.mode);
  if (page == nullptr || !page->step(scene, down, right)) move_cell(scene, down, right);
}

}  // namespace attnscope::act
