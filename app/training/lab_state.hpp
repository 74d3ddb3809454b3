// app/training: which task is trained, how fast, and which step of it is looked at.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/training/tasks/recipe.hpp"

namespace attnscope {

class PageFields;
struct ViewState;

/// Step: one at a time. Run: some for every frame. Fast: as many as the machine does.
enum class LabPace : std::uint8_t { Step, Run, Fast };
/// Which of two runs the heads are drawn of.
enum class LabSide : std::uint8_t { A, B, Difference };

inline constexpr int least_steps_a_frame = 1, most_steps_a_frame = 64;
inline constexpr int usual_steps_a_frame = 1;  // slow enough to talk about what forms

struct LabState {
  std::string task = "small-induction";  // see training::find_task(); one that there is not: the first
  bool control = false;                  // its recipe that fails for a reason
  std::int64_t seed = 0;
  std::int64_t batch = 0;  // 0: as the recipe has it
  LabPace pace = LabPace::Run;
  int steps_a_frame = usual_steps_a_frame;
  LabSide side = LabSide::A;
  std::int64_t wall_seeds = 16;  // of the seed wall, one of wall_sizes
  /// Steps of the first run. One that a session brings is trained that far: the same bits again.
  std::int64_t trained = 0;

  // Of the moment.
  bool playing = false;
  std::optional<std::int64_t> step;  // that is looked at; empty: the newest
  std::filesystem::path models;      // where models go that are opened from here
  float scroll = 0;                  // of the controls, logical pixels
};

inline constexpr std::array<std::int64_t, 3> wall_sizes{16, 32, 64};

/// What is to be trained. Its steps go on to the end, beyond the goal.
training::Recipe recipe_of(const LabState&);

/// What the table of its run is called as a file, without ending.
std::string lab_file_name(const ViewState&);

/// What a session keeps of it.
void fields(PageFields&, LabState&);
LabState& lab_of(ViewState&);
const LabState& lab_of(const ViewState&);

}  // namespace attnscope
