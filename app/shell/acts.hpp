// app/shell: actions that belong to no page; the table of actions refers to them. Each changes the Scene, or
// says in a notice why it does not.
#pragma once

#include <cstdint>

#include "app/scene/scene.hpp"
#include "app/state/page/mode.hpp"
#include "app/state/regions/regions_state.hpp"

namespace attnscope::act {

void undo(Scene&);
void redo(Scene&);

/// Gives the keyboard to the field of the sentence, and shows it if it is hidden.
void type_the_sentence(Scene&);

void toggle_scaling(Scene&);
void toggle_positions(Scene&);
/// Removes the mask. If the Document has weights alone, its additive mask holds them, and stays.
void remove_mask(Scene&);

void show_mode(Scene&, Mode);
/// In Model mode shows the screen that compares two models. From that screen, without a model, and in other
/// modes it shows the comparison of the layer.
void show_compare(Scene&);
/// The same, but from Model's comparison it goes back to the screen before.
void toggle_compare(Scene&);
/// Shows now − held, or what the mode has of it; again: back, or the next kind of difference.
void show_difference(Scene&);
/// Resets the view to that of the first start, except theme, language and mode.
void reset_view(Scene&);
void rescale(Scene&, float factor);
void next_range(Scene&);
/// Shows a region or hides it.
void turn(Scene&, Region);
/// Shows or hides the inspector: a region, or in a narrow window a drawer. In Model mode it shows the chosen
/// head, and is a region in any window.
void turn_inspector(Scene&);
/// Closes what is open, one thing for each call; unlocks the cell if nothing is open.
void leave(Scene&);

/// Chooses another head in the order of display, which wraps around.
void move_head(Scene&, std::int64_t step);
void move_stage(Scene&, int step);
/// Moves the cell, or what the page uses the arrows for.
void step(Scene&, std::int64_t down, std::int64_t right);
/// Chooses the head's largest weight, among queries that see more than one key: with one key the weight is
/// always 1.
void to_strongest(Scene&);

}  // namespace attnscope::act
