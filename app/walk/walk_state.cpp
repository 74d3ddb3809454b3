#include "app/walk/walk_state.hpp"

#include <utility>

#include "app/state/stage_names.hpp"

namespace attnscope {

ATTNSCOPE_NAMES(WalkPart, {"follow", "weights", "output", "block"});

PageState walk_at_start() { return PageState("walk", WalkState()); }

bool is_walk_moving(const ViewState& view) { return walk_of(view).is_moving(); }

void rest_walk(ViewState& view) {
  walk_of(view).playing = false;
  walk_of(view).shown = 1;
}

void fields(PageFields& visit, WalkState& walk) {
  // The place in the walk changes with every press of the space bar, as the chosen cell does with every arrow
  // key.
  visit("stage", walk.stage, InUndo::Place);
  visit("move", walk.move, 0, 1 << 30, InUndo::Place);
  visit("speed", walk.speed, 0, 100);
  visit("part", walk.part);
  visit("numbers", walk.numbers);
  for (auto& [name, dimension] : {std::pair{"head_dimension", &walk.head_dimension},
                                  std::pair{"value_dimension", &walk.value_dimension},
                                  std::pair{"model_dimension", &walk.model_dimension}})
    visit(name, *dimension, -1, 1 << 30);
  for (auto& [name, place] :
       {std::pair{"first_query", &walk.first_query}, std::pair{"first_key", &walk.first_key},
        std::pair{"followed_query", &walk.followed_query}, std::pair{"followed_key", &walk.followed_key}})
    visit(name, *place, -1, 1 << 30, InUndo::No);
}

}  // namespace attnscope
