// app/state: the three things that the first launch offers to try beside the live picture: which are done,
// and what was measured.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace attnscope {

/// The three things to try. Each is ticked off however the user does it.
enum class FirstStep : std::uint8_t { Scaling, Future, Sentence };
inline constexpr std::size_t first_steps = 3;

struct StartState {
  /// The properties of a Document whose change takes a step.
  struct Facts {
    bool divided = false, causal = false;
    std::vector<std::string> texts;
    std::string title;  // of the Document
  };
  /// The measures of a Result that show the effect of a step.
  struct Measured {
    double entropy = 0;  // mean of the heads' means, nats
    double later = 0;    // share of the weight on keys behind the query's own token
  };
  struct Step {
    bool done = false;
    bool waiting = false;  // done, but its result is not computed yet
    Measured before;
    std::string seen;  // its effect, in one or two sentences
  };

  bool open = false;
  bool left = false;  // not to be shown again
  std::array<Step, first_steps> steps;
  FirstStep last = FirstStep::Scaling;  // the step done last
  double seen_at = 0;                   // ImGui::GetTime() when the effect of a step was last shown
  std::optional<Facts> facts;           // of the Document when the frame began
  std::optional<Facts> untouched;       // before the first step was taken
  bool changed = false;                 // `left` or a tick changed since the last write_start()

  Step& step(FirstStep which) { return steps[static_cast<std::size_t>(which)]; }
  const Step& step(FirstStep which) const { return steps[static_cast<std::size_t>(which)]; }
  bool all_done() const;
};

/// Keep the ticks and `left` from run to run in `directory`/first-steps: one word a line. Without a directory
/// or a file, read_start returns an empty state. Errors of reading and writing are ignored.
StartState read_start(const std::filesystem::path& directory);
void write_start(const std::filesystem::path& directory, const StartState&);

}  // namespace attnscope
