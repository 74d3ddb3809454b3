#include "core/training/history.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace attnscope::training {
namespace {

std::int64_t bytes_of(const Snapshot& snapshot) {
  return static_cast<std::int64_t>(sizeof(float)) *
         (std::ssize(snapshot.weights) + std::ssize(snapshot.mean) + std::ssize(snapshot.square));
}

}  // namespace

void History::keep(const Trainer& trainer, const Metrics& metrics) {
  metrics_.push_back(metrics);
  if (!snapshots_.empty() && trainer.step() - snapshots_.back().step < spacing_) return;
  snapshots_.push_back(trainer.snapshot());
  while (snapshots_.size() > 2 && bytes_of(snapshots_.back()) * std::ssize(snapshots_) > most_bytes_)
    thin_out();
}

void History::note_knobs(const Trainer& trainer) { turns_.push_back({trainer.step(), trainer.knobs()}); }

/// Every second one goes, so that those that stay are spread over the whole run.
void History::thin_out() {
  std::vector<Snapshot> kept;
  for (std::size_t i = 0; i < snapshots_.size(); ++i)
    if (i % 2 == 0 || i + 1 == snapshots_.size()) kept.push_back(std::move(snapshots_[i]));
  snapshots_ = std::move(kept);
  spacing_ = 1;
  for (std::size_t i = 1; i < snapshots_.size(); ++i)
    spacing_ = std::max(spacing_, snapshots_[i].step - snapshots_[i - 1].step);
}

void History::go_to(Trainer& trainer, std::int64_t step) const {
  const auto after = std::ranges::upper_bound(snapshots_, step, {}, &Snapshot::step);
  if (after == snapshots_.begin())
    throw Error(fmt::format("Step {} was asked for; {} is the first that was kept.", step,
                            snapshots_.empty() ? "none" : std::to_string(snapshots_.front().step)));
  const Snapshot& from = *std::prev(after);
  trainer.restore(from);
  for (const Turn& turn : turns_) {
    if (turn.step < from.step || turn.step > step) continue;
    trainer.train(static_cast<int>(turn.step - trainer.step()));
    trainer.set_knobs(turn.knobs);
  }
  trainer.train(static_cast<int>(step - trainer.step()));
}

void History::cut(std::int64_t step) {
  std::erase_if(metrics_, [step](const Metrics& metrics) { return metrics.step > step; });
  std::erase_if(snapshots_, [step](const Snapshot& snapshot) { return snapshot.step > step; });
  std::erase_if(turns_, [step](const Turn& turn) { return turn.step > step; });
}

}  // namespace attnscope::training
