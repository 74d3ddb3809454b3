// app/pages/walk: which stages a result has to walk through, and how many short moves each is made of. A
// place in the walk is the number of moves made: 0 before the first, moves() at the end.
#pragma once

#include <span>
#include <vector>

#include "app/pages/walk/walk_state.hpp"
#include "app/scene/scene.hpp"

namespace attnscope::walk {

struct Step {
  Stage stage;
  int moves;  // >= 1
};

class Script {
 public:
  explicit Script(const LayerResult&);

  std::span<const Step> steps() const { return steps_; }
  int moves() const { return first_.back(); }
  bool has(Stage stage) const { return moves_of(stage) > 0; }
  /// 0 where the walk does not pass the stage.
  int moves_of(Stage) const;
  /// The place before the stage's first move; the stage must be there.
  int first(Stage) const;
  /// How many of the stage's moves are made at a place: 0 … moves_of(stage).
  int made(Stage, int place) const;

  /// A stage that is gone, because a setting was switched, counts as the end of the one before it.
  int place(const WalkState&) const;
  /// Goes to a place; whatever was still moving is over.
  void go(WalkState&, int place) const;

 private:
  void add(Stage, int moves);
  void add_vectors(const LayerResult&);
  void add_planes(const LayerResult&);

  std::vector<Step> steps_;
  std::vector<int> first_{0};  // places before each step; the last is the end
};

/// How the softmax comes about, move by move.
enum class SoftmaxMove { Shift, Exponential, Sum, Divide, Hide };
std::vector<SoftmaxMove> softmax_moves(const Document&);
/// How linear attention comes about.
enum class LinearMove { Product, Hide, Sum, Divide };
inline constexpr int linear_moves = 4;

/// One move on, animated unless the speed is instant; beyond the end nothing happens.
void step_forward(Scene&);
/// Exactly one move back, at once.
void step_back(Scene&);
/// To the end of this stage, or of the next one; to the end of the stage before.
void next_stage(Scene&);
void previous_stage(Scene&);
void go_to_start(Scene&);
void go_to_end(Scene&);
/// Move after move to the end, from the start when it is there already; or stops.
void play_or_pause(Scene&);
/// Time passes: the last move fades in, and while playing the next one follows.
void advance(WalkState&, const Script&, float seconds);

}  // namespace attnscope::walk
