// app/state: what the first launch offers to do beside the living picture: how far that is done, and
// what came of it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace attnscope {

/// Three things, each of which ticks itself off however it is done.
enum class FirstStep : std::uint8_t { Scaling, Future, Sentence };
inline constexpr std::size_t first_steps = 3;

struct StartState {
  /// What a step turns on, of a Document.
  struct Facts {
    bool divided = false, causal = false;
    std::vector<std::string> texts;
    std::string title;  // of the Document
  };
  /// What of a Result shows that a step was taken.
  struct Measured {
    double entropy = 0;  // mean of the heads' means, nats
    double later = 0;    // share of the weight on keys behind the query's own token
  };
  struct Step {
    bool done = false;
    bool waiting = false;  // was done, and its result is not there yet
    Measured before;
    std::string seen;  // what came of it, one or two sentences
  };

  bool open = false;
  bool left = false;  // not to be shown again
  std::array<Step, first_steps> steps;
  FirstStep last = FirstStep::Scaling;  // that was done
  double seen_at = 0;                   // ImGui::GetTime() when something was last seen to have come of one
  std::optional<Facts> facts;           // when the frame began
  std::optional<Facts> untouched;       // before the first step was taken
  bool changed = false;                 // `left` or a tick, since it was written

  Step& step(FirstStep which) { return steps[static_cast<std::size_t>(which)]; }
  const Step& step(FirstStep which) const { return steps[static_cast<std::size_t>(which)]; }
  bool all_done() const;
};

/// What was ticked and whether it was left, from run to run, in `directory`/first-steps: one word a line.
/// With an empty directory, or where there is no such file, nothing. What cannot be read or written is no
/// reason to complain.
StartState read_start(const std::filesystem::path& directory);
void write_start(const std::filesystem::path& directory, const StartState&);

}  // namespace attnscope
