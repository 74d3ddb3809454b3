// app/walk: the stages of a result that the walk passes, and the number of short moves of each. A place
// in the walk is the number of moves made: 0 before the first, moves() at the end.
#pragma once

#include <span>
#include <vector>

#include "app/scene/scene.hpp"
#include "app/walk/walk_state.hpp"

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
  /// 0 if the walk does not pass the stage.
  int moves_of(Stage) const;
  /// The place before the stage's first move; the walk must pass the stage.
  int first(Stage) const;
  /// How many of the stage's moves are made at a place: 0 … moves_of(stage).
  int made(Stage, int place) const;

  /// The place of a state. A stage that a changed setting has removed counts as the end of the stage before
  /// it.
  int place(const WalkState&) const;
  /// Goes to a place at once and ends an animation.
  void go(WalkState&, int place) const;

 private:
  void add(Stage, int moves);
  void add_vectors(const LayerResult&);
  void add_planes(const LayerResult&);

  std::vector<Step> steps_;
  std::vector<int> first_{0};  // places before each step; the last is the end
};

/// The moves of softmax.
enum class SoftmaxMove { Shift, Exponential, Sum, Divide, Hide };
std::vector<SoftmaxMove> softmax_moves(const Document&);
/// The moves of linear attention.
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
/// Plays move after move to the end, from the start if it is at the end; or pauses.
void play_or_pause(Scene&);
/// `seconds` have passed: fades the last move in and, while playing, makes the next move.
void advance(Scene&, float seconds);

}  // namespace attnscope::walk
