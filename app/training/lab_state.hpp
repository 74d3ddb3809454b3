// app/training: which task is trained, how fast, and which step is shown.
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

/// Step: one step, then a pause. Run: some steps for every frame. Fast: as many as the machine manages.
enum class LabPace : std::uint8_t { Step, Run, Fast };
/// The run whose heads are drawn, or their difference.
enum class LabSide : std::uint8_t { A, B, Difference };

inline constexpr int least_steps_a_frame = 1, most_steps_a_frame = 64;
inline constexpr int usual_steps_a_frame = 1;  // slow enough to talk about what forms

struct LabState {
  std::string task = "small-induction";  // see training::find_task(); an unknown one means the first
  bool control = false;                  // trains its control, a recipe that fails for a known reason
  std::int64_t seed = 0;
  std::int64_t batch = 0;  // 0: the recipe's
  LabPace pace = LabPace::Run;
  int steps_a_frame = usual_steps_a_frame;
  bool slows = true;  // with Run: fewer steps a frame while a score moves
  LabSide side = LabSide::A;
  std::int64_t wall_seeds = 16;  // runs of the seed wall, one of wall_sizes
  /// Steps of the first run. A session's run is trained that far again, with the same bits.
  std::int64_t trained = 0;

  // Not kept in a session.
  bool playing = false;
  std::optional<std::int64_t> step;  // the shown step; empty: the newest
  std::filesystem::path models;      // folder of the models that are opened from here
  std::int64_t head = -1;            // drawn large, counted through all layers; −1: all are drawn
  float scroll = 0;                  // of the controls, logical pixels
  std::size_t runs_due = 0;  // once there are so many runs, the controls scroll to their list; 0: they do not
};

inline constexpr std::array<std::int64_t, 3> wall_sizes{16, 32, 64};

/// The recipe that the state describes. Training goes on past the goal to the last step.
training::Recipe recipe_of(const LabState&);

/// The file name of the run's table, without extension.
std::string lab_file_name(const ViewState&);

/// What a session keeps of it.
void fields(PageFields&, LabState&);
LabState& lab_of(ViewState&);
const LabState& lab_of(const ViewState&);

}  // namespace attnscope
