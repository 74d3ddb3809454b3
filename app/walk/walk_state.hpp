// app/walk: the place in the walk and its settings. Plain values: the picture follows from them and the
// result alone.
#pragma once

#include <cstdint>
#include <optional>

#include "app/state/page/page_state.hpp"
#include "core/document/stage.hpp"

namespace attnscope {

/// The stages of the lower line. Follow: all up to the output, and at the output its operands. Weights: none
/// after the weights. Output: from the weights on. Block: those of the block after the output.
enum class WalkPart : std::uint8_t { Follow, Weights, Output, Block };

struct WalkState {
  std::optional<Stage> stage;  // the current stage; empty: before the first move, all is in sight
  int move = 0;                // the last move made of that stage, from 1
  bool playing = false;        // one move after the other, to the end
  float speed = 1;             // 0 = instant
  float shown = 1;             // how far the last move is faded in, 0 … 1
  float pause = 0;             // seconds until the next move while playing
  WalkPart part = WalkPart::Follow;
  bool numbers = false;  // if not all cells can be printed: some with numbers instead of all without
  // The dimensions whose products are written out, of q and k, of v, and of X and the output; -1: the one
  // whose product or number is largest in magnitude.
  std::int64_t head_dimension = -1, value_dimension = -1, model_dimension = -1;
  // The first query and key in sight, and the cell that they were last scrolled to.
  std::int64_t first_query = 0, first_key = 0, followed_query = -1, followed_key = -1;

  bool is_moving() const { return playing || shown < 1; }
  bool operator==(const WalkState&) const = default;
};

/// At the beginning.
PageState walk_at_start();
bool is_walk_moving(const ViewState&);
/// Ends the fading in of the last move, so that the page shows all of it when it comes back.
void rest_walk(ViewState&);

/// What a session keeps of it.
void fields(PageFields&, WalkState&);

inline WalkState& walk_of(ViewState& view) { return pages_of(view).of<WalkState>(); }
inline const WalkState& walk_of(const ViewState& view) { return pages_of(view).of<WalkState>(); }

}  // namespace attnscope
