#include "app/workspace/comparison.hpp"

#include <utility>

namespace attnscope {

const HeldResult* Comparison::beside(const ResultPtr& shown) const {
  return held_ && held_->result->layer().is_long() == shown->layer().is_long() ? &*held_ : nullptr;
}

const Document* Comparison::document() const {
  if (expected_) return &expected_->document;
  return held_ ? &held_->result->document : nullptr;
}

void Comparison::hold(const ResultPtr& shown, BackgroundErrors& errors, const Backends& backends,
                      double seconds) {
  if (!held_) held_.emplace();
  held_->show(shown, errors, backends);
  held_->seconds = seconds;
}

void Comparison::swap(ShownResult& shown, const Backends& backends, double seconds) {
  ShownResult& held = *held_;
  std::swap(shown, held);
  shown.show_tiles(backends);
  held.show_tiles(backends);
  held_->seconds = seconds;
}

void Comparison::clear(LiveEngine& engine) {
  held_.reset();
  expect_nothing(engine);
}

void Comparison::expect_nothing(LiveEngine& engine) {
  if (expected_) engine.forget(Lane::Held);
  expected_.reset();
}

void Comparison::expect(Document document, LiveEngine& engine, double age) {
  const std::uint64_t ticket = engine.submit(document, Lane::Held);
  expected_ = Expected{std::move(document), ticket, age};
}

bool Comparison::is_waiting(const LiveEngine& engine) const {
  if (!expected_) return false;
  const ResultPtr newest = engine.latest(Lane::Held);
  return !newest || newest->ticket < expected_->ticket;
}

bool Comparison::take(LiveEngine& engine, BackgroundErrors& errors, const Backends& backends, double seconds,
                      std::string& trouble) {
  if (!expected_ || is_waiting(engine)) return false;
  const ResultPtr newest = engine.latest(Lane::Held);
  if (newest->error.empty() && !newest->is_complete()) return false;  // more queries are to come
  const double held_at = seconds - expected_->age;
  expected_.reset();
  engine.forget(Lane::Held);
  if (!newest->error.empty()) {
    trouble = "What was held cannot be computed. " + newest->error;
    return false;
  }
  hold(newest, errors, backends, held_at);
  return true;
}

}  // namespace attnscope
