// app/shell: the table of the window's actions. A new action is one more row, here or with its page.
#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "app/scene/page_facts.hpp"
#include "app/shell/acts.hpp"
#include "app/state/files_state.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/state/regions/signals_state.hpp"
#include "app/state/regions/token_look.hpp"
#include "app/state/window_state.hpp"
#include "app/views/backends/switch.hpp"
#include "app/views/files/files.hpp"
#include "app/views/focus/focus_parts.hpp"
#include "app/views/heads/head_menu.hpp"
#include "app/views/presenter/presenter.hpp"
#include "app/views/start/start.hpp"
#include "app/views/watch/watch.hpp"
#include "core/edits/heads.hpp"

namespace attnscope {
namespace {

/// Also works for a long result, whose scores are not kept.
constexpr Action any_length(Action action) {
  action.needs_scores = false;
  return action;
}
/// Adds other keys for the same action.
constexpr Action also_by(Action action, ImGuiKeyChord first, ImGuiKeyChord second) {
  action.also = {first, second};
  return action;
}

using G = Action::Group;

/// It stands behind the opening of Model.
constexpr Action watch_opening = any_length({G::Look, "Watch a Python process", 0, show_watch});

/// All actions except those of pages, the rows of a group in their order.
const Action own_actions[] = {
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
    any_length({G::File, "Copy as a sentence", 0, copy_sentence}),
    any_length({G::File, "Copy as command line", 0, copy_command}),
    any_length({G::File, "Keys and gestures", ImGuiKey_F1, [](Scene& s) { s.view.help = !s.view.help; }}),
    any_length({G::Edit, "Undo", ImGuiMod_Ctrl | ImGuiKey_Z, act::undo, true}),
    any_length({G::Edit, "Redo", ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Z, act::redo, true}),
    any_length({G::Edit, "Redo", ImGuiMod_Ctrl | ImGuiKey_Y, act::redo, true}),

    any_length({G::Edit, "Type the sentence", ImGuiMod_Ctrl | ImGuiKey_L, act::type_the_sentence}),

    any_length({G::Attention, "Divide by √dₖ on or off", ImGuiKey_S, act::toggle_scaling}),
    any_length({G::Attention, "Causal mask on or off", ImGuiKey_C,
                [](Scene& s) { s.document.layer().masking.causal = !s.document.layer().masking.causal; }}),
    {G::Attention, "Padding mask on or off", ImGuiKey_P,
     [](Scene& s) { s.document.layer().masking.padding = !s.document.layer().masking.padding; }},
    any_length({G::Attention, "No mask", ImGuiKey_N, act::remove_mask}),
    {G::Attention, "Hide the chosen cell, or show it again", ImGuiKey_M, toggle_hidden_cell},
    any_length({G::Attention, "Positions on or off", ImGuiKey_O, act::toggle_positions}),
    {G::Attention, "Mute the chosen head or restore it", ImGuiMod_Shift | ImGuiKey_M,
     [](Scene& s) { s.document = edit::mute(std::move(s.document), s.selection.head); }},
    {G::Attention, "Solo the chosen head or restore all", ImGuiMod_Shift | ImGuiKey_S,
     [](Scene& s) { s.document = edit::solo(std::move(s.document), s.selection.head); }},
    {G::Attention, "Restore all heads", ImGuiMod_Shift | ImGuiKey_R,
     [](Scene& s) { s.document = edit::restore_heads(std::move(s.document)); }},
    {G::Attention, "Menu of the chosen head", ImGuiMod_Shift | ImGuiKey_H,
     [](Scene& s) { open_head_menu(s, s.selection.head); }},

    any_length(
        {G::Look, "Next theme", ImGuiKey_T,
         [](Scene& s) { s.view.theme = static_cast<ThemeName>((static_cast<int>(s.view.theme) + 1) % 3); }}),
    // Plus is Shift and = on an American keyboard, a key of its own on others.
    also_by(any_length({G::Look, "Larger", ImGuiMod_Ctrl | ImGuiKey_Equal,
                        [](Scene& s) { act::rescale(s, 1.1f); }, true}),
            ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Equal, ImGuiMod_Ctrl | ImGuiKey_KeypadAdd),
    also_by(any_length({G::Look, "Smaller", ImGuiMod_Ctrl | ImGuiKey_Minus,
                        [](Scene& s) { act::rescale(s, 1 / 1.1f); }, true}),
            ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Minus, ImGuiMod_Ctrl | ImGuiKey_KeypadSubtract),
    any_length({G::Look, "Milliseconds of every stage", ImGuiKey_H,
                [](Scene& s) { s.view.timings = !s.view.timings; }}),
    any_length({G::Look, "Compute on the other backend", ImGuiKey_U, next_backend}),
    any_length({G::Look, "Compare the numbers of both backends", ImGuiMod_Shift | ImGuiKey_U,
                [](Scene& s) { s.view.parity = !s.view.parity; }}),
    {G::Look, "Show the first steps again", 0, show_start_again},
    {G::Look, "Direction of the token strip", ImGuiKey_D,
     [](Scene& s) {
       token_look_of(s.view).direction =
           static_cast<Direction>(1 - static_cast<int>(token_look_of(s.view).direction));
     }},
    any_length({G::Look, "Swap the axes of the map", ImGuiMod_Shift | ImGuiKey_T, swap_axes}),
    any_length({G::Look, "Colours by the logarithm of the weight", ImGuiKey_L, toggle_log}),
    {G::Look, "Float64 error instead of the value", 0, toggle_errors},
    any_length({G::Look, "Next range of the colour bar", ImGuiKey_R, act::next_range}),
    {G::Look, "Freeze the trace against time", ImGuiKey_F,
     [](Scene& s) { scope_of(s.view).turn(s.view.now); }},
    {G::Look, "Arm the trigger of the trace", 0, [](Scene& s) { scope_of(s.view).arm(); }},
    {G::Look, "Stage before", ImGuiKey_Comma, [](Scene& s) { act::move_stage(s, -1); }},
    {G::Look, "Stage after", ImGuiKey_Period, [](Scene& s) { act::move_stage(s, 1); }},

    any_length({G::Move, "Head before", ImGuiKey_LeftBracket, [](Scene& s) { act::move_head(s, -1); }, true}),
    any_length({G::Move, "Head after", ImGuiKey_RightBracket, [](Scene& s) { act::move_head(s, 1); }, true}),
    any_length({G::Move, "Cell above", ImGuiKey_UpArrow, [](Scene& s) { act::step(s, -1, 0); }, true}),
    any_length({G::Move, "Cell below", ImGuiKey_DownArrow, [](Scene& s) { act::step(s, 1, 0); }, true}),
    any_length(
        {G::Move, "Cell to the left", ImGuiKey_LeftArrow, [](Scene& s) { act::step(s, 0, -1); }, true}),
    any_length(
        {G::Move, "Cell to the right", ImGuiKey_RightArrow, [](Scene& s) { act::step(s, 0, 1); }, true}),
    any_length({G::Move, "Close what is open, unlock the cell", ImGuiKey_Escape, act::leave}),
    any_length({G::Move, "Strongest cell in sight", ImGuiKey_J, act::to_strongest}),
    {G::Regions, "Token strip", ImGuiKey_1, [](Scene& s) { act::turn(s, Region::Strip); }},
    any_length({G::Regions, "Controls", ImGuiKey_2, [](Scene& s) { act::turn(s, Region::Controls); }}),
    {G::Regions, "Heads", ImGuiKey_3, [](Scene& s) { act::turn(s, Region::Heads); }},
    {G::Regions, "Signals", ImGuiKey_4, [](Scene& s) { act::turn(s, Region::Signals); }},
    any_length({G::Regions, "Inspector", ImGuiKey_5, act::turn_inspector}),
    any_length({G::Regions, "Usual sizes", 0, [](Scene& s) { regions_of(s.view).sizes = {}; }}),
    any_length({G::Regions, "Usual view", 0, act::reset_view}),
    any_length(
        {G::Regions, "Keyboard to the next region", ImGuiKey_F6, [](Scene& s) { s.view.keyboard.turn = 1; }}),
    any_length({G::Regions, "Keyboard to the region before", ImGuiMod_Shift | ImGuiKey_F6,
                [](Scene& s) { s.view.keyboard.turn = -1; }}),

    any_length({G::Presenter, "Present, or end it", ImGuiKey_F5, toggle_presenter}),
    any_length({G::Presenter, "Pen", ImGuiKey_P, toggle_pen}),
    any_length({G::Presenter, "Arrow", ImGuiKey_A, toggle_arrow}),
    any_length({G::Presenter, "Words on the picture", ImGuiKey_W, toggle_presenter_text}),
    any_length({G::Presenter, "Take the last mark away", ImGuiKey_Z, take_back_mark}),
    any_length({G::Presenter, "Clear what was drawn", ImGuiKey_C, clear_marks}),

    any_length({G::Watch, "Pause the picture, or go on", ImGuiKey_Space, watch_pause}),
    any_length({G::Watch, "Watched pass: hold it", ImGuiKey_Backslash, hold_watched}),
    any_length(
        {G::Watch, "Watched pass: hold it no more", ImGuiMod_Shift | ImGuiKey_Backslash, drop_watched}),
    any_length({G::Watch, "Watched heads as now − held, on or off", ImGuiKey_Slash, turn_watched_difference}),
    any_length({G::Watch, "Pass before", ImGuiKey_LeftArrow, watch_pass_before, true}),
    any_length({G::Watch, "Pass after", ImGuiKey_RightArrow, watch_pass_after, true}),
    any_length({G::Watch, "Newest row again", ImGuiKey_End, watch_newest}),
    any_length({G::Watch, "Layer above", ImGuiKey_UpArrow, watch_layer_above, true}),
    any_length({G::Watch, "Layer below", ImGuiKey_DownArrow, watch_layer_below, true}),
    any_length({G::Watch, "Watched head before", ImGuiKey_LeftBracket, watch_head_before, true}),
    any_length({G::Watch, "Watched head after", ImGuiKey_RightBracket, watch_head_after, true}),
    any_length({G::Watch, "Open the watched layer in Explore", ImGuiKey_Enter, watch_open_layer}),
    any_length({G::Watch, "Watch the next process", 0, watch_next_process}),
    any_length({G::Watch, "Open the model on the disk that has the same shapes", 0, watch_open_beside}),
    any_length({G::Watch, "Back from the process to the model", 0, leave_watch}),

    any_length(
        {G::Compare, "Hold what is shown", ImGuiKey_Backslash, [](Scene& s) { s.requests.hold = true; }}),
    any_length({G::Compare, "Swap now and held", ImGuiKey_X, [](Scene& s) { s.requests.swap = true; }}),
    any_length({G::Compare, "Drop what is held", ImGuiMod_Shift | ImGuiKey_Backslash,
                [](Scene& s) { s.requests.release_held = true; }}),
    any_length({G::Compare, "Difference now − held on or off", ImGuiKey_Slash, act::show_difference}),
};

}  // namespace

std::span<const Action> actions() {
  static const std::vector<Action> all = [] {
    std::vector<Action> rows;
    for (const Mode& mode : modes()) {
      const PageFacts* const page = page_facts_of(mode);
      if (page != nullptr && page->open.run != nullptr) rows.push_back(page->open);
      if (mode == Mode::Model) rows.push_back(watch_opening);
    }
    rows.insert(rows.end(), std::begin(own_actions), std::end(own_actions));
    const auto add = [&rows](const Action& action) {
      const auto before = std::ranges::find(rows, action.behind, &Action::name);
      rows.insert(before == rows.end() ? before : before + 1, action);
    };
    for (const PageFacts* const page : page_facts()) std::ranges::for_each(page->actions, add);
    std::ranges::stable_sort(rows, {}, &Action::group);
    return rows;
  }();
  return all;
}

}  // namespace attnscope
