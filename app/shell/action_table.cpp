// app/shell: what the window can do, one row each. A new action is one more row.
#include <algorithm>
#include <utility>

#include "app/scene/actions.hpp"
#include "app/scene/picture.hpp"
#include "app/state/compare_state.hpp"
#include "app/state/editing_state.hpp"
#include "app/state/files_state.hpp"
#include "app/state/focus_state.hpp"
#include "app/state/inspector_state.hpp"
#include "app/state/layout.hpp"
#include "app/state/long_state.hpp"
#include "app/state/model_state.hpp"
#include "app/state/teaching/lesson_state.hpp"
#include "app/state/viewing.hpp"
#include "app/views/atlas/atlas.hpp"
#include "app/views/backends/switch.hpp"
#include "app/views/editing/weight_map.hpp"
#include "app/views/experiments/experiments.hpp"
#include "app/views/files/files.hpp"
#include "app/views/focus/focus_parts.hpp"
#include "app/views/generation/generation.hpp"
#include "app/views/head_sets/head_sets.hpp"
#include "app/views/heads/head_menu.hpp"
#include "app/views/heads/head_order.hpp"
#include "app/views/inspector/pages.hpp"
#include "app/views/lab/lab.hpp"
#include "app/views/lessons/playing.hpp"
#include "app/views/long/long_parts.hpp"
#include "app/views/model/why.hpp"
#include "app/views/model_compare/model_compare.hpp"
#include "app/views/neuron/neuron_view.hpp"
#include "app/views/parts/mask_painter.hpp"
#include "app/views/parts/unknown.hpp"
#include "app/views/presenter/presenter.hpp"
#include "app/views/start/start.hpp"
#include "app/views/tokens/masking.hpp"
#include "app/views/walk/script.hpp"
#include "core/attention/run_stage.hpp"
#include "core/edits/heads.hpp"
#include "core/edits/switches.hpp"

namespace attnscope {
namespace {

template <std::int64_t Head>
void lab_mute_of(Scene& scene) {
  lab_mute(scene, Head);
}

void move_head(Scene& scene, std::int64_t step) {
  const std::vector<std::int64_t>& order = heads_in_order(scene);
  const auto at = std::find(order.begin(), order.end(), scene.selection.head) - order.begin();
  const auto heads = std::ssize(order);
  scene.next.head = order[static_cast<std::size_t>((at + step + heads) % heads)];
}

void move_stage(Scene& scene, int step) {
  std::vector<Plane> all = scene.stats.planes();
  // A − B is always there in Compare, and gradients are not compared.
  if (scene.view.mode == Mode::Compare)
    std::erase_if(all, [](Plane plane) { return plane.kind != Plane::Kind::Value; });
  // Differences and errors of all stages are gone through by themselves.
  const auto walk_of = [](Plane plane) { return plane.is_gradient() ? Plane::Kind::Value : plane.kind; };
  std::erase_if(all, [&](Plane plane) { return walk_of(plane) != walk_of(scene.view.stage); });
  const auto now = std::find(all.begin(), all.end(), scene.view.stage) - all.begin();
  if (all.empty()) return;
  const std::ptrdiff_t next = std::clamp<std::ptrdiff_t>(now + step, 0, std::ssize(all) - 1);
  scene.view.show_stage(all[static_cast<std::size_t>(next)]);
}

void turn(Scene& scene, Region region) {
  bool& hidden = scene.view.hidden[static_cast<std::size_t>(region)];
  hidden = !hidden;
}

/// Beside the focus it is a region like the others; in a narrow window it is a drawer. In Model mode it is
/// the chosen head, in any window.
void turn_inspector(Scene& scene) {
  ViewState& view = scene.view;
  const bool is_drawer = view.mode != Mode::Model && is_narrow(ImGui::GetIO().DisplaySize.x, view.scale);
  if (!is_drawer) return turn(scene, Region::Inspector);
  view.drawer = !view.drawer;
}

void toggle_scaling(Scene& scene) {
  if (refuse_without_scores(scene)) return;
  const bool was_divided = edit::is_divided(scene.document);
  scene.document = edit::divided(std::move(scene.document), !was_divided);
}

void toggle_positions(Scene& scene) {
  if (refuse_without_scores(scene)) return;
  Positions& now = scene.document.layer().positions;
  if (now != Positions::None) scene.view.positions = now;
  now = now == Positions::None ? scene.view.positions : Positions::None;
}

void leave(Scene& scene) {
  if (scene.view.help || scene.view.timings || scene.view.parity) {
    scene.view.help = scene.view.timings = scene.view.parity = false;
  } else if (scene.view.files->asks) {
    scene.view.files->asks = false;
  } else if (!scene.view.notices.empty()) {
    scene.view.notices.dismiss();
  } else if (scene.view.editing->painting && scene.view.mode == Mode::Explore) {
    toggle_painting(scene);
  } else if (scene.view.inspector->expanded && scene.view.mode == Mode::Explore) {
    scene.view.inspector->expanded = false;
  } else if (is_narrow(ImGui::GetIO().DisplaySize.x, scene.view.scale) && scene.view.drawer &&
             scene.view.mode == Mode::Explore) {
    scene.view.drawer = false;
  } else if (is_start_shown(scene.view, scene.result)) {
    leave_start(scene.view);
  } else if (scene.view.presenter->tool != PresenterTool::None) {
    scene.view.presenter->tool = PresenterTool::None;
  } else if (scene.view.mode == Mode::Lessons) {
    lesson_free_play(scene);  // or out of the list
    scene.view.presenter->returns = std::exchange(scene.view.presenter->on, false);
  } else if (scene.view.presenter->on) {
    toggle_presenter(scene);
  } else if (scene.view.mode == Mode::Training && scene.view.lesson->left && is_lesson_training(scene)) {
    scene.view.mode = Mode::Lessons;  // from free play
    scene.view.presenter->on = std::exchange(scene.view.presenter->returns, false);
  } else if (scene.view.mode == Mode::Experiments || scene.view.mode == Mode::Training) {
    scene.view.mode = Mode::Explore;
  } else if (scene.view.lesson->left && !scene.selection.locked) {
    scene.view.mode = Mode::Lessons;  // back to the step, as it was left
    scene.view.presenter->on = std::exchange(scene.view.presenter->returns, false);
  } else if (scene.view.mode == Mode::Model && scene.view.model->screen != ModelScreen::Heads) {
    scene.view.model->screen = ModelScreen::Heads;  // back to all heads
  } else if (scene.model != nullptr && !scene.selection.locked && scene.view.mode != Mode::Model) {
    scene.view.mode = Mode::Model;  // up again, from a layer to the model that it stands in
  } else if (scene.view.mode == Mode::Model && scene.view.model->locked) {
    scene.view.model->locked = false;  // the head under the mouse is previewed again
  } else {
    scene.next.locked = false;
  }
}

void next_range(Scene& scene) {
  const ColourScale scale = scene.result.is_long() ? long_scale(scene, scene.head())
                                                   : colour_scale(scene, scene.view.stage, scene.head());
  scene.view.locked_range = {scale.low, scale.high};
  scene.view.range = static_cast<RangeMode>((static_cast<int>(scene.view.range) + 1) % 4);
}

void undo(Scene& scene) { scene.requests.history = -1; }
void redo(Scene& scene) { scene.requests.history = 1; }

/// The field to type into, with everything that hides it out of the way.
void type_the_sentence(Scene& scene) {
  if (scene.result.is_long() || !has_text_field(scene)) {
    scene.view.notices.say(scene.result.is_long()
                               ? "A long sequence has no text field: open a shorter text to type."
                               : "What is open came as numbers and has no sentence to type.");
    return;
  }
  if (scene.view.mode == Mode::Walk) scene.view.mode = Mode::Explore;
  scene.view.hidden[static_cast<std::size_t>(Region::Strip)] = false;
  SentenceState& sentence = scene.view.keyboard.sentence;
  sentence.wanted = true;
  sentence.at_end = false;
  sentence.waited = 0;
  sentence.field = static_cast<std::size_t>(scene.sequence());
}
/// Of weights alone the mask holds the weights themselves: they stay.
void remove_mask(Scene& scene) {
  const TensorPtr weights = has_weights_alone(scene) ? scene.document.layer().masking.additive : nullptr;
  scene.document.layer().masking = {};
  scene.document.layer().masking.additive = weights;
}

void toggle_why(Scene& scene) {
  if (scene.model == nullptr) return scene.view.notices.say("No model is open.");
  ModelScreen& screen = scene.view.model->screen;
  screen = screen == ModelScreen::Why ? ModelScreen::Heads : ModelScreen::Why;
}

void show_mode(Scene& scene, Mode mode) { scene.view.mode = mode; }

void rescale(Scene& scene, float factor) {
  scene.view.scale = std::clamp(scene.view.scale * factor, ViewState::least_scale, ViewState::most_scale);
}

/// Everything is looked at as at the first start; what belongs to the person or the machine stays.
void reset_view(Scene& scene) {
  ViewState usual;
  usual.theme = scene.view.theme;
  usual.language = scene.view.language;
  usual.mode = scene.view.mode;
  Selection chosen = scene.selection;
  const Viewing look = viewing_of(usual, chosen);
  view_again(look, scene.view, chosen);
  scene.view.focus = {};
  if (scene.stats.planes().empty()) return;
  scene.view.stage = weights_stage(scene.result.document);
}

void show_difference(Scene& scene) {
  if (scene.view.mode == Mode::Model && scene.view.model->screen == ModelScreen::Compare)
    return turn_model_difference(scene);
  if (scene.view.mode == Mode::Compare) {
    DifferenceKind& kind = scene.view.compare->difference;
    kind = static_cast<DifferenceKind>((static_cast<int>(kind) + 1) % 3);
    return;
  }
  if (scene.result.is_long()) {
    LongSide& side = scene.view.long_view->side;
    if (scene.held)
      side = side == LongSide::Difference ? LongSide::A : LongSide::Difference;
    else
      scene.view.notices.say("Nothing of this length is held: press \\ to hold what is shown.");
    return;
  }
  const Plane now = scene.view.stage;
  if (now.is_difference()) return scene.view.show_stage(now.stage);
  const Plane wanted(now.stage, Plane::Kind::Difference);
  if (scene.stats.tensor(wanted)) return scene.view.show_stage(wanted);
  scene.view.notices.say(
      scene.held ? "now − held needs as many tokens and heads in what is held as in what is shown."
                 : "Nothing is held yet: press \\ to hold what is shown.");
}

/// Among queries that see more than one key: where one sees only itself, the weight is 1 whatever the scores
/// are.
void to_strongest(Scene& scene) {
  if (scene.result.is_long()) {
    scene.view.long_view->to_strongest = true;  // the map knows what is in sight
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

/// Where a score is split they step through its parts.
void step(Scene& scene, std::int64_t down, std::int64_t right) {
  if (!step_why_part(scene, down, right)) move_cell(scene, down, right);
}

/// What a long result can do as well.
constexpr Action any_length(Action action) {
  action.needs_scores = false;
  return action;
}
/// With other keys that do the same.
constexpr Action also_by(Action action, ImGuiKeyChord first, ImGuiKeyChord second) {
  action.also = {first, second};
  return action;
}

/// Where a text is generated a token more, else the head of the part that is marked in a split.
void space_in_model(Scene& scene) {
  if (!generation_forward(scene)) go_to_marked_part(scene);
}

template <std::int64_t Digit>
void lesson_digit_of(Scene& scene) {
  lesson_digit(scene, Digit);
}

using G = Action::Group;

const Action table[] = {
    any_length({G::File, "Find an action by name", ImGuiMod_Ctrl | ImGuiKey_K, open_palette}),
    any_length({G::File, "Open a file", ImGuiMod_Ctrl | ImGuiKey_O, open_file_dialog}),
    any_length({G::File, "Reopen last", 0, [](Scene& s) { s.requests.reopen.emplace(); }}),
    any_length({G::File, "Save the document", ImGuiMod_Ctrl | ImGuiKey_S,
                [](Scene& s) { s.requests.save.emplace(); }}),
    any_length({G::File, "Save under another name", 0, open_save_dialog}),
    any_length({G::File, "Save a picture", ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_S,
                [](Scene& s) { open_picture_card(s, PictureRegion::Focus); }}),
    any_length({G::File, "Export the numbers in the focus", 0,
                [](Scene& s) { open_export_dialog(s, s.view.files->numbers); }}),
    any_length({G::File, "Copy the numbers in the focus", ImGuiMod_Ctrl | ImGuiKey_C, copy_numbers}),
    {G::File, "Copy the chosen cell's number", 0, copy_cell},
    any_length({G::File, "Copy as command line", 0, copy_command}),
    any_length({G::File, "Keys and gestures", ImGuiKey_F1, [](Scene& s) { s.view.help = !s.view.help; }}),
    any_length({G::Edit, "Undo", ImGuiMod_Ctrl | ImGuiKey_Z, undo, true}),
    any_length({G::Edit, "Redo", ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Z, redo, true}),
    any_length({G::Edit, "Redo", ImGuiMod_Ctrl | ImGuiKey_Y, redo, true}),

    any_length({G::Edit, "Type the sentence", ImGuiMod_Ctrl | ImGuiKey_L, type_the_sentence}),
    {G::Edit, "Weights and token vectors again, as the seed makes them", ImGuiKey_Home, draw_weights_again,
     false, Mode::Explore},
    {G::Edit, "Weights and token vectors from a new seed", ImGuiMod_Shift | ImGuiKey_Home, draw_new_weights,
     false, Mode::Explore},
    {G::Edit, "Edit the weights, block by block", ImGuiKey_W, show_next_weights, false, Mode::Explore},
    {G::Edit, "Paint the mask, or look again", ImGuiKey_B, toggle_painting, false, Mode::Explore},
    {G::Edit, "Brush for the chosen head, or for all heads", ImGuiMod_Shift | ImGuiKey_B, toggle_brush_reach,
     false, Mode::Explore},

    {G::Edit, "Mask the chosen word, or put it back", ImGuiMod_Shift | ImGuiKey_W, toggle_mask_of_chosen,
     false, Mode::Model},

    any_length({G::Attention, "Divide by √dₖ on or off", ImGuiKey_S, toggle_scaling}),
    any_length({G::Attention, "Causal mask on or off", ImGuiKey_C,
                [](Scene& s) { s.document.layer().masking.causal = !s.document.layer().masking.causal; }}),
    {G::Attention, "Padding mask on or off", ImGuiKey_P,
     [](Scene& s) { s.document.layer().masking.padding = !s.document.layer().masking.padding; }},
    any_length({G::Attention, "No mask", ImGuiKey_N, remove_mask}),
    {G::Attention, "Hide the chosen cell, or show it again", ImGuiKey_M, toggle_hidden_cell},
    any_length({G::Attention, "Positions on or off", ImGuiKey_O, toggle_positions}),
    {G::Attention, "Mute the chosen head or restore it", ImGuiMod_Shift | ImGuiKey_M,
     [](Scene& s) { s.document = edit::mute(std::move(s.document), s.selection.head); }},
    {G::Attention, "Solo the chosen head or restore all", ImGuiMod_Shift | ImGuiKey_S,
     [](Scene& s) { s.document = edit::solo(std::move(s.document), s.selection.head); }},
    {G::Attention, "Restore all heads", ImGuiMod_Shift | ImGuiKey_R,
     [](Scene& s) { s.document = edit::restore_heads(std::move(s.document)); }},
    any_length({G::Attention, "Zero a list of heads, or all others", 0, open_head_sets, false, Mode::Model}),
    any_length({G::Attention, "Copy the list of zeroed heads", 0, copy_zeroed_heads, false, Mode::Model}),
    {G::Attention, "Menu of the chosen head", ImGuiMod_Shift | ImGuiKey_H,
     [](Scene& s) { open_head_menu(s, s.selection.head); }},

    any_length({G::Look, "Explore", ImGuiKey_F2, [](Scene& s) { show_mode(s, Mode::Explore); }}),
    any_length({G::Look, "Walk", ImGuiKey_F3, [](Scene& s) { show_mode(s, Mode::Walk); }}),
    any_length({G::Look, "Compare, or back from it in Model", ImGuiKey_F4, toggle_model_compare}),
    any_length({G::Look, "Model", ImGuiKey_F7, [](Scene& s) { show_mode(s, Mode::Model); }}),
    any_length({G::Look, "Experiments", ImGuiKey_F9, [](Scene& s) { show_mode(s, Mode::Experiments); }}),
    any_length({G::Look, "Lessons", ImGuiKey_F8, [](Scene& s) { show_mode(s, Mode::Lessons); }}),
    any_length({G::Look, "Training", ImGuiKey_F10, [](Scene& s) { show_mode(s, Mode::Training); }}),
    any_length({G::Look, "Why did it look there, or all heads", ImGuiKey_Y, toggle_why, false, Mode::Model}),
    any_length({G::Look, "Atlas of what zeroing heads does, or all heads", ImGuiKey_A, toggle_atlas, false,
                Mode::Model}),
    any_length({G::Look, "Activation patching, or all heads", ImGuiMod_Shift | ImGuiKey_A, toggle_patching,
                false, Mode::Model}),
    any_length({G::Look, "Generation token by token, or all heads", ImGuiKey_G, toggle_generation, false,
                Mode::Model}),
    any_length(
        {G::Look, "Next theme", ImGuiKey_T,
         [](Scene& s) { s.view.theme = static_cast<ThemeName>((static_cast<int>(s.view.theme) + 1) % 3); }}),
    // Plus is Shift and = on an American keyboard, a key of its own on others.
    also_by(any_length({G::Look, "Larger", ImGuiMod_Ctrl | ImGuiKey_Equal, [](Scene& s) { rescale(s, 1.1f); },
                        true}),
            ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Equal, ImGuiMod_Ctrl | ImGuiKey_KeypadAdd),
    also_by(any_length({G::Look, "Smaller", ImGuiMod_Ctrl | ImGuiKey_Minus,
                        [](Scene& s) { rescale(s, 1 / 1.1f); }, true}),
            ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Minus, ImGuiMod_Ctrl | ImGuiKey_KeypadSubtract),
    any_length({G::Look, "Milliseconds of every stage", ImGuiKey_H,
                [](Scene& s) { s.view.timings = !s.view.timings; }}),
    any_length({G::Look, "Compute on the other backend", ImGuiKey_U, next_backend}),
    any_length({G::Look, "Compare the numbers of both backends", ImGuiMod_Shift | ImGuiKey_U,
                [](Scene& s) { s.view.parity = !s.view.parity; }}),
    {G::Look, "Show the first steps again", 0, show_start_again},
    {G::Look, "Next page of the inspector", ImGuiKey_K, show_next_page, false, Mode::Explore, false},
    {G::Look, "Pin the inspector to the cell, or let it follow", ImGuiKey_I, toggle_pin, false, Mode::Explore,
     false},
    {G::Look, "Neuron view, large", ImGuiKey_E, toggle_large_neurons, false, Mode::Explore},
    {G::Look, "Direction of the token strip", ImGuiKey_D,
     [](Scene& s) { s.view.direction = static_cast<Direction>(1 - static_cast<int>(s.view.direction)); }},
    any_length({G::Look, "Zoom to the chosen cell, or fit the matrix", ImGuiKey_Z, fit_or_zoom, false,
                Mode::Explore}),
    any_length({G::Look, "Swap the axes of the map", ImGuiMod_Shift | ImGuiKey_T, swap_axes}),
    {G::Look, "Lines between tokens, or the map", ImGuiKey_G, toggle_lines, false, Mode::Explore},
    any_length({G::Look, "Colours by the logarithm of the weight", ImGuiKey_L, toggle_log}),
    {G::Look, "Float64 error instead of the value", 0, toggle_errors},
    any_length({G::Look, "Next range of the colour bar", ImGuiKey_R, next_range}),
    {G::Look, "Freeze the trace against time", ImGuiKey_F, [](Scene& s) { s.view.scope.turn(s.view.now); }},
    {G::Look, "Arm the trigger of the trace", 0, [](Scene& s) { s.view.scope.arm(); }},
    {G::Look, "Stage before", ImGuiKey_Comma, [](Scene& s) { move_stage(s, -1); }},
    {G::Look, "Stage after", ImGuiKey_Period, [](Scene& s) { move_stage(s, 1); }},

    any_length({G::Move, "Head before", ImGuiKey_LeftBracket, [](Scene& s) { move_head(s, -1); }, true}),
    any_length({G::Move, "Head after", ImGuiKey_RightBracket, [](Scene& s) { move_head(s, 1); }, true}),
    any_length({G::Move, "Cell above", ImGuiKey_UpArrow, [](Scene& s) { step(s, -1, 0); }, true}),
    any_length({G::Move, "Cell below", ImGuiKey_DownArrow, [](Scene& s) { step(s, 1, 0); }, true}),
    any_length({G::Move, "Cell to the left", ImGuiKey_LeftArrow, [](Scene& s) { step(s, 0, -1); }, true}),
    any_length({G::Move, "Cell to the right", ImGuiKey_RightArrow, [](Scene& s) { step(s, 0, 1); }, true}),
    any_length({G::Move, "Close what is open, unlock the cell", ImGuiKey_Escape, leave}),
    any_length({G::Move, "Open the layer in Explore", ImGuiKey_Enter,
                [](Scene& s) { show_mode(s, Mode::Explore); }, false, Mode::Model}),

    any_length({G::Move, "Head of the marked part, or one token on", ImGuiKey_Space, space_in_model, true,
                Mode::Model}),
    any_length({G::Move, "One token back", ImGuiKey_Backspace, generation_back, true, Mode::Model}),
    any_length({G::Move, "Generate tokens, or stop", ImGuiMod_Shift | ImGuiKey_Space, generation_play, false,
                Mode::Model}),
    any_length(
        {G::Move, "Before the first appended token", ImGuiKey_Home, generation_to_start, false, Mode::Model}),
    any_length(
        {G::Move, "Behind the last appended token", ImGuiKey_End, generation_to_end, false, Mode::Model}),
    any_length({G::Move, "Strongest cell in sight", ImGuiKey_J, to_strongest}),
    {G::Regions, "Token strip", ImGuiKey_1, [](Scene& s) { turn(s, Region::Strip); }},
    any_length({G::Regions, "Controls", ImGuiKey_2, [](Scene& s) { turn(s, Region::Controls); }}),
    {G::Regions, "Heads", ImGuiKey_3, [](Scene& s) { turn(s, Region::Heads); }},
    {G::Regions, "Signals", ImGuiKey_4, [](Scene& s) { turn(s, Region::Signals); }},
    any_length({G::Regions, "Inspector", ImGuiKey_5, turn_inspector}),
    any_length({G::Regions, "Usual sizes", 0, [](Scene& s) { s.view.sizes = {}; }}),
    any_length({G::Regions, "Usual view", 0, reset_view}),
    any_length(
        {G::Regions, "Keyboard to the next region", ImGuiKey_F6, [](Scene& s) { s.view.keyboard.turn = 1; }}),
    any_length({G::Regions, "Keyboard to the region before", ImGuiMod_Shift | ImGuiKey_F6,
                [](Scene& s) { s.view.keyboard.turn = -1; }}),

    also_by({G::Lessons, "Next step", ImGuiKey_Space, lesson_next, false, Mode::Lessons}, ImGuiKey_RightArrow,
            ImGuiKey_PageDown),
    also_by({G::Lessons, "Step before", ImGuiKey_LeftArrow, lesson_back, false, Mode::Lessons},
            ImGuiKey_PageUp, ImGuiKey_Backspace),
    {G::Lessons, "Lesson from the start", ImGuiKey_Home, lesson_to_start, false, Mode::Lessons},
    {G::Lessons, "Reveal what was predicted", ImGuiKey_R, lesson_reveal, false, Mode::Lessons},
    {G::Lessons, "Speaker notes", ImGuiKey_N, lesson_notes, false, Mode::Lessons},
    {G::Lessons, "Count the votes of a class", ImGuiKey_V, lesson_votes, false, Mode::Lessons},
    {G::Lessons, "First answer, or first chapter", ImGuiKey_1, lesson_digit_of<1>, false, Mode::Lessons},
    {G::Lessons, "Second answer, or second chapter", ImGuiKey_2, lesson_digit_of<2>, false, Mode::Lessons},
    {G::Lessons, "Third answer, or third chapter", ImGuiKey_3, lesson_digit_of<3>, false, Mode::Lessons},
    {G::Lessons, "Fourth answer, or fourth chapter", ImGuiKey_4, lesson_digit_of<4>, false, Mode::Lessons},
    {G::Lessons, "Fifth answer, or fifth chapter", ImGuiKey_5, lesson_digit_of<5>, false, Mode::Lessons},
    {G::Lessons, "Sixth answer, or sixth chapter", ImGuiKey_6, lesson_digit_of<6>, false, Mode::Lessons},

    any_length(
        {G::Experiments, "Value before", ImGuiKey_LeftArrow, experiment_before, true, Mode::Experiments}),
    any_length(
        {G::Experiments, "Value after", ImGuiKey_RightArrow, experiment_after, true, Mode::Experiments}),
    any_length(
        {G::Experiments, "Experiment above", ImGuiKey_UpArrow, experiment_above, true, Mode::Experiments}),
    any_length(
        {G::Experiments, "Experiment below", ImGuiKey_DownArrow, experiment_below, true, Mode::Experiments}),
    any_length({G::Experiments, "Copy the experiment's table", ImGuiKey_C, copy_experiment, false,
                Mode::Experiments}),
    any_length({G::Experiments, "Save the experiment's table", ImGuiKey_S, save_experiment, false,
                Mode::Experiments}),
    any_length({G::Experiments, "Open the experiment's state in Explore", ImGuiKey_Enter, open_experiment,
                false, Mode::Experiments}),

    any_length({G::Training, "Train, or pause", ImGuiKey_Space, lab_play, false, Mode::Training}),
    any_length({G::Training, "Train one step", ImGuiKey_S, lab_step, true, Mode::Training}),
    any_length({G::Training, "Back in time", ImGuiKey_LeftArrow, lab_before, true, Mode::Training}),
    any_length({G::Training, "On in time", ImGuiKey_RightArrow, lab_after, true, Mode::Training}),
    any_length({G::Training, "Branch from this step", ImGuiKey_B, lab_branch, false, Mode::Training}),
    any_length({G::Training, "Run the wall of seeds, or stop", ImGuiKey_W, lab_wall, false, Mode::Training}),
    any_length({G::Training, "Mute the first head", ImGuiKey_1, lab_mute_of<0>, false, Mode::Training}),
    any_length({G::Training, "Mute the second head", ImGuiKey_2, lab_mute_of<1>, false, Mode::Training}),
    any_length({G::Training, "Mute the third head", ImGuiKey_3, lab_mute_of<2>, false, Mode::Training}),
    any_length({G::Training, "Mute the fourth head", ImGuiKey_4, lab_mute_of<3>, false, Mode::Training}),

    any_length({G::Presenter, "Present, or end it", ImGuiKey_F5, toggle_presenter}),
    any_length({G::Presenter, "Pen", ImGuiKey_P, toggle_pen}),
    any_length({G::Presenter, "Arrow", ImGuiKey_A, toggle_arrow}),
    any_length({G::Presenter, "Words on the picture", ImGuiKey_W, toggle_presenter_text}),
    any_length({G::Presenter, "Take the last mark away", ImGuiKey_Z, take_back_mark}),
    any_length({G::Presenter, "Clear what was drawn", ImGuiKey_C, clear_marks}),

    {G::Walk, "One move on", ImGuiKey_Space, walk::step_forward, true, Mode::Walk},
    {G::Walk, "One move back", ImGuiKey_Backspace, walk::step_back, true, Mode::Walk},
    {G::Walk, "Play to the end, or pause", ImGuiMod_Shift | ImGuiKey_Space, walk::play_or_pause, false,
     Mode::Walk},
    {G::Walk, "One stage on", ImGuiKey_PageDown, walk::next_stage, true, Mode::Walk},
    {G::Walk, "One stage back", ImGuiKey_PageUp, walk::previous_stage, true, Mode::Walk},
    {G::Walk, "Before the first move", ImGuiKey_Home, walk::go_to_start, false, Mode::Walk},
    {G::Walk, "To the last move", ImGuiKey_End, walk::go_to_end, false, Mode::Walk},

    any_length(
        {G::Compare, "Hold what is shown", ImGuiKey_Backslash, [](Scene& s) { s.requests.hold = true; }}),
    any_length({G::Compare, "Swap now and held", ImGuiKey_X, [](Scene& s) { s.requests.swap = true; }}),
    any_length({G::Compare, "Drop what is held", ImGuiMod_Shift | ImGuiKey_Backslash,
                [](Scene& s) { s.requests.release_held = true; }}),
    any_length({G::Compare, "Difference now − held on or off", ImGuiKey_Slash, show_difference}),
};

}  // namespace

std::span<const Action> actions() { return table; }

}  // namespace attnscope
