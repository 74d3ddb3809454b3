// app/training: what a run has learned, in sentences that its measurements bear, each with its baseline; and
// the head that has learned most.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/kit/ui/ui.hpp"
#include "app/training/phase_change.hpp"
#include "core/training/lab/lab.hpp"

namespace attnscope {

struct LabVerdict {
  std::string title, words;
  Rgba colour = 0;
};

/// Of what is on screen: `b` may be null, `shown` is the one of them whose heads are drawn; the phase change
/// is a's.
struct JudgedRuns {
  const training::ShownLab& lab;
  const training::LabRun* a = nullptr;
  const training::LabRun* b = nullptr;
  const training::LabRun* shown = nullptr;
  std::int64_t step = 0;
  std::optional<PhaseChange> phase = {};
};
/// A run that reads its answers, the phase change, and for each score of the task the head with most of it.
std::vector<LabVerdict> verdicts(const Ui&, const JudgedRuns&);

/// The height that it takes, and the card itself.
float verdict_height(const Ui&, const LabVerdict&, float width);
void draw_verdict(const Ui&, const LabVerdict&, const Box&);
/// Side by side, as many as there is room for with all of their words.
void draw_verdicts(const Ui&, const std::vector<LabVerdict>&, const Box&);

/// The head that has learned most of what the task asks, and the score by which it has.
struct BestHead {
  std::int64_t head = 0;
  int score = 0;
};
/// Of the heads that a score names, the one with most of it; scores of the goal's group come first. Nothing:
/// no head has a name.
std::optional<BestHead> best_head(const training::TaskRow&, const training::LabPoint&);

}  // namespace attnscope
