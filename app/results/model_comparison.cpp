#include "app/results/model_comparison.hpp"

#include <utility>

namespace attnscope {
namespace {

/// Only heads and prediction: lens, scores and effects of B are not shown.
constexpr auto wants_of_b = [] { return ModelWants{.lens = false, .scores = false, .effects = false}; };

/// Whether both have the same run; the block that is looked at does not matter.
bool run_alike(const ModelContext& a, const ModelContext& b) {
  return a.model == b.model && a.input == b.input && a.changes == b.changes;
}

}  // namespace

ModelComparison::Engines& ModelComparison::engines() {
  if (!engines_) engines_ = std::make_unique<Engines>(wake_, pool_);
  return *engines_;
}

void ModelComparison::expect(Document held, double age) {
  const ModelContext within = held.within.read();
  expected_ = Expected{std::move(held), age, engines().b.submit(within, wants_of_b())};
}

void ModelComparison::expect_nothing() { expected_.reset(); }

std::optional<ModelComparison::Layer> ModelComparison::take_layer(std::string& trouble) {
  if (!expected_) return std::nullopt;
  const ModelReadingPtr newest = engines().b.latest();
  if (!newest || newest->ticket < expected_->ticket) return std::nullopt;
  const Expected expected = *std::exchange(expected_, std::nullopt);
  trouble = newest->error.empty() ? newest->layer_problem : newest->error;
  if (!trouble.empty()) {
    // The model held before stays; the engine may have dropped its run for the expected one.
    if (held_ && !held_->reading) engines().b.submit(held_->within, wants_of_b());
    return std::nullopt;
  }
  Document layer = newest->layer;
  layer.precision = expected.document.precision;
  // Its run is known from now on.
  held_ = HeldModel{.within = newest->within, .reading = newest, .error = {}, .difference = {}};
  return Layer{std::move(layer), expected.age};
}

void ModelComparison::let_go() {
  if (!held_) return;
  held_.reset();
  asked_.reset();
  engines().differences.forget();
  if (!expected_) engines().b.forget();
}

void ModelComparison::hold(const Document* document, double seconds, const ModelReadingPtr& shown) {
  const ModelContext* const within = document != nullptr ? &document->within.read() : nullptr;
  if (within == nullptr || !*within) return let_go();
  if (!held_ || !run_alike(held_->within, *within)) {
    HeldModel next{.within = *within, .reading = {}, .error = {}, .difference = {}};
    if (shown && run_alike(shown->within, *within))
      next.reading = shown;
    else
      engines().b.submit(*within, wants_of_b());
    held_ = std::move(next);
  }
  held_->within = *within;
  held_->seconds = seconds;
}

void ModelComparison::take_news() {
  if (!held_->reading) {
    const ModelReadingPtr newest = engines().b.latest();
    if (newest && run_alike(newest->within, held_->within)) {
      held_->error = newest->error;
      if (newest->error.empty()) held_->reading = newest;
    }
  }
  // The difference on screen is that of the previous runs until a new one arrives.
  if (const ModelDifferencePtr newest = engines().differences.latest(); newest && held_->reading)
    held_->difference = newest->asked.b == compared_run(*held_->reading) ? newest : nullptr;
}

void ModelComparison::follow(const Wanted& wanted) {
  if (!held_) return;
  take_news();
  if (wanted.is_seen && wanted.shown && wanted.shown->run && held_->reading) {
    const ModelPrediction* const prediction = wanted.shown->prediction.get();
    DifferenceQuestion question{compared_run(*wanted.shown), compared_run(*held_->reading), wanted.shift,
                                prediction != nullptr ? prediction->row : -1};
    if (asked_ != question) {
      engines().differences.submit(question);
      asked_ = std::move(question);
      is_stopped_ = false;
    }
  }
  const bool is_compared = engines().differences.busy() && !is_stopped_;
  held_->is_busy = is_compared || (!held_->reading && held_->error.empty());
}

bool ModelComparison::is_settled() const {
  if (expected_) return false;
  if (!held_) return true;
  if (!held_->reading) return !held_->error.empty();
  if (!asked_ || is_stopped_) return true;
  return held_->difference && held_->difference->asked == *asked_ && held_->difference->is_complete;
}

void ModelComparison::wait_idle() const {
  if (!engines_) return;
  engines_->b.wait_idle();
  engines_->differences.wait_idle();
}

void ModelComparison::cancel() {
  if (!held_) return;
  engines().differences.cancel();
  is_stopped_ = true;
}

void ModelComparison::go_on() { asked_.reset(); }

}  // namespace attnscope
