#include "app/training/lab_probes.hpp"

#include <exception>

namespace attnscope {

using training::LabMoment;
using training::LabRun;
using training::LabRunPtr;

void LabProbes::take() {
  const std::lock_guard lock(mutex_);
  if (taken_.version != found_.version) taken_ = found_;
}

void LabProbes::rest() { take(); }

void LabProbes::follow(const training::ShownLab& lab) {
  recipe_ = lab.recipe;
  take();
  if (!recipe_ || worker_.is_busy()) return;
  Wanted wanted{recipe_, missing(lab)};
  if (has_facts() && wanted.items.empty()) return;
  worker_.add(std::make_shared<Stepwise>(
      [this, wanted = std::move(wanted)](const std::stop_token& stop) {
        find(wanted, stop);
        return false;
      },
      wake_));
}

/// States that were not looked at yet, the newest first. Of two at one step the last counts, as it does for
/// what is drawn.
std::vector<LabProbes::Item> LabProbes::missing(const training::ShownLab& lab) const {
  std::vector<Item> items;
  if (!has_facts() || taken_.facts->own.rows() == 0) return items;
  for (const LabRunPtr& run : lab.runs) {
    for (std::size_t i = run->moments.size(); i-- > 0;) {
      const LabMoment& moment = *run->moments[i];
      if (!moment.snapshot || (i + 1 < run->moments.size() && run->moments[i + 1]->step == moment.step))
        continue;
      const Place place{run->number, moment.step};
      const auto known = taken_.moments.find(place);
      if (known == taken_.moments.end() || known->second.of.lock() != moment.snapshot)
        items.push_back({place, moment.snapshot});
    }
  }
  return items;
}

const ProbeFacts* LabProbes::facts() const { return has_facts() ? taken_.facts.get() : nullptr; }

std::shared_ptr<const LabMoment> LabProbes::moment_at(const LabRun& run, std::int64_t step) const {
  const std::shared_ptr<const LabMoment> measured = run.moment_at(step);
  if (!measured || !has_facts() || taken_.facts->own.rows() == 0) return measured;
  auto probed = taken_.moments.upper_bound({run.number, measured->step});
  if (probed == taken_.moments.begin() || (--probed)->first.first != run.number) return measured;
  return probed->second.moment ? probed->second.moment : measured;
}

const ProbeText* LabProbes::text_of(const LabMoment& moment) const {
  if (!has_facts()) return nullptr;
  const std::int64_t rows = moment.probe.weights.shape()[2];
  const ProbeFacts& known = *taken_.facts;
  // The own sequence is shorter than those that are measured.
  if (known.own.rows() == rows) return &known.own;
  return known.measured.rows() == rows || known.measured.rows() == 0 ? &known.measured : nullptr;
}

bool LabProbes::is_settled() const {
  if (worker_.is_busy()) return false;
  const std::lock_guard lock(mutex_);
  return taken_.version == found_.version;
}

/// Results for other runs than those of the last publish() replace what was found.
void LabProbes::publish(const Wanted& wanted, const std::function<void(Found&)>& add) {
  const std::lock_guard lock(mutex_);
  if (found_.recipe != wanted.recipe) {
    found_.recipe = wanted.recipe;
    found_.facts.reset();
    found_.moments.clear();
  }
  add(found_);
  ++found_.version;
}

void LabProbes::find(const Wanted& wanted, const std::stop_token& stop) {
  try {
    if (!trainer_ || !(trainer_->recipe() == *wanted.recipe)) {
      facts_.reset();
      trainer_ = std::make_unique<training::Trainer>(*wanted.recipe, pool_);
      facts_ = std::make_shared<const ProbeFacts>(probe_facts(*trainer_));
    }
    publish(wanted, [&](Found& found) { found.facts = facts_; });
    for (const Item& item : wanted.items) {
      if (stop.stop_requested()) return;
      trainer_->restore(*item.snapshot);
      LabMoment moment{item.place.second, trainer_->probe(facts_->own.tokens), nullptr};
      auto shown = std::make_shared<const LabMoment>(std::move(moment));
      publish(wanted, [&](Found& found) { found.moments[item.place] = {item.snapshot, std::move(shown)}; });
    }
  } catch (const std::exception&) {
    // The pictures stay those of the measured sequence, without labels.
    trainer_.reset();
    publish(wanted, [](Found& found) { found.facts = std::make_shared<const ProbeFacts>(); });
  }
}

}  // namespace attnscope
