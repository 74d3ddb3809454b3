// app/shell: what the keys do that belongs to no page alone; the table of actions names them. Each changes
// the Scene it is given, or says in a notice why it does not.
#pragma once

#include <cstdint>

#include "app/scene/scene.hpp"

namespace attnscope::act {

void undo(Scene&);
void redo(Scene&);

/// Gives the keyboard to the field of the sentence, with everything that hides it out of the way.
void type_the_sentence(Scene&);

void toggle_scaling(Scene&);
void toggle_positions(Scene&);
/// Of weights alone the mask holds the weights themselves: they stay.
void remove_mask(Scene&);

void show_mode(Scene&, Mode);
/// In Model shows the screen that compares two models; from that screen, where no model is open and in every
/// other mode the comparison of the layer.
void show_compare(Scene&);
/// The same, or from the screen of Model back to the one before.
void toggle_compare(Scene&);
/// Now minus held, in every mode that shows it.
void show_difference(Scene&);
/// As at the first start; theme, language and mode stay.
void reset_view(Scene&);
void rescale(Scene&, float factor);
void next_range(Scene&);
/// Shows a region or hides it.
void turn(Scene&, Region);
/// Beside the focus it is a region like the others; in a narrow window it is a drawer. In Model mode it is
/// the chosen head, in any window.
void turn_inspector(Scene&);
/// Closes what is open, one thing a call; unlocks the cell where nothing is.
void leave(Scene&);

/// In the order in which heads are shown, from the last on to the first.
void move_head(Scene&, std::int64_t step);
void move_stage(Scene&, int step);
/// The cell; where the page has something else for the arrows, that.
void step(Scene&, std::int64_t down, std::int64_t right);
/// Among queries that see more than one key: where one sees only itself, the weight is 1 whatever the scores
/// are.
void to_strongest(Scene&);

}  // namespace attnscope::act
