// tests/app: the robot in a lesson that trains, and a short one to play.
#pragma once

#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/lesson_files.hpp"
#include "app/lesson_robot.hpp"
#include "support/wait.hpp"

namespace attnscope::test {

inline const std::string front_matter = "---\nlesson: x\ntraining: two-jobs\n---\n";

/// Four steps of a task that trains in no time.
inline const std::string small_lesson = front_matter + R"(## Begin
Accuracy {accuracy(0):.3f}.
```train
steps: 0
cover: no
```
## Fifty
Later {loss("first", 50):.4f}, entropy {entropy(1):.4f}.
```train
steps: 50
show: play, seed, rate, scale, mask, mute, branch
```
```ask choose
What?
- a
* b
answer: {score("previous", 0, 50):.4f}
```
```done
steps >= 75
Train it further.
by: {"steps": 25}
```
## Branched
{branch.accuracy("first"):.3f}
```train
branch: 25
branch_steps: 75
knobs: mask off, mute 1
side: b
measure: entropy
```
## Other
Of seed {seed:d}, {steps:d}.
```train
seed: 1
branch: no
steps: 75
look: 25
```
)";

inline training::Recipe recipe_by_hand(std::uint64_t seed = 0) {
  training::Recipe recipe = training::find_task("two-jobs")->recipe;
  recipe.seed = seed;
  recipe.stops_at_goal = false;
  return recipe;
}

inline const training::Snapshot& last_of(const training::LabRun& run) {
  const training::LabMoment* const moment = run.kept_at(run.step);
  REQUIRE(moment != nullptr);
  REQUIRE(moment->step == run.step);
  return *moment->snapshot;
}

struct Trained : Player {
  using Player::Player;
  const training::ShownLab& shown_lab() { return app().training().shown_lab(); }
  const training::LabRun& run() { return *shown_lab().run(); }
  const LabState& lab() { return lab_of(app().view()); }
  void go(const std::string& name, std::int64_t step) {
    app().lessons().go_to({name, step});
    settle();
  }
  /// Trains with the button of the page.
  void train(std::int64_t steps) {
    const std::int64_t to = run().step + steps;
    click("Train");
    // The pauses leave the processor to the thread that trains.
    REQUIRE(wait_until([&] {
      frame();
      return !lab().playing || run().step >= to;
    }));
    if (lab().playing) click("Train");
    settle();
  }
};

}  // namespace attnscope::test
