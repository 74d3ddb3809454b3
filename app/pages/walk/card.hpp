// app/pages/walk: the card below the matrices: the move in one sentence, and its formula with the operands of
// the chosen cell.
#pragma once

#include "app/walk/contents.hpp"

namespace attnscope::walk {

/// What the last move did.
struct MoveWords {
  std::string title;     // "Softmax"
  std::string sentence;  // "Each entry is divided by its row sum: rows sum to 1."
};
MoveWords words_of(const View&);
/// The sentence of a move in a stage of the block around attention.
std::string block_sentence(const View&, Stage, int move, int moves);

void draw_card(const View&, Contents&, const Box&);

}  // namespace attnscope::walk
