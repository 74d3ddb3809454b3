// app/pages/walk: how far the walk through the computation has come and how it is looked at. Plain values:
// the picture follows from them and the result alone.
#pragma once

#include <cstdint>
#include <optional>

#include "app/state/view_state.hpp"
#include "core/document/stage.hpp"

namespace attnscope {

/// Which stages the lower line has: all up to the output, and at the output those that it is made of; none
/// after the weights; those from the weights on; or those of the block behind the output.
enum class WalkPart : std::uint8_t { Follow, Weights, Output, Block };

struct WalkState {
  std::optional<Stage> stage;  // whose moves are being made; empty: before the first, everything is in sight
  int move = 0;                // of that stage: the last one made, 1 … as many as it has
  bool playing = false;        // one move after the other, to the end
  float speed = 1;             // 0 = instant
  float shown = 1;             // how much of the last move can be seen, 0 … 1
  float pause = 0;             // seconds until the next move while playing
  WalkPart part = WalkPart::Follow;
  bool numbers = false;  // where not all cells can be printed: some with numbers instead of all without
  // The dimension whose products are written out, of q and k, of v, and of X and the output; -1: the one that
  // says most.
  std::int64_t head_dimension = -1, value_dimension = -1, model_dimension = -1;
  // Where not all rows and columns are in sight: the first that are, and the cell they last followed.
  std::int64_t first_query = 0, first_key = 0, followed_query = -1, followed_key = -1;

  bool is_moving() const { return playing || shown < 1; }
  bool operator==(const WalkState&) const = default;
};

/// What a session keeps of it.
void fields(PageFields&, WalkState&);

inline WalkState& walk_of(ViewState& view) { return view.pages.of<WalkState>(); }
inline const WalkState& walk_of(const ViewState& view) { return view.pages.of<WalkState>(); }

}  // namespace attnscope
