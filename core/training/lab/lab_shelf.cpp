#include "core/training/lab/lab_shelf.hpp"

#include <algorithm>

namespace attnscope::training {
namespace {

/// Whether no knob was turned since the run began or left its parent.
bool is_untouched(const LabRun& run) { return run.changes.size() == 1; }

bool is_same_kind(const LabRun& a, const LabRun& b) {
  return (a.parent < 0) == (b.parent < 0) && a.branch == b.branch && a.changes[0].knobs == b.changes[0].knobs;
}

}  // namespace

void LabShelf::keep(const ShownLab& shown) {
  if (!shown.recipe) return;
  for (const LabRunPtr& run : shown.runs) {
    const bool of_first = run->parent <= 0 && (run->parent < 0 || is_untouched(*shown.runs[0]));
    if (!of_first || !is_untouched(*run)) continue;
    const auto same = std::ranges::find_if(kept_, [&](const Kept& kept) {
      return kept.recipe == *shown.recipe && is_same_kind(*kept.run, *run);
    });
    if (same != kept_.end()) {
      if (same->run->moments.back()->step >= run->moments.back()->step) continue;
      kept_.erase(same);
    }
    kept_.push_back({*shown.recipe, run});
  }
  if (kept_.size() > most_shelved)
    kept_.erase(kept_.begin(), kept_.end() - static_cast<std::ptrdiff_t>(most_shelved));
}

LabRunPtr LabShelf::found(const Recipe& recipe, bool is_first, std::int64_t at, const Knobs& knobs,
                          std::int64_t steps) {
  const auto same = std::ranges::find_if(kept_, [&](const Kept& kept) {
    const LabRun& run = *kept.run;
    return kept.recipe == recipe && (run.parent < 0) == is_first && run.branch == at &&
           run.changes[0].knobs == knobs;
  });
  if (same == kept_.end()) return nullptr;
  std::rotate(same, same + 1, kept_.end());
  LabRun run = cut_at(*kept_.back().run, steps);
  if (!is_first) {
    run.number = 1;
    run.parent = 0;
  }
  return std::make_shared<const LabRun>(std::move(run));
}

LabRunPtr LabShelf::first_run(const Recipe& recipe, std::int64_t steps) {
  return found(recipe, true, 0, usual_knobs(recipe), steps);
}

LabRunPtr LabShelf::branch(const Recipe& recipe, const LabStand::Branch& branch) {
  // What was kept before the branch began is of the run that it left.
  LabRunPtr run = found(recipe, false, branch.at, branch.knobs, branch.steps);
  return run && run->step >= branch.at ? run : nullptr;
}

}  // namespace attnscope::training
