#include "app/watch/beside.hpp"

#include <algorithm>

#include "app/watch/shown_watch.hpp"

namespace attnscope {

Beside::~Beside() {
  if (finding_) finding_->cancel();
  if (comparing_) comparing_->cancel();
}

bool Beside::is_asked(const std::vector<std::filesystem::path>& known,
                      const std::vector<ModelPlace>& found) const {
  return asked_ == shapes_ && places_.known == known &&
         std::ranges::equal(places_.found, found, {}, &ModelPlace::path, &ModelPlace::path);
}

/// The shapes in sight change only with the text or the stream.
void Beside::look_at(const ShownWatch& watch) {
  if (text_ == watch.text->change && stream_ == watch.connection.path) return;
  text_ = watch.text->change;
  stream_ = watch.connection.path;
  shapes_ = watched_shapes(watch.connection.facts, *watch.text);
}

void Beside::find() {
  finding_ = std::make_shared<Finding>(
      [shapes = *asked_, places = places_, wake = wake_](const std::stop_token& stop, NoProgress&) {
        std::vector<WatchOffer> offers = find_offers(shapes, places, stop);
        if (wake) wake();
        return offers;
      });
  worker_.add(finding_);
}

void Beside::take_found(WatchState& state) {
  if (!finding_ || !finding_->is_done()) return;
  const std::shared_ptr<Finding> done = std::exchange(finding_, nullptr);
  const std::vector<WatchOffer>* const offers = done->result();
  if (done->error() == "Stopped.") asked_.reset();
  if (offers == nullptr || asked_ != shapes_) return;
  if (state.offers != *offers) state.offer = 0;
  state.offers = *offers;
}

void Beside::offer(WatchState& state, bool is_shown, const std::vector<std::filesystem::path>& known,
                   const std::vector<ModelPlace>& found) {
  if (is_shown && state.shown) look_at(*state.shown);
  take_found(state);
  if (!is_shown || is_asked(known, found)) return;
  if (asked_ != shapes_) state.offers.clear(), state.offer = 0;
  if (finding_) return finding_->cancel();  // the next search begins once this one has stopped
  asked_ = shapes_;
  places_ = {known, found};
  if (asked_) find();
}

void Beside::compare(WatchState& state, const LayerResult* shown) {
  if (comparing_ && comparing_->is_done()) {
    const std::shared_ptr<Comparing> done = std::exchange(comparing_, nullptr);
    if (const JoinVerdict* const verdict = done->result(); verdict != nullptr && join_ == state.join) {
      std::erase_if(state.verdicts, [&](const JoinVerdict& old) { return old.layer == verdict->layer; });
      state.verdicts.push_back(*verdict);
    }
  }
  if (join_ != state.join) {
    join_ = state.join;
    compared_.reset();
    state.verdicts.clear();
    if (comparing_) comparing_->cancel();
  }
  if (!join_ || shown == nullptr || comparing_) return;
  const ModelContext& within = shown->document.within.read();
  const std::pair<std::uint64_t, int> at(shown->ticket, within.block);
  if (compared_ == at || !join_->is_in(within)) return;
  compared_ = at;
  std::optional<OpenedWeights> weights = opened_weights(*shown, *join_);
  if (!weights) return;
  comparing_ = std::make_shared<Comparing>([join = join_, weights = *std::move(weights), wake = wake_,
                                            pool = pool_](const std::stop_token& stop, NoProgress&) {
    const Work work{.pool = *pool, .stop = stop, .most_threads = 1};
    const JoinVerdict verdict = compare_joined(*join, weights, work);
    if (wake) wake();
    return verdict;
  });
  worker_.add(comparing_);
}

}  // namespace attnscope
